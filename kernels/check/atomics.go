package check

import (
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Deterministic names kernels that must give the same bits every time.
type Deterministic struct {
	Kernel string // a name or a pattern
	Module string // of files; "": all
	Place
}

func (s *set) deterministic(list []Deterministic) []Finding {
	var all []Finding
	for _, d := range list {
		found := s.find(d.Kernel, d.Module)
		if len(found) == 0 {
			all = append(all, Finding{
				Rule: "deterministic-unmatched", Kernel: d.Kernel, File: d.File, Line: d.Line,
				Expected: "a kernel of that name", Found: "none in " + s.counted(),
				Harm: "no kernel is looked at for float atomics", Next: s.perhaps(d.Kernel, s.all(), "name a kernel that is there"),
			})
		}
		for _, p := range found {
			if f, ok := s.atomics(d, p); ok {
				all = append(all, f)
			}
		}
	}
	return all
}

// atomics says what is known of a kernel. Where its cubin was not looked through, its
// PTX for the same architecture may have been.
func (s *set) atomics(d Deterministic, p place) (Finding, bool) {
	k, m := s.kernel(p), s.modules[p.module]
	f := Finding{Kernel: shown(k), Module: label(m), File: d.File, Line: d.Line, Expected: "no float atomic"}
	f.Harm = "sums are added up in the order in which threads come by: two runs differ in their last bits"
	switch {
	case len(k.Atomics) > 0:
		f.Rule, f.Found = "float-atomic", operations(k.Atomics)
		f.Next = "reduce in a fixed order, or leave deterministic out"
		if n := k.Atomics[0].Line; n > 0 {
			f.File, f.Line = m.File, n
		}
	case k.AtomicsKnown:
		f.Rule, f.Note, f.Found = "float-atomic-none", true, "no float atomic found"
		f.Harm = "none is known; loops of compare-and-swap, and blocks that wait for each other, are not looked for"
		f.Next = "nothing"
	case s.knownElsewhere(k.Name, m):
		return f, false
	default:
		f.Rule, f.Found = "float-atomic-unknown", "nobody has looked: this "+m.Kind+" for "+m.Arch+" is not decoded"
		f.Next = "have its PTX checked too: add ptx to the kinds of the set"
	}
	return f, true
}

func (s *set) knownElsewhere(name string, m entry.Module) bool {
	for _, p := range s.byName[name] {
		o := s.modules[p.module]
		if k := s.kernel(p); o.Arch == m.Arch && (k.AtomicsKnown || len(k.Atomics) > 0) {
			return true
		}
	}
	return false
}

func operations(list []entry.Atomic) string {
	var words []string
	for _, a := range list {
		w := a.Op
		if a.Count > 1 {
			w += " (" + strconv.Itoa(a.Count) + " times)"
		}
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}
