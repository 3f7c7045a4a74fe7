package check

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
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
				Harm: "no kernel is looked at for float atomics", Next: s.meant(d.Kernel, "name a kernel that is there"),
			})
		}
		for _, places := range s.byKernel(found) {
			all = append(all, s.atomics(d, places)...)
		}
	}
	return all
}

// byKernel parts places by the kernel that they are of, in their order: it is in a
// module for each architecture, as PTX too, and committed beside what is built.
func (s *set) byKernel(all []place) [][]place {
	at := make(map[string]int)
	var list [][]place
	for _, p := range all {
		name := entry.Canonical(s.kernel(p).Name)
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], p)
	}
	return list
}

// atomics says what is known of a kernel, in all its modules: the worst that is so of any,
// where that is that nothing is known one finding for each.
func (s *set) atomics(d Deterministic, all []place) (list []Finding) {
	var adds, unknown []place
	for _, p := range all {
		switch k := s.kernel(p); {
		case len(k.Atomics) > 0:
			adds = append(adds, p)
		case !k.AtomicsKnown && !s.knownElsewhere(k.Name, s.modules[p.module]):
			unknown = append(unknown, p)
		}
	}
	f := Finding{Kernel: shown(s.kernel(all[0])), Module: s.labels(all), File: d.File, Line: d.Line, Expected: "no float atomic"}
	f.Harm = "sums are added up in the order in which threads come by: two runs differ in their last bits"
	switch {
	case adds != nil:
		return []Finding{s.floats(f, adds)}
	case unknown != nil:
		for _, p := range unknown {
			list = append(list, s.unsure(f, p))
		}
		return list
	}
	f.Rule, f.Note, f.Found, f.Next = NoAtomic, true, "no float atomic found", "nothing"
	f.Harm = "none is known; blocks that wait for each other are not looked for"
	return []Finding{f}
}

// NoAtomic is the rule of the note that a kernel which must be deterministic has no
// float atomic: what was asked for, and no reservation.
const NoAtomic = "float-atomic-none"

// floats says where a kernel adds, and in PTX in which line.
func (s *set) floats(f Finding, adds []place) Finding {
	f.Rule, f.Module, f.Found = "float-atomic", s.labels(adds), operations(s.kernel(adds[0]).Atomics)
	f.Next = "reduce in a fixed order, or leave deterministic out"
	for _, p := range adds {
		if n := s.kernel(p).Atomics[0].Line; n > 0 {
			f.File, f.Line, f.Found = s.modules[p.module].File, n, operations(s.kernel(p).Atomics)
			break
		}
	}
	return f
}

// unsureRule is of what nobody knows; an acceptance holds for the code that was looked at.
const unsureRule = "float-atomic-unknown"

// unsure says why nobody knows.
func (s *set) unsure(f Finding, unknown place) Finding {
	k, m := s.kernel(unknown), s.modules[unknown.module]
	f.Module = label(m)
	f.Rule, f.Found, f.Of = unsureRule, "it is not known: "+k.AtomicsWhy, codeOf(k, m)
	f.Next = unsureNext(f.Kernel, f.Of)
	if k.AtomicsWhy == "" {
		f.Found = "it is not known: this " + m.Kind + " for " + m.Arch + " is not decoded"
		f.Next = "have its PTX checked too: add ptx to the kinds of the set"
	}
	return f
}

// unsureNext is how to say that somebody has looked, at which code.
func unsureNext(kernel, of string) string {
	words := `["` + strings.ReplaceAll(of, ", ", `", "`) + `"]`
	return `see whether floats are added there; where they are not, say so: [[kernels.accept]] with kind = "` + unsureRule + `", kernel = ` + strconv.Quote(kernel) + `, of = ` + words + `, and why`
}

// codeOf is what an acceptance of a kernel is bound to: its code, why it is not known, and
// where it calls through pointers what these can point to.
func codeOf(k *entry.Kernel, m entry.Module) string {
	text := k.CodeHash + "\n" + k.AtomicsWhy
	if strings.Contains(k.AtomicsWhy, "pointer") {
		text += "\n" + m.DataHash
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// knownElsewhere says whether another module for the architecture, as its PTX, was
// looked through where this one was not.
func (s *set) knownElsewhere(name string, m entry.Module) bool {
	for _, p := range s.byName[name] {
		o := s.modules[p.module]
		if k := s.kernel(p); o.Arch == m.Arch && (k.AtomicsKnown || len(k.Atomics) > 0) {
			return true
		}
	}
	return false
}

// mostLabels is how many modules one finding names.
const mostLabels = 3

// labels names modules, each once.
func (s *set) labels(all []place) string {
	var list []string
	for _, p := range all {
		if l := label(s.modules[p.module]); !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	return some(list, mostLabels)
}

// some names the first of a list, and says how many more there are.
func some(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + " and " + strconv.Itoa(len(list)-most) + " more"
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
