package trace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// stagesShown is how many a page has.
const stagesShown = 8

func stageTable(w io.Writer, ranked []*StageReport, g Page) {
	rows := []row{{"stage", "steps", "launches", "price", "predicted", "measured", "rest", "share"}}
	for _, s := range ranked[:min(len(ranked), stagesShown)] {
		rows = append(rows, s.row())
	}
	width := g.width() - 68
	for i := range rows {
		rows[i][0] = fit(rows[i][0], max(12, width))
	}
	table(w, rows, "lrrrrrrr")
	if n := len(ranked) - stagesShown; n > 0 {
		fmt.Fprintf(w, "and %d more stages that cost less, with --json\n", n)
	}
}

// row is a stage by what its launches cost: figures of one warm step.
func (s *StageReport) row() row {
	launches := s.Counts[Launches]
	launches.Low += s.Counts[GraphLaunches].Low
	launches.High += s.Counts[GraphLaunches].High
	count := fmt.Sprint(launches.Low)
	if !launches.Same() {
		count += fmt.Sprintf("..%d", launches.High)
	}
	r := row{s.Label(), fmt.Sprint(s.Warm()), count, "-", "-", "-", "-", "-"}
	switch {
	case s.once():
		r[1] = "-"
	case s.Apart > 0:
		r[1] = fmt.Sprintf("%d of %d", s.Warm(), s.Steps)
	}
	if s.Price.Launch.N > 0 {
		r[3], r[4] = short(s.Price.Launch.Median), short(s.Price.Predicted.Median)
	}
	if s.Took.Median > 0 {
		r[5] = short(s.Took.Median)
	}
	if s.Price.Share > 0 {
		r[6], r[7] = short(s.Price.Rest), percent(s.Price.Share)
	}
	return r
}

func spanOf(s Spread) string { return short(s.Low) + ".." + short(s.High) }

// kernels are those of the stages by launches x price: more of the first.
func (p *ProcessReport) kernels(w io.Writer, ranked []*StageReport, g Page) {
	for i, s := range ranked[:min(len(ranked), 3)] {
		most := 3
		if i == 0 {
			most = 8
		}
		if g.Kernels > 0 {
			most = g.Kernels
		}
		if len(s.Kernels) == 0 || i > 0 && s.Name == Outside && g.Kernels == 0 {
			continue
		}
		fmt.Fprintln(w)
		s.kernels(w, most, g)
		fmt.Fprint(w, wrapped(s.beside(), "  besides: ", "  ", g.width()))
	}
}

func (s *StageReport) kernels(w io.Writer, most int, g Page) {
	rows := []row{{"launches", "cost", "share", "kernels of " + s.Label() + ", by launches x price"}}
	shown := s.Kernels[:min(len(s.Kernels), most)]
	columns := "rrrl"
	if len(s.Device) > 0 {
		columns, rows[0] = "rrrrl", slices.Insert(rows[0], 2, "on card")
		g.Width = g.width() - 10
	}
	names := kernelNames(shown, g)
	for i, k := range shown {
		cost := "-"
		if s.Price.Launch.N > 0 {
			cost = short(k.Cost)
		}
		r := row{perStep(k.Launches, s.Warm()), cost, percent(k.Share), names[i] + "  " + k.in()}
		if len(s.Device) > 0 {
			r = slices.Insert(r, 2, k.onCard(s.Warm()))
		}
		rows = append(rows, r)
	}
	table(w, rows, columns)
	if n := len(s.Kernels) - most; n > 0 {
		fmt.Fprintf(w, "  and %d more\n", n)
	}
}

// in is the shape that a kernel was launched in most.
func (k *KernelReport) in() string {
	top := k.Shapes[0]
	text := shape(top.Grid, top.Block, top.Shared)
	if n := len(k.Shapes) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// kernelNames are cut so that each has its shape beside it.
func kernelNames(list []KernelReport, g Page) []string {
	var names []called
	for _, k := range list {
		names = append(names, called{k.Name, k.Symbol})
	}
	return fitApart(names, func(i int) int { return max(20, g.width()-27-utf8.RuneCountInString(list[i].in())-2) })
}

// beside is what a warm step asks for beside launches.
func (s *StageReport) beside() string {
	var parts []string
	for q := GraphLaunches; q < HostNS; q++ {
		if e, ok := s.Counts[q]; ok {
			parts = append(parts, q.label()+" "+ranged(q, e))
		}
	}
	if e, ok := s.Counts[HostNS]; ok {
		parts = append(parts, HostNS.label()+" "+ranged(HostNS, e))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// graphs are those that were launched.
func (p *ProcessReport) graphs(w io.Writer, g Page) {
	if len(p.Graphs) == 0 {
		return
	}
	rows := []row{{"launches", "call", "nodes", "graphs, by time in the call"}}
	for _, one := range p.Graphs[:min(len(p.Graphs), 4)] {
		name := fmt.Sprintf("%d: %s", one.Number, one.Nodes.text())
		if one.Number == 0 {
			name = "made ready before the recording began"
		}
		rows = append(rows, row{fmt.Sprint(one.Times.N), short(one.Times.Median), fmt.Sprint(one.Nodes.All()), fit(name, g.width()-32)})
		if text := one.kernelsText(g.width() - 34); text != "" {
			rows = append(rows, row{"", "", "", "  " + text})
		}
	}
	fmt.Fprintln(w)
	table(w, rows, "rrrl")
	if n := len(p.Graphs) - 4; n > 0 {
		fmt.Fprintf(w, "  and %d more\n", n)
	}
}

func (n Nodes) text() string {
	var parts []string
	for _, one := range []struct {
		n    int
		noun string
	}{{n.Kernels, "kernel"}, {n.Copies, "copy node"}, {n.Sets, "memset"}, {n.Hosts, "host call"}, {n.Children, "child graph"}, {n.Empty, "empty node"},
		{n.Waits, "event wait"}, {n.Events, "event"}, {n.Allocs, "allocation"}, {n.Frees, "release"}, {n.Conditionals, "conditional node"}, {n.Others, "other node"}} {
		if one.n > 0 {
			parts = append(parts, many(int64(one.n), one.noun))
		}
	}
	return strings.Join(parts, ", ")
}
