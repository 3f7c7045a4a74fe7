package cubin

import (
	"fmt"
	"slices"

	"gpuci/kernels/entry"
)

// atomics gives a kernel, the id-th, whose instructions are in a section, its float
// additions, and whether that is all of them.
func (r *reader) atomics(k *entry.Kernel, id, section int) {
	all := r.reach(id, section)
	k.Atomics, k.CallsOut, k.AtomicsWhy = all.atomics, all.out, all.why
	if !slices.Contains(architectures, r.number) {
		k.AtomicsWhy = r.undecoded()
	}
	k.AtomicsKnown = k.AtomicsWhy == ""
}

// undecoded says why instructions are not looked at.
func (r *reader) undecoded() string {
	switch {
	case r.number == 0:
		return "the architecture is not known, nor its instructions"
	case r.number < architectures[0]:
		return fmt.Sprintf("the instructions of sm_%d are of another kind than those from sm_%d on, and are not decoded", r.number, architectures[0])
	}
	return fmt.Sprintf("nobody has held the instructions of sm_%d against nvdisasm", r.number)
}
