package trace

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// stagesShown is how many a page has.
const stagesShown = 8

func stageTable(w io.Writer, ranked []*StageReport, g Page) {
	rows := []row{{"stage", "steps", "launches", "price", "x price", "measured", "share"}}
	for _, s := range ranked[:min(len(ranked), stagesShown)] {
		rows = append(rows, s.row())
	}
	width := g.width() - 58
	for i := range rows {
		rows[i][0] = fit(rows[i][0], max(12, width))
	}
	table(w, rows, "lrrrrrr")
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
	r := row{s.Label(), fmt.Sprint(s.Warm()), count, "-", "-", "-", "-"}
	if s.Apart > 0 {
		r[1] = fmt.Sprintf("%d of %d", s.Warm(), s.Steps)
	}
	if s.Price.Launch.N > 0 {
		r[3], r[4] = short(s.Price.Launch.Median), short(s.Price.Predicted.Median)
	}
	if s.Took.Median > 0 {
		r[5] = short(s.Took.Median)
	}
	if s.Price.Share > 0 {
		r[6] = percent(s.Price.Share)
	}
	return r
}

// legend says what the table's figures are, and how far they reach.
func (p *ProcessReport) legend(ranked []*StageReport) string {
	top := ranked[0]
	text := "launches and graph launches of a warm step: exact."
	if p.By == "line" {
		text = "launches and graph launches of a warm step: exact, but for what the program asks for while it writes the line that ends a step."
	}
	switch {
	case p.By == "process":
		text = "launches and graph launches: exact; of all that the process did, its beginning with it. NVTX ranges, or a pattern of the lines that end a step, tell steps apart."
	case top.Apart > 0:
		text += " The first steps are set apart."
	}
	if s := top.Price.Launch; s.N > 0 {
		of := ""
		if len(ranked) > 1 {
			of = "of " + top.Label() + " "
		}
		text += fmt.Sprintf(" Price: from one launch to the next, %s%s in eight of ten, %s of it in the call.", of, spanOf(s), short(top.Price.InCall.Median))
		if 2*top.Price.InCall.Median >= s.Median {
			text += " So much of it is the call that the program does little else, or the card's queue is full: then the price is the card's."
		}
	}
	if s := top.Took; s.N > 1 && s.Low < s.High {
		text += fmt.Sprintf(" Measured: %s in eight of ten steps.", spanOf(s))
	}
	if top.Took.N > 0 && !top.Whole {
		text += " Measured is on the host: what was launched may still run on the card."
	}
	return text + p.rest(top)
}

// rest says what of a step is not launches.
func (p *ProcessReport) rest(s *StageReport) string {
	switch {
	case s.Price.Share == 0:
		return ""
	case s.Price.Rest > 0:
		return fmt.Sprintf(" Beside its launches: %s.", short(s.Price.Rest))
	case s.Price.Predicted.Low > s.Price.Measured.Median && p.Launcher > 1:
		return fmt.Sprintf(" x price is more than it took: %d threads launch, at one time.", p.Launcher)
	case s.Price.Predicted.Low > s.Price.Measured.Median:
		return " x price is more than it took: most launches come faster than the median says."
	}
	return " The launches account for all of it, within the price's spread."
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
	for _, k := range s.Kernels[:min(len(s.Kernels), most)] {
		top := k.Shapes[0]
		name := k.Name
		in := shape(top.Grid, top.Block, top.Shared)
		if n := len(k.Shapes) - 1; n > 0 {
			in += fmt.Sprintf(" and %d more", n)
		}
		room := g.width() - 27 - utf8.RuneCountInString(in) - 2
		cost := "-"
		if s.Price.Launch.N > 0 {
			cost = short(k.Cost)
		}
		rows = append(rows, row{perStep(k.Launches, s.Warm()), cost, percent(k.Share), fit(name, max(20, room)) + "  " + in})
	}
	table(w, rows, "rrrl")
	if n := len(s.Kernels) - most; n > 0 {
		fmt.Fprintf(w, "  and %d more\n", n)
	}
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
		{n.Waits, "event wait"}, {n.Events, "event"}, {n.Allocs, "allocation"}, {n.Frees, "release"}, {n.Others, "other node"}} {
		if one.n > 0 {
			parts = append(parts, many(int64(one.n), one.noun))
		}
	}
	return strings.Join(parts, ", ")
}
