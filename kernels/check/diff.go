package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Change is one difference of a kernel between two states.
type Change struct {
	Kernel string `json:"kernel"` // as it is shown
	Name   string `json:"name"`   // as the driver looks it up
	Module string `json:"module"` // the file of device code
	Kind   string `json:"kind"`   // "cubin" or "ptx"
	Arch   string `json:"arch"`
	What   string `json:"what"`             // "registers", "spill-stores", "spill-loads", "shared", "stack", "code", "params", "added", "removed"
	Before string `json:"before,omitempty"` // "": not known, or not there
	After  string `json:"after,omitempty"`
	Delta  *int   `json:"delta,omitempty"` // of numbers that are known on both sides
	Near   string `json:"near,omitempty"`  // of added and removed ones: that of the other side which is the same but for its mangled name
}

// numbers are what of a kernel is compared.
var numbers = []struct {
	what string
	of   func(*entry.Kernel) *int
}{
	{"registers", func(k *entry.Kernel) *int { return k.Registers }},
	{"spill-stores", func(k *entry.Kernel) *int { return k.SpillStores }},
	{"spill-loads", func(k *entry.Kernel) *int { return k.SpillLoads }},
	{"shared", func(k *entry.Kernel) *int { return k.Shared }},
	{"stack", func(k *entry.Kernel) *int { return k.Stack }},
	{"code", func(k *entry.Kernel) *int { return k.Code }},
}

// side is a kernel of one state.
type side struct {
	module *entry.Module
	kernel *entry.Kernel
}

// Diff compares two states kernel by kernel, by name, kind and architecture; the files
// may be named differently. The changes are sorted by kernel, architecture and what.
func Diff(a, b []entry.Module) []Change {
	before, after := kernels(a), kernels(b)
	var all []Change
	for key, list := range before {
		for i, x := range list {
			if i < len(after[key]) {
				all = append(all, changes(x, after[key][i])...)
			} else {
				all = append(all, gone(x, "removed", before, after))
			}
		}
	}
	for key, list := range after {
		for _, y := range list[min(len(before[key]), len(list)):] {
			all = append(all, gone(y, "added", after, before))
		}
	}
	slices.SortFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.Kernel, y.Kernel), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Arch, y.Arch), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.What, y.What), cmp.Compare(x.Module, y.Module), cmp.Compare(x.Before, y.Before), cmp.Compare(x.After, y.After))
	})
	return all
}

type kernelKey struct{ name, kind, arch string }

// kernels are those of a state; of one key, in the order of their files.
func kernels(modules []entry.Module) map[kernelKey][]side {
	all := make(map[kernelKey][]side)
	for i := range modules {
		m := &modules[i]
		for j := range m.Kernels {
			k := kernelKey{m.Kernels[j].Name, m.Kind, m.Arch}
			all[k] = append(all[k], side{m, &m.Kernels[j]})
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(x, y side) int { return cmp.Compare(x.module.File, y.module.File) })
	}
	return all
}

func changes(x, y side) []Change {
	var all []Change
	c := Change{Kernel: shown(y.kernel), Name: y.kernel.Name, Module: y.module.File, Kind: y.module.Kind, Arch: y.module.Arch}
	for _, n := range numbers {
		before, after := n.of(x.kernel), n.of(y.kernel)
		if text(before) == text(after) {
			continue
		}
		one := c
		one.What, one.Before, one.After = n.what, text(before), text(after)
		if before != nil && after != nil {
			d := *after - *before
			one.Delta = &d
		}
		all = append(all, one)
	}
	if before, after := params(x.kernel), params(y.kernel); before != after {
		c.What, c.Before, c.After = "params", before, after
		all = append(all, c)
	}
	return all
}

func text(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// params shows parameters by their sizes, so that those of PTX and of a cubin compare.
func params(k *entry.Kernel) string {
	if !k.ParamsKnown {
		return ""
	}
	words := []string{}
	for _, p := range k.Params {
		words = append(words, strconv.Itoa(p.Size)+"B")
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// gone is a kernel that is on one side only. The near one is that of the other side,
// not on this one, that is called the same in the source: its parameters or the hash in
// its name have changed.
func gone(x side, what string, own, other map[kernelKey][]side) Change {
	c := Change{Kernel: shown(x.kernel), Name: x.kernel.Name, Module: x.module.File, Kind: x.module.Kind, Arch: x.module.Arch, What: what}
	var like []string
	for key, list := range other {
		if len(own[key]) > 0 || key.kind != x.module.Kind || len(list) == 0 {
			continue
		}
		k := list[0].kernel
		if k.Name == x.kernel.Name || plain(*k) == plain(*x.kernel) && key.arch == x.module.Arch {
			n := shown(k)
			if key.arch != x.module.Arch {
				n += " (" + key.arch + ")"
			}
			like = append(like, n)
		}
	}
	slices.Sort(like)
	c.Near = strings.Join(like, ", ")
	return c
}

// plain is a kernel's name without what changes with its parameters, its file or a
// build: the hash of Rust's names is the last word before an E.
func plain(k entry.Kernel) string {
	n := k.Readable
	if n == "" {
		n = k.Name
	}
	if i := strings.LastIndex(n, "::h"); i > 0 && len(n)-i == 19 { // Rust's, demangled
		n = n[:i]
	}
	if i := strings.LastIndex(n, "17h"); i > 0 && strings.HasSuffix(n, "E") && len(n)-i == 20 { // and mangled
		n = n[:i]
	}
	return unqualified(n)
}
