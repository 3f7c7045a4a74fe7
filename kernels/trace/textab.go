package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Text writes it for people: what the switch did, what a step costs with and without
// graphs, what the two runs wrote, and the difference of their counts.
func (ab AB) Text(w io.Writer, g Page) error {
	b := bufio.NewWriter(w)
	say := func(text string) { fmt.Fprint(b, wrapped(text, "", "  ", g.width())) }
	say("A, with graphs: " + ab.A.text())
	say("B, with " + listed(ab.Switch) + ": " + ab.B.text())
	say(ab.effect())
	for i := range ab.Stages {
		ab.Stages[i].text(b, g)
	}
	ab.graphs(b, g)
	ab.wrote(b, g)
	fmt.Fprintln(b)
	if err := ab.Diff.Text(b, g); err != nil {
		return err
	}
	return b.Flush()
}

func (s ABSide) text() string {
	end := fmt.Sprintf("exit status %d", s.Code)
	if s.Signal != "" {
		end = "ended by " + s.Signal
	}
	if s.Why != "" {
		return "nothing was counted: " + s.Why + ", " + end
	}
	graphs := "no graph launch"
	if s.GraphLaunches > 0 {
		graphs = fmt.Sprintf("%s with %s", many(s.GraphLaunches, "graph launch"), many(s.GraphKernels, "kernel"))
	}
	return fmt.Sprintf("%s, %s, %s", many(s.Launches, "launch"), graphs, end)
}

func (ab AB) effect() string {
	switch ab.Effect {
	case NoEffect:
		return "the switch had no effect: B launches graphs as A does. --eager-env or --eager-arg names the program's own; a graph that a program captures by hand has none but that"
	case Nothing:
		return "B launches nothing at all: there is no comparison of what it costs"
	case Fewer:
		return "the switch took only a part of the graphs away: what follows compares a run of fewer graphs"
	}
	return "B launches no graph"
}

// text is what a step costs. Where no graph is launched in A it would compare a run with
// itself.
func (s *ABStage) text(w io.Writer, g Page) {
	if s.A.GraphLaunches.High == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%s, %s; a warm step:\n", cmp.Or(s.Command, "(a process without a name)"), s.label)
	rows := []row{{"    ", "A", "B"}}
	add := func(label, a, b string) { rows = append(rows, row{"    " + label, a, b}) }
	add("launches", ranged(Launches, s.A.Launches), ranged(Launches, s.B.Launches))
	add("graph launches", ranged(GraphLaunches, s.A.GraphLaunches), ranged(GraphLaunches, s.B.GraphLaunches))
	add("kernels in these", ranged(GraphKernels, s.A.GraphKernels), ranged(GraphKernels, s.B.GraphKernels))
	add("in calls that do not wait", short(s.A.InCalls), short(s.B.InCalls))
	add("launches x price", priced(s.A), priced(s.B))
	if s.Step.A.N > 0 && s.Step.B.N > 0 {
		add("took, on the host", between(s.Step.A), between(s.Step.B))
	}
	table(w, rows, "lrr")
	fmt.Fprint(w, wrapped(s.saved(), "    ", "    ", g.width()))
}

func priced(c ABCost) string {
	if c.Price.N == 0 {
		return "-"
	}
	return between(c.Predicted)
}

func (s *ABStage) saved() string {
	change := s.B.InCalls - s.A.InCalls
	text := fmt.Sprintf("graphs save %s of host time in calls, a step", short(change))
	switch {
	case change == 0:
		text = "calls take the host as long with graphs as without"
	case change < 0:
		text = fmt.Sprintf("with graphs the calls take %s longer, a step", short(-change))
	}
	switch t := s.Step; {
	case t.A.N == 0 || t.B.N == 0:
	case t.A.N == 1 || t.B.N == 1:
		text += "; of what it took there is one time alone: no spread to judge by"
	case t.Differs:
		text += fmt.Sprintf("; what it took differs, by the medians %s", plus(t.B.Median-t.A.Median))
	default:
		text += "; the spreads of what it took meet"
	}
	if s.Step.A.N > 0 && s.Step.B.N > 0 {
		text += ". On the host: what was launched may still run on the card"
	}
	return text
}

// graphs are the replays of A beside what their kernels cost one by one.
func (ab AB) graphs(w io.Writer, g Page) {
	if len(ab.Graphs) == 0 || ab.Effect == NoEffect {
		return
	}
	rows := []row{{"launches", "call", "kernels", "one by one in B", "graphs of A"}}
	const most = 6
	for _, one := range ab.Graphs[:min(len(ab.Graphs), most)] {
		alone := "-"
		if one.OneByOne > 0 {
			alone = short(one.OneByOne)
		}
		name := fmt.Sprintf("%d of %s", one.Number, cmp.Or(one.Command, "(a process without a name)"))
		rows = append(rows, row{fmt.Sprint(one.Replay.N), between(one.Replay), fmt.Sprint(one.Kernels), alone, name})
	}
	fmt.Fprintln(w)
	table(w, rows, "rrrrl")
	if n := len(ab.Graphs) - most; n > 0 {
		fmt.Fprintf(w, "  and %d more\n", n)
	}
	fmt.Fprint(w, wrapped("One by one: the graph's kernels x the median price of a launch in B; the call is a replay's host time.", "  ", "  ", g.width()))
}

// wrote is what the runs wrote: evidence, as a time in it is another in each run.
func (ab AB) wrote(w io.Writer, g Page) {
	if ab.Output == nil && len(ab.Files) == 0 {
		return
	}
	fmt.Fprintln(w)
	if ab.Output != nil {
		ab.Output.text(w, g)
	}
	files := slices.Clone(ab.Files)
	slices.SortStableFunc(files, func(x, y FileAB) int { return cmp.Compare(x.rank(), y.rank()) })
	for _, f := range files {
		fmt.Fprint(w, wrapped(f.text(), "", "  ", g.width()))
	}
}

func (l *LinesAB) text(w io.Writer, g Page) {
	cut := ""
	if l.Cut {
		cut = ", as far as it was held"
	}
	if l.Same() {
		fmt.Fprintf(w, "stdout%s: the same %s\n", cut, many(l.A, "line"))
		return
	}
	text := fmt.Sprintf("stdout%s: %s in A, %d in B; of those that both have %d differ, %d of them in numbers alone", cut, many(l.A, "line"), l.B, l.Differ, l.Numbers)
	if l.A == l.B {
		text = fmt.Sprintf("stdout%s: %d of %s differ, %d of them in numbers alone", cut, l.Differ, many(l.A, "line"), l.Numbers)
	}
	fmt.Fprint(w, wrapped(text, "", "  ", g.width()))
	for _, p := range l.First {
		at := fmt.Sprintf("  %d ", p.Line)
		fmt.Fprintf(w, "%sA %s\n%sB %s\n", at, fit(p.A, g.width()-len(at)-2), strings.Repeat(" ", len(at)), fit(p.B, g.width()-len(at)-2))
	}
}

// rank has those that differ before those that were not compared, and the same last.
func (f FileAB) rank() int {
	switch {
	case f.Why != "":
		return 1
	case f.Same:
		return 2
	}
	return 0
}

func (f FileAB) text() string {
	switch {
	case f.Why != "":
		return fmt.Sprintf("%s: not compared: %s", f.Path, f.Why)
	case f.Same:
		return fmt.Sprintf("%s: the same bytes, %s", f.Path, size(f.BytesA))
	case f.BytesA != f.BytesB:
		return fmt.Sprintf("%s: it differs: %s in A, %s in B; from byte %d on, %d bytes of those that both have", f.Path, size(f.BytesA), size(f.BytesB), f.First, f.Differ)
	}
	return fmt.Sprintf("%s: it differs: %d of %d bytes, the first is byte %d", f.Path, f.Differ, f.BytesA, f.First)
}
