package cubin

import (
	"strings"

	"gpuci/kernels/entry"
)

// Sections that belong to one kernel are named for it.
const (
	prefixText   = ".text."
	prefixInfo   = ".nv.info."
	prefixShared = ".nv.shared."
)

// reader gathers what the sections say. Its lists are by section or by symbol and
// have -1 where there is nothing.
type reader struct {
	image  *image
	module *entry.Module
	number int // of the architecture, 90; 0: not known

	info   []int  // by section of instructions: that of its attributes
	shared []int  // the same: that of its shared memory
	taken  []bool // the same: has its kernel

	numbers []int // that the kernels point to

	registers []int // by symbol
	frame     []int
	stack     []int // the frame and those of all that is called, where that was linked

	flow  flow
	swaps int // compare-and-swaps that were looked into
}

// sort finds which section is whose, from the number that each carries. Names alone
// do not say: local symbols of one name may be many.
func (r *reader) sort() {
	n := len(r.image.sections)
	r.info, r.shared, r.taken = nothing(n), nothing(n), make([]bool, n)
	for i, s := range r.image.sections {
		if uint64(s.info) >= uint64(n) {
			continue
		}
		switch {
		case strings.HasPrefix(s.name, prefixInfo):
			r.info[s.info] = i
		case strings.HasPrefix(s.name, prefixShared):
			r.shared[s.info] = i
		}
	}
}

func nothing(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// section is the one that a list has for a kernel, nil where there is none of its name.
func (r *reader) section(list []int, text int, name string) *section {
	if i := list[text]; i >= 0 {
		if s := &r.image.sections[i]; strings.HasSuffix(s.name, name) {
			return s
		}
	}
	return nil
}
