package entry

import "slices"

// OfDriver says of a function that a kernel calls and that no file holds whether it is
// one of those that the driver brings, print, check and allocate, and add no floats in
// memory.
func OfDriver(name string) bool {
	return slices.Contains([]string{"vprintf", "__assertfail", "malloc", "free"}, name)
}
