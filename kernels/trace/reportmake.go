package trace

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// reportOf makes a process's summary into what people and programs read.
func reportOf(s *Summary, how Counting) ProcessReport {
	p := ProcessReport{
		Process: s.Process, Threads: s.Threads, Launcher: s.Launcher, Events: s.Events, Whole: s.Whole.Map(), Inner: s.Inner, ByCard: s.ByCard,
		Graphs: s.Graphs, Idle: s.Idle, Unread: s.Unread, Capture: s.Capture.with(s), Kept: s.Kept, By: "range",
		lines: len(how.Lines), run: how.run,
	}
	p.Device = s.Device
	for _, id := range slices.Sorted(maps.Keys(s.Names.Cards)) {
		if card := s.Names.Cards[id]; !slices.Contains(p.Cards, card) {
			p.Cards = append(p.Cards, card)
		}
	}
	switch {
	case how.Lines != nil:
		p.By = "line"
	case !slices.ContainsFunc(s.Stages, func(s *Stage) bool { return s.Name != Outside }):
		p.By = "process"
	}
	same := canonical(s.Names.Kernels)
	for _, stage := range s.Stages {
		if stage.Name == Outside && p.By != "process" {
			stage.Took = Spread{} // from the first call to the last has all stages in it
		}
		one := stageReport(stage, &s.Names, same)
		one.Whole = p.By == "process"
		if one.once() && !one.Whole {
			one.noIdle()
		}
		p.Stages = append(p.Stages, one)
	}
	p.Findings = append(findings(&p), notApart(&p, how.Warm)...)
	return p
}

func stageReport(s *Stage, n *Names, same map[uint32]uint32) StageReport {
	r := StageReport{
		Name: s.Name, Steps: s.Steps, Apart: s.Apart, Total: s.Total.Map(), Counts: map[Quantity]Each{}, Took: s.Took,
		Price: priceOf(s), Captured: s.Total[Captures], Cut: s.Cut,
	}
	for _, b := range s.blurredOf(s.Apart) {
		r.Blurred += count(b)
	}
	for q, each := range s.Counts {
		if each.High != 0 {
			r.Counts[Quantity(q)] = each
		}
	}
	r.Kernels = kernelReports(s, n, r.Price.Launch.Median)
	r.Device, r.Untimed = s.timing.devices(), s.timing.untimed
	s.timing.times(r.Kernels, n)
	r.Chains = chains(s.Tape, n, same, r.Price.Launch.Median)
	for id, c := range s.Calls {
		one := CallReport{n.Calls[id], c.N, c.Bytes, c.Took, c.Longest}
		switch {
		case c.Kind == Alloc || c.Kind == Release:
			r.Memory = append(r.Memory, one)
		case c.Kind == Sync || c.Kind == Copy && callOf(one.Call).waits:
			r.Waits = append(r.Waits, one)
		}
	}
	by := func(a, b CallReport) int { return cmp.Or(cmp.Compare(b.Took, a.Took), strings.Compare(a.Call, b.Call)) }
	slices.SortFunc(r.Waits, by)
	slices.SortFunc(r.Memory, by)
	return r
}

// kernelReports puts together what one kernel was launched in.
func kernelReports(s *Stage, n *Names, price time.Duration) (list []KernelReport) {
	by, all := map[string]*KernelReport{}, int64(0)
	for _, id := range slices.Sorted(maps.Keys(s.Calls)) {
		c := s.Calls[id]
		if c.Kind != Launch {
			continue
		}
		k := n.Kernels[id]
		r := by[k.Symbol]
		if r == nil {
			r = &KernelReport{Name: cmp.Or(k.Name, unnamed), Symbol: k.Symbol}
			by[k.Symbol] = r
		}
		all += c.N
		r.Launches += c.N
		r.InCall += c.Took
		r.add(k, c.N)
	}
	for _, r := range by {
		r.Share = float64(r.Launches) / float64(all)
		r.Cost = time.Duration(float64(r.Launches) / float64(s.Warm()) * float64(price))
		r.InCall /= time.Duration(r.Launches)
		slices.SortStableFunc(r.Shapes, func(a, b Shape) int { return cmp.Compare(b.Launches, a.Launches) })
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b KernelReport) int {
		return cmp.Or(cmp.Compare(b.Launches, a.Launches), strings.Compare(a.Symbol, b.Symbol))
	})
	return list
}

// unnamed is a kernel of which the names file has no line, as after one that broke off.
const unnamed = "(a kernel whose name was not noted)"

// add counts launches in a shape: two functions of one symbol, as of a module that was
// loaded twice, share it.
func (r *KernelReport) add(k Kernel, n int64) {
	for i, s := range r.Shapes {
		if s.Grid == k.Grid && s.Block == k.Block && s.Shared == k.Shared {
			r.Shapes[i].Launches += n
			return
		}
	}
	r.Shapes = append(r.Shapes, Shape{k.Grid, k.Block, k.Shared, n})
}

// canonical gives each kernel the number of the first one with its symbol and shape.
func canonical(kernels map[uint32]Kernel) map[uint32]uint32 {
	first, same := map[Kernel]uint32{}, map[uint32]uint32{}
	for _, id := range slices.Sorted(maps.Keys(kernels)) {
		k := kernels[id]
		k.Function = ""
		if _, ok := first[k]; !ok {
			first[k] = id
		}
		same[id] = first[k]
	}
	return same
}
