package trace

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// GraphRuns is a graph that was launched, and how. Its times are those of the calls, not
// of the card.
type GraphRuns struct {
	Number  uint32        `json:"number"` // of the names file; 0: it was made ready before we looked
	Nodes   Nodes         `json:"nodes"`
	Kernels []GraphKernel `json:"kernels,omitempty"` // none: not known by name
	Times   Spread        `json:"replay"`
	Device  *DeviceTime   `json:"device,omitempty"` // what it took of the card, from its first node to its last
	Unsure  int64         `json:"unsure,omitempty"` // launches of which it is not known how many of its nodes ran
	Slow    int64         `json:"slow,omitempty"`   // replays that took Stalled times the median, and more
	Slowest []Replay      `json:"slowest,omitempty"`
}

// Replay is one launch of a graph: the how manieth, from 1.
type Replay struct {
	Ordinal int64         `json:"ordinal"`
	At      time.Duration `json:"at-ns"` // since the process began
	Took    time.Duration `json:"took-ns"`
}

// replaysMax is how many of the slowest are named.
const replaysMax = 8

// graphs counts replays.
type graphs struct{ by map[uint32]*replays }

type replays struct {
	n       int64
	unsure  int64
	took    tally
	slowest []Replay // the slowest first
}

func newGraphs() *graphs { return &graphs{map[uint32]*replays{}} }

func (g *graphs) take(e *Event, unsure bool) {
	r := g.by[e.Name]
	if r == nil {
		r = &replays{}
		g.by[e.Name] = r
	}
	r.n++
	r.unsure += int64(count(unsure))
	r.took.add(rounded(int64(e.Took)))
	if len(r.slowest) == replaysMax && e.Took <= r.slowest[replaysMax-1].Took {
		return
	}
	at, _ := slices.BinarySearchFunc(r.slowest, e.Took, func(r Replay, took time.Duration) int {
		return cmp.Or(cmp.Compare(took, r.Took), -1) // of two that took as long the first one is before
	})
	r.slowest = slices.Insert(r.slowest, at, Replay{r.n, e.At, e.Took})
	r.slowest = r.slowest[:min(len(r.slowest), replaysMax)]
}

// IdleGraph is one that was made ready and never launched.
type IdleGraph struct {
	Number uint32 `json:"number"`
	Nodes  Nodes  `json:"nodes"`
}

// idle are those that nobody launched.
func (g *graphs) idle(n *Names) (list []IdleGraph) {
	for _, id := range slices.Sorted(maps.Keys(n.Graphs)) {
		if g.by[id] == nil && n.Graphs[id].Exec != noHandle {
			list = append(list, IdleGraph{id, n.Graphs[id].Nodes})
		}
	}
	return list
}

// unsureLaunches are those of graphs of which it is not known how many nodes ran.
func (p *ProcessReport) unsureLaunches() (n int64) {
	for _, g := range p.Graphs {
		n += g.Unsure
	}
	return n
}

// noHandle is that of a graph that could not be made ready, as C prints it.
const noHandle = "(nil)"

// runs gives them, those that took longest together first.
func (g *graphs) runs(n *Names) (list []GraphRuns) {
	totals := map[uint32]int64{}
	for id, r := range g.by {
		one := GraphRuns{Number: id, Nodes: n.Graphs[id].Nodes, Times: r.took.spread(), Unsure: r.unsure}
		limit := Stalled * one.Times.Median
		one.Slow = r.took.above(int64(limit))
		for _, slow := range r.slowest {
			if slow.Took > limit {
				one.Slowest = append(one.Slowest, slow)
			}
		}
		totals[id] = r.took.sum.Total
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b GraphRuns) int {
		return cmp.Or(cmp.Compare(totals[b.Number], totals[a.Number]), cmp.Compare(a.Number, b.Number))
	})
	return list
}
