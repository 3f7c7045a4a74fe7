package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// moreShown is how many rows a table has that is not about a stage's kernels.
const moreShown = 6

// captured are the kernels that were captured, and in how many graphs each is.
func (p *ProcessReport) captured(w io.Writer, g Page) {
	list := p.Capture.Kernels
	if len(list) == 0 {
		return
	}
	followed := slices.ContainsFunc(list, func(k CapturedKernel) bool { return k.Ready > 0 })
	rows, sides, beside := []row{{"captured", "graphs", "eager", "kernels that were captured"}}, "rrrl", 38
	if followed {
		rows, sides, beside = []row{{"captured", "graphs", "ready", "replays", "run", "eager", "kernels that were captured"}}, "rrrrrrl", 60
	}
	shown := list[:min(len(list), cmp.Or(g.Kernels, moreShown))]
	var names []called
	for _, k := range shown {
		names = append(names, called{k.Name, k.Symbol})
	}
	for i, name := range fitApart(names, func(int) int { return g.width() - beside }) {
		k := shown[i]
		if k.Handles > 1 {
			name += fmt.Sprintf(", %d handles", k.Handles)
		}
		r := row{fmt.Sprint(k.Captured), fmt.Sprint(k.Captures), fmt.Sprint(k.Ready), fmt.Sprint(k.Replays), nodesRun(k), fmt.Sprint(k.Eager), name}
		if !followed {
			r = slices.Delete(r, 2, 5)
		}
		rows = append(rows, r)
	}
	fmt.Fprintln(w)
	table(w, rows, sides)
	if n := len(list) - len(shown); n > 0 {
		fmt.Fprintf(w, "  and %d more\n", n)
	}
	text := "Captured: launches into captures. Graphs: captures it is in, each makes one."
	if followed {
		text += " Ready: graphs with it that were made ready. Replays: launches of these. Run: its nodes x launches of graphs, where these are known by kernel."
	}
	fmt.Fprint(w, wrapped(text+" Eager: launches outside of captures.", "  ", "  ", g.width()))
}

func nodesRun(k CapturedKernel) string {
	if k.InGraphs == 0 && k.Replays > 0 {
		return "-"
	}
	return fmt.Sprint(k.InGraphs)
}

// unlaunched are the graphs that nobody launched.
func (p *ProcessReport) unlaunched(w io.Writer, g Page) {
	if len(p.Idle) == 0 {
		return
	}
	var list []string
	for _, one := range p.Idle[:min(len(p.Idle), moreShown)] {
		list = append(list, fmt.Sprintf("%d: %s", one.Number, cmp.Or(one.Nodes.text(), "no node")))
	}
	if n := len(p.Idle) - len(list); n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	if len(p.Graphs) == 0 {
		fmt.Fprintln(w)
	}
	text := many(int64(len(p.Idle)), "graph") + " made ready and never launched: "
	for i, one := range list {
		if i > 0 {
			text += "; "
		}
		text += one
	}
	fmt.Fprint(w, wrapped(text, "  ", "  ", g.width()))
}

// keptBytes is how much was never released.
func (p *ProcessReport) keptBytes() (bytes int64, some bool) {
	for _, k := range p.Kept {
		bytes += k.Bytes
	}
	return bytes, len(p.Kept) > 0
}

// unreleased is the memory that nobody gave back.
func (p *ProcessReport) unreleased(w io.Writer, g Page) {
	if len(p.Kept) == 0 {
		return
	}
	rows := []row{{"bytes", "allocations", "of each", "never released, by stage and call"}}
	if !p.Clean {
		rows[0][3] = "not released until then, by stage and call"
	}
	labels := map[string]string{Outside: "(outside)"}
	for i := range p.Stages {
		labels[p.Stages[i].Name] = p.Stages[i].Label()
	}
	for _, k := range p.Kept[:min(len(p.Kept), moreShown)] {
		where := cmp.Or(labels[k.Stage], k.Stage)
		if k.Steps > 1 {
			where += fmt.Sprintf(", in %d steps", k.Steps)
		}
		rows = append(rows, row{size(k.Bytes), fmt.Sprint(k.N), size(k.Each), fit(where+", "+k.Call, max(20, g.width()-40))})
	}
	fmt.Fprintln(w)
	table(w, rows, "rrrl")
	if n := len(p.Kept) - moreShown; n > 0 {
		fmt.Fprintf(w, "  and %d more, with --json\n", n)
	}
}
