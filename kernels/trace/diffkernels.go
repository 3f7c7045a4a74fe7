package trace

import (
	"cmp"
	"slices"
	"strings"
)

func diffKernels(a, b *StageReport) (list []KernelChange) {
	in := map[string]*KernelReport{}
	for i := range b.Kernels {
		in[b.Kernels[i].Symbol] = &b.Kernels[i]
	}
	for i := range a.Kernels {
		k := &a.Kernels[i]
		o := in[k.Symbol]
		delete(in, k.Symbol)
		switch {
		case o == nil:
			list = append(list, KernelChange{Name: k.Name, Symbol: k.Symbol, Only: OnlyA, A: k.Launches})
		case k.Launches*int64(b.Warm()) != o.Launches*int64(a.Warm()):
			list = append(list, KernelChange{Name: k.Name, Symbol: k.Symbol, A: k.Launches, B: o.Launches})
		case reshaped(k, o, int64(a.Warm()), int64(b.Warm())):
			list = append(list, KernelChange{Name: k.Name, Symbol: k.Symbol, A: k.Launches, B: o.Launches, Reshaped: true})
		}
	}
	for _, k := range in {
		list = append(list, KernelChange{Name: k.Name, Symbol: k.Symbol, Only: OnlyB, B: k.Launches})
	}
	change := func(c KernelChange) float64 {
		n := float64(c.B)/float64(b.Warm()) - float64(c.A)/float64(a.Warm())
		return max(n, -n)
	}
	slices.SortFunc(list, func(x, y KernelChange) int {
		return cmp.Or(cmp.Compare(change(y), change(x)), strings.Compare(x.Symbol, y.Symbol))
	})
	return list
}

func reshaped(a, b *KernelReport, stepsA, stepsB int64) bool {
	left := map[Shape]int64{}
	for _, s := range a.Shapes {
		left[Shape{s.Grid, s.Block, s.Shared, 0}] += s.Launches * stepsB
	}
	for _, s := range b.Shapes {
		left[Shape{s.Grid, s.Block, s.Shared, 0}] -= s.Launches * stepsA
	}
	for _, n := range left {
		if n != 0 {
			return true
		}
	}
	return false
}

// diffKept holds what a stage did not release against each other, a step: the first steps
// among them, as nobody knows which of them it was.
func diffKept(pa, pb *ProcessReport, a, b *StageReport) (list []KeptChange) {
	by := map[string]*KeptChange{}
	sum := func(p *ProcessReport, n, bytes func(*KeptChange) *int64) {
		for _, k := range p.Kept {
			if k.Stage != a.Name {
				continue
			}
			if by[k.Call] == nil {
				by[k.Call] = &KeptChange{Call: k.Call}
			}
			*n(by[k.Call]) += k.N
			*bytes(by[k.Call]) += k.Bytes
		}
	}
	sum(pa, func(c *KeptChange) *int64 { return &c.NA }, func(c *KeptChange) *int64 { return &c.BytesA })
	sum(pb, func(c *KeptChange) *int64 { return &c.NB }, func(c *KeptChange) *int64 { return &c.BytesB })
	for _, c := range by {
		if growing := c.NA*int64(b.Steps) != c.NB*int64(a.Steps) || c.BytesA*int64(b.Steps) != c.BytesB*int64(a.Steps); growing && (c.NA != c.NB || c.BytesA != c.BytesB) {
			list = append(list, *c)
		}
	}
	slices.SortFunc(list, func(x, y KeptChange) int { return strings.Compare(x.Call, y.Call) })
	return list
}
