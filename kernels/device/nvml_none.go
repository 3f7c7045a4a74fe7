//go:build !cgo || !linux

package device

// none is the driver of a program that was built without cgo: it cannot load the
// driver's library, and nvidia-smi is asked instead.
type none struct{}

func newDriver() driver { return none{} }

func (none) look(q ask) told {
	return told{ID: q.ID, Absent: "this gpuci was built without cgo, and loads no library"}
}
