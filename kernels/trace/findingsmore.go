package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// kept is memory that came step by step and stayed.
func kept(p *ProcessReport) (list []Finding) {
	for _, k := range p.Kept {
		if k.Steps < 2 || k.Stage == Outside {
			continue
		}
		list = append(list, Finding{Kind: "kept", Stage: k.Stage, rank: 1, Text: fmt.Sprintf(
			"%s: %s of %s by %s in %d steps %s never released: %s", k.Stage, many(k.N, "allocation"), size(k.Each), k.Call, k.Steps, wasWere(k.N), size(k.Bytes))})
	}
	return list
}

func wasWere(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// unsure are graphs of which it is not known how many of their nodes ran.
func unsure(p *ProcessReport) (list []Finding) {
	for _, g := range p.Graphs {
		if g.Unsure == 0 {
			continue
		}
		why := "nodes of it were switched off or on"
		if g.Nodes.Conditionals > 0 {
			why = many(int64(g.Nodes.Conditionals), "node") + " of it are conditional"
			if g.Nodes.Conditionals == 1 {
				why = "1 node of it is conditional"
			}
		}
		list = append(list, Finding{Kind: "unsure-nodes", rank: 1, ofProcess: true, Text: fmt.Sprintf(
			"graph %d: %s, and how many ran in %d of its %d launches is not known: kernels in graphs, which counts all %d, is not exact", g.Number, why, g.Unsure, g.Times.N, g.Nodes.Kernels)})
	}
	return list
}

// replayed are graphs that now and then took long to launch.
func replayed(p *ProcessReport) (list []Finding) {
	for _, g := range p.Graphs {
		if len(g.Slowest) == 0 {
			continue
		}
		var which []string
		for _, r := range g.Slowest {
			which = append(which, fmt.Sprintf("the %s %s", ordinal(r.Ordinal), short(r.Took)))
		}
		list = append(list, Finding{Kind: "slow-replay", rank: 3, ofProcess: true, Text: fmt.Sprintf(
			"graph %d (%s): %d of %d launches took %d times the median of %s and more: %s",
			g.Number, many(int64(g.Nodes.Kernels), "kernel node"), g.Slow, g.Times.N, Stalled, short(g.Times.Median), listed(which))})
	}
	return list
}

func ordinal(n int64) string {
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			return fmt.Sprintf("%dst", n)
		case 2:
			return fmt.Sprintf("%dnd", n)
		case 3:
			return fmt.Sprintf("%drd", n)
		}
	}
	return fmt.Sprintf("%dth", n)
}

// audited is what was seen while streams were captured.
func audited(p *ProcessReport) (list []Finding) {
	add := func(kind, text string, values ...any) {
		list = append(list, Finding{Kind: kind, Text: fmt.Sprintf(text, values...), rank: 3, ofProcess: true})
	}
	a := p.Capture
	if a.Broken > 0 {
		add("broken-capture", "%d of %s ended with an error", a.Broken, many(a.Captures, "capture"))
	}
	for _, d := range a.During {
		whose := "by another thread than the one that captures"
		if d.Own {
			whose = "by the thread that captures"
		}
		failed := ""
		if d.Failed > 0 {
			failed = fmt.Sprintf(", %d of them with an error", d.Failed)
		}
		add("while-captured", "while a stream was captured: %s (%s) %s, %s%s", d.Call, d.What, many(d.N, "time"), whose, failed)
	}
	if len(a.Mixed) > 0 {
		var shown []called
		for _, m := range a.Mixed[:min(len(a.Mixed), 3)] {
			shown = append(shown, called{m.Name, m.Symbol})
		}
		names := fitApart(shown, func(int) int { return 48 })
		for i, m := range a.Mixed[:len(names)] {
			names[i] += fmt.Sprintf(" (%d captured, %d launched)", m.Captured, m.Eager)
		}
		if n := len(a.Mixed) - len(names); n > 0 {
			names = append(names, fmt.Sprintf("and %d more", n))
		}
		add("also-eager", "%s captured into graphs and launched outside of captures as well: %s", kernelsAre(len(a.Mixed)), strings.Join(names, ", "))
	}
	return list
}

func kernelsAre(n int) string {
	if n == 1 {
		return "1 kernel is"
	}
	return fmt.Sprintf("%d kernels are", n)
}

// nested is where the ranges that are steps lie in another one.
func nested(p *ProcessReport) (list []Finding) {
	if p.By != "range" || slices.ContainsFunc(p.Stages, func(s StageReport) bool { return s.Name != Outside && s.Steps > 1 }) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.Inner)) {
		if n := p.Inner[name]; n > 1 {
			list = append(list, Finding{Kind: "nested-range", Stage: name, rank: 3, Text: fmt.Sprintf(
				"the range %q lies in another one, and came %d times: to have it as the step, count by it", name, n)})
		}
	}
	return list[:min(len(list), 3)]
}
