// Package seed gives a case of a test the number that its inputs are drawn by.
package seed

import "hash/fnv"

// Of hashes a name (FNV-1a, 64 bits), so that a new case leaves the inputs of the
// others as they were.
func Of(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
