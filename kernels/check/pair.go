package check

import (
	"cmp"
	"path"
	"slices"

	"gpuci/kernels/entry"
)

type kernelKey struct{ name, kind, arch string }

// kernels are those of a state; of one key, in the order of their files.
func kernels(modules []entry.Module) map[kernelKey][]side {
	all := make(map[kernelKey][]side)
	for i := range modules {
		m := &modules[i]
		for j := range m.Kernels {
			k := kernelKey{entry.Canonical(m.Kernels[j].Name), m.Kind, m.Arch}
			all[k] = append(all[k], side{m, &m.Kernels[j]})
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(x, y side) int { return cmp.Compare(x.module.File, y.module.File) })
	}
	return all
}

// paired puts kernels of one key together with those of the other state: those of one
// file first, then of files that are called alike, then in their order. It gives those
// of each that are left.
func paired(list, other []side) (pairs [][2]side, left, leftOther []side) {
	taken := make([]bool, len(other))
	left = list
	for _, alike := range []func(x, y side) bool{
		func(x, y side) bool { return placeOf(x) == placeOf(y) && x.module.Part == y.module.Part },
		func(x, y side) bool {
			return path.Base(x.module.File) == path.Base(y.module.File) && x.module.Part == y.module.Part
		},
		func(x, y side) bool { return path.Base(x.module.File) == path.Base(y.module.File) },
		func(side, side) bool { return true },
	} {
		var rest []side
		for _, x := range left {
			at := -1
			for i, y := range other {
				if !taken[i] && alike(x, y) {
					at = i
					break
				}
			}
			if at < 0 {
				rest = append(rest, x)
				continue
			}
			taken[at] = true
			pairs = append(pairs, [2]side{x, other[at]})
		}
		left = rest
	}
	for i, y := range other {
		if !taken[i] {
			leftOther = append(leftOther, y)
		}
	}
	return pairs, left, leftOther
}

// placeOf is where a module lies within the state that it is of.
func placeOf(x side) string { return cmp.Or(x.module.Below, x.module.File) }

// Unknown is what of kernels is known on neither side, and so could not be compared.
type Unknown struct {
	What    string `json:"what"`
	Kernels int    `json:"kernels"`
}

// Blind says what [Diff] could not compare. PTX has no numbers, and none are missed.
func Blind(a, b []entry.Module) (list []Unknown) {
	before, after := kernels(a), kernels(b)
	counts := make(map[string]int)
	for key, all := range before {
		pairs, _, _ := paired(all, after[key])
		for _, p := range pairs {
			for _, what := range unknown(p[0], p[1]) {
				counts[what]++
			}
		}
	}
	for _, what := range append([]string{"params", "float-atomics", "instructions"}, numberNames()...) {
		if counts[what] > 0 {
			list = append(list, Unknown{what, counts[what]})
		}
	}
	return list
}

func numberNames() (list []string) {
	for _, n := range numbers {
		list = append(list, n.what)
	}
	return list
}

func unknown(x, y side) (list []string) {
	neither := func(what string, x, y bool) {
		if x && y {
			list = append(list, what)
		}
	}
	neither("params", !x.kernel.ParamsKnown, !y.kernel.ParamsKnown)
	neither("float-atomics", !x.kernel.AtomicsKnown, !y.kernel.AtomicsKnown)
	neither("instructions", x.kernel.CodeHash == "", y.kernel.CodeHash == "")
	for _, n := range numbers {
		if x.module.Kind != "ptx" {
			neither(n.what, n.of(x.kernel) == nil, n.of(y.kernel) == nil)
		}
	}
	return list
}
