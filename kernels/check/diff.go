package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// Change is one difference of a kernel between two states, or of what the kernels of
// a module share.
type Change struct {
	Kernel string `json:"kernel"` // as it is shown; "" of a module
	Name   string `json:"name"`   // as the driver looks it up
	Module string `json:"module"` // the file of device code
	Kind   string `json:"kind"`   // "cubin" or "ptx"
	Arch   string `json:"arch"`
	What   string `json:"what"`             // "registers", …, "params", "launch-bounds", "float-atomics", "instructions", "data", "added", "removed"
	Before string `json:"before,omitempty"` // "": not known, or not there
	After  string `json:"after,omitempty"`
	Delta  *int   `json:"delta,omitempty"` // of numbers that are known on both sides
	Near   string `json:"near,omitempty"`  // of added and removed ones: that of the other side which is the same but for its mangled name
}

// numbers are what of a kernel is compared as numbers.
var numbers = []struct {
	what string
	of   func(*entry.Kernel) *int
}{
	{"registers", func(k *entry.Kernel) *int { return k.Registers }},
	{"spill-stores", func(k *entry.Kernel) *int { return k.SpillStores }},
	{"spill-loads", func(k *entry.Kernel) *int { return k.SpillLoads }},
	{"shared", func(k *entry.Kernel) *int { return k.Shared }},
	{"stack", func(k *entry.Kernel) *int { return k.Stack }},
	{"barriers", func(k *entry.Kernel) *int { return k.Barriers }},
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
	shared := make(map[[2]*entry.Module]bool)
	for key, list := range before {
		pairs, left, came := paired(list, after[key])
		for _, p := range pairs {
			all = append(all, changes(p[0], p[1])...)
			shared[[2]*entry.Module{p[0].module, p[1].module}] = true
		}
		for _, x := range left {
			all = append(all, gone(x, "removed", before, after))
		}
		for _, y := range came {
			all = append(all, gone(y, "added", after, before))
		}
	}
	for key, list := range after {
		if len(before[key]) == 0 {
			for _, y := range list {
				all = append(all, gone(y, "added", after, before))
			}
		}
	}
	for p := range shared {
		if x, y := p[0], p[1]; x.DataHash != y.DataHash {
			all = append(all, Change{Module: y.File, Kind: y.Kind, Arch: y.Arch, What: "data", Before: x.DataHash, After: y.DataHash})
		}
	}
	slices.SortFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(x.Kernel, y.Kernel), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Arch, y.Arch), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.What, y.What), cmp.Compare(x.Module, y.Module), cmp.Compare(x.Before, y.Before), cmp.Compare(x.After, y.After))
	})
	return all
}

func changes(x, y side) []Change {
	c := Change{Kernel: shown(y.kernel), Name: y.kernel.Name, Module: y.module.File, Kind: y.module.Kind, Arch: y.module.Arch}
	var all []Change
	add := func(what, before, after string) {
		if before != after {
			c.What, c.Before, c.After = what, before, after
			all = append(all, c)
		}
	}
	for _, n := range numbers {
		before, after := n.of(x.kernel), n.of(y.kernel)
		if before != nil && after != nil {
			d := *after - *before
			c.Delta = &d
		}
		add(n.what, text(before), text(after))
		c.Delta = nil
	}
	if params(x.kernel, false) != params(y.kernel, false) {
		add("params", params(x.kernel, false), params(y.kernel, false))
	} else {
		add("params", params(x.kernel, true), params(y.kernel, true))
	}
	add("launch-bounds", bounds(x.kernel), bounds(y.kernel))
	add("float-atomics", atomics(x.kernel), atomics(y.kernel))
	if same(x.kernel.Code, y.kernel.Code) { // else the sizes say it
		add("instructions", x.kernel.CodeHash, y.kernel.CodeHash)
	}
	return all
}

func same(a, b *int) bool { return text(a) == text(b) }

func text(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// params shows parameters by their sizes, so that those of PTX and of a cubin compare,
// and where asked by where each is and how many bytes they come to.
func params(k *entry.Kernel, places bool) string {
	if !k.ParamsKnown {
		return ""
	}
	words := []string{}
	for _, p := range k.Params {
		w := strconv.Itoa(p.Size) + "B"
		if places {
			w += " at " + strconv.Itoa(p.Offset)
		}
		words = append(words, w)
	}
	list := "(" + strings.Join(words, ", ") + ")"
	if places && k.ParamBytes != nil {
		list += " in " + strconv.Itoa(*k.ParamBytes) + "B"
	}
	return list
}

// atomics shows what a kernel adds floats with, as often as it stands there.
func atomics(k *entry.Kernel) string {
	list := operations(k.Atomics)
	switch {
	case !k.AtomicsKnown && list != "":
		return list + ", and more may be"
	case !k.AtomicsKnown:
		return ""
	case list == "":
		return "none"
	}
	return list
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
