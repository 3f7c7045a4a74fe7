package kernels

import (
	"cmp"
	"fmt"
	"slices"

	"gpuci/kernels/check"
	"gpuci/kernels/entry"
)

// Diff compares two states, and gives what changed, the worst first: what a host no
// longer finds or passes wrongly, then what grew, by how much, then all else.
func Diff(a, b []entry.Module) []check.Change {
	all := check.Diff(a, b)
	slices.SortStableFunc(all, func(x, y check.Change) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), -cmp.Compare(grown(x), grown(y)))
	})
	return all
}

// Worse says whether a change can be for the worse by itself.
func Worse(c check.Change) bool { return rank(c) < better }

// better is the rank of a change for the better, and added that of a new kernel.
const (
	better = 20
	added  = 21
)

// harms are what a change can be worse in, the worst first: what breaks a host, then
// what makes results others, then what costs.
var harms = []string{"removed", "params", "launch-bounds", "float-atomics", "spill-stores", "spill-loads", "registers", "shared", "stack", "barriers", "code", "instructions", "data"}

func rank(c check.Change) int {
	at := slices.Index(harms, c.What)
	switch {
	case c.What == "added":
		return added
	case c.Delta != nil && *c.Delta < 0:
		return better
	case (c.What == "params" || c.What == "float-atomics") && (c.Before == "" || c.After == ""), c.What == "float-atomics" && c.After == "none":
		return better
	}
	return at
}

// grown is a change as a share of what there was.
func grown(c check.Change) float64 {
	if c.Delta == nil {
		return 0
	}
	var before float64
	_, _ = fmt.Sscan(c.Before, &before) // a number, where there is a delta
	return float64(*c.Delta) / max(before, 1)
}

// Blind says what of kernels that are on both sides is known on neither.
func Blind(a, b []entry.Module) []check.Unknown { return check.Blind(a, b) }

// Matches says whether a name or pattern means a kernel, in any of the ways to write it.
func Matches(pattern string, k entry.Kernel) bool { return check.Matches(pattern, &k) }

// Short is how a kernel is called where there is little room: ns::step<float>.
func Short(k entry.Kernel) string { return check.Short(cmp.Or(k.Readable, k.Name)) }

// Near gives names of kernels that are like one, the nearest first.
func Near(name string, modules []entry.Module) []string { return check.Near(name, modules) }

// Single are modules without those that are committed of what is built here as well.
func Single(all []Module) (out []Module) {
	for _, m := range all {
		if m.Built || !m.twin(all) {
			out = append(out, m)
		}
	}
	return out
}

// twin says whether the module was built here as well.
func (m Module) twin(all []Module) bool {
	return m.Source != "" && slices.ContainsFunc(all, func(o Module) bool {
		return o.Built && o.Source == m.Source && o.Kind == m.Kind && o.Arch == m.Arch
	})
}
