package cubin

import (
	"fmt"
	"slices"

	"gpuci/kernels/entry"
)

// scanFunctions looks at the instructions outside kernels, which any kernel that
// calls may reach.
func (r *reader) scanFunctions() {
	if !slices.Contains(architectures, r.number) {
		return
	}
	for i, s := range r.image.symbols {
		r.external = r.external || i > 0 && s.kind == symbolFunc && s.section == indexUndefined
	}
	kernels := make([]bool, len(r.image.sections))
	for _, s := range r.image.symbols {
		if s.kernel() && s.section >= 0 && s.section < len(kernels) {
			kernels[s.section] = true
		}
	}
	for i, s := range r.image.sections {
		if len(s.name) > len(prefixText) && s.name[:len(prefixText)] == prefixText && !kernels[i] {
			f := r.scan(s.data)
			for _, a := range f.atomics {
				r.functions.add(a.Op, a.At)
			}
			if r.functions.unsure == "" && f.unsure != "" {
				r.functions.unsure = f.unsure + " of " + s.name[len(prefixText):]
			}
		}
	}
}

// atomics gives a kernel its float additions, and whether that is all of them.
func (r *reader) atomics(k *entry.Kernel, code []byte) {
	if !slices.Contains(architectures, r.number) {
		return
	}
	s := r.scan(code)
	k.Atomics = s.atomics
	why := s.unsure
	if s.calls && why == "" {
		switch {
		case r.external:
			why = "a call of a function that another file brings"
		case len(r.functions.atomics) > 0:
			why = "a call, and functions of this module hold " + r.functions.atomics[0].Op
		case r.functions.unsure != "":
			why = "a call, and functions of this module hold " + r.functions.unsure
		}
	}
	k.AtomicsKnown = why == ""
	if why != "" {
		r.unsure = append(r.unsure, k.Name+": "+why)
	}
}

// tellUnsure says once for the module why float atomics are not known.
func (r *reader) tellUnsure() {
	switch n := len(r.unsure); {
	case n == 1:
		r.unread("float atomics are not known of kernel " + r.unsure[0])
	case n > 1:
		r.unread(fmt.Sprintf("float atomics are not known of %d kernels, the first is %s", n, r.unsure[0]))
	}
}
