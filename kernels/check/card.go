package check

import (
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Card is one that the machine has, or is said to have.
type Card struct {
	Name       string // "H200"
	Capability string // "9.0"
	Place
}

// architecture is what a module is compiled for.
type architecture struct {
	number int  // 90
	kind   byte // 'a': that one only; 'f': its family; 0: any
}

// parseArch reads sm_90, sm_90a, sm_100f, compute_90.
func parseArch(arch string) (architecture, bool) {
	_, n, ok := strings.Cut(arch, "_")
	if !ok {
		return architecture{}, false
	}
	var a architecture
	if last := n[max(len(n)-1, 0):]; last == "a" || last == "f" {
		a.kind = last[0]
		n = n[:len(n)-1]
	}
	var err error
	a.number, err = strconv.Atoi(n)
	return a, err == nil && a.number >= 10 && a.number < 1000
}

// capability reads 9.0 as 90.
func capability(text string) (int, bool) {
	major, minor, ok := strings.Cut(text, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	return 10*a + b, ok && err == nil && err2 == nil && a > 0 && b >= 0 && b < 10
}

// alone are the capabilities of Tegra: what is compiled for one of them or for others
// does not run on the other, whatever the numbers say.
var alone = []int{53, 62, 72, 87, 101, 110}

// Runs says whether a module runs on a card of a capability, as the CUDA programming
// guide has it: binary code on cards of its major number from its minor one up, PTX on
// all later ones, what ends in a on that one only, what ends in f on its family.
func Runs(kind, arch string, card int) (runs, known bool) {
	a, ok := parseArch(arch)
	if !ok {
		return false, false
	}
	family := a.number/10 == card/10 && a.number <= card
	tegra := slices.Contains(alone, a.number) || slices.Contains(alone, card)
	switch {
	case a.kind == 'a':
		return a.number == card, true
	case a.kind == 'f', kind != "ptx":
		return family && (!tegra || a.number == card), true
	}
	return a.number <= card, true
}

func (s *set) cards(list []Card, named map[int]bool) []Finding {
	var all []Finding
	for _, c := range list {
		n, ok := capability(c.Capability)
		if !ok {
			all = append(all, Finding{
				Rule: "architecture", File: c.File, Line: c.Line, Expected: "a compute capability, like 9.0", Found: strconv.Quote(c.Capability),
				Harm: "no module is held against the card " + c.Name, Next: "write it as nvidia-smi --query-gpu=compute_cap says it",
			})
			continue
		}
		all = append(all, s.card(c, n, named)...)
	}
	return all
}

// card finds the kernels of files that no module has for this card; where none of a file
// runs there, that is one finding, of no kernel. What hosts name must have it among what
// they name.
func (s *set) card(c Card, n int, named map[int]bool) []Finding {
	var all []Finding
	done := make(map[string]bool)
	for i, m := range s.modules {
		runs, known := Runs(m.Kind, m.Arch, n)
		kernels := s.stranded(m, n, func(o int) bool { return !named[i] || named[o] })
		if runs || done[m.File] || known && kernels == nil {
			continue
		}
		done[m.File] = true
		f := Finding{
			Rule: "architecture", Module: m.File, File: c.File, Line: c.Line,
			Expected: "code that runs on " + strings.TrimSpace(c.Name+" (compute capability "+c.Capability+")"), Found: s.architectures(i),
			Harm: "loading it fails with CUDA_ERROR_NO_BINARY_FOR_GPU",
			Next: "compile it for sm_" + strconv.Itoa(n) + " too, or to PTX of an architecture up to compute_" + strconv.Itoa(n),
		}
		if !known {
			f.Found, f.Harm = "the architecture "+strconv.Quote(m.Arch)+", which is not known", "whether it can be loaded there is not checked"
			kernels = nil
		}
		if n := len(kernels); n == 0 || n > 1 && n == len(m.Kernels) {
			all = append(all, f)
			continue
		}
		for _, k := range kernels {
			f.Kernel = shown(k)
			all = append(all, f)
		}
	}
	return all
}

// stranded gives the kernels of a module that no module has for the card, of those that
// can be loaded in its place.
func (s *set) stranded(m entry.Module, card int, instead func(module int) bool) (list []*entry.Kernel) {
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if !slices.ContainsFunc(s.byName[k.Name], func(p place) bool {
			runs, _ := Runs(s.modules[p.module].Kind, s.modules[p.module].Arch, card)
			return runs && instead(p.module)
		}) {
			list = append(list, k)
		}
	}
	return list
}

// architectures are all those that the file of a module has.
func (s *set) architectures(i int) string {
	var list []string
	for _, m := range s.modules {
		if m.File == s.modules[i].File {
			list = append(list, m.Kind+" for "+m.Arch)
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}
