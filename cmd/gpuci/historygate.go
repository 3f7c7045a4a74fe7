package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
)

// maxDrawn bounds how many series are drawn: a label with many values makes one
// of each.
const maxDrawn = 40

// gatePast is all that `gpuci history GATE` tells.
type gatePast struct {
	past
	gate    string
	counts  map[string]int
	courses []history.Course
	results []history.Result
	latest  []latestLine // of this lane, or of those asked for
}

// gateHistory shows one gate.
func (a *app) gateHistory(ctx context.Context, p past, gate string) error {
	g := gatePast{past: p, gate: gate, counts: make(map[string]int)}
	if err := g.read(ctx); err != nil {
		return err
	}
	if _, there := p.cfg.Gate(gate); !there && len(g.results) == 0 {
		return noGate(p.cfg, gate)
	}
	if g.flags.metric != "" && len(g.courses) == 0 {
		return coded{gates.ExitNothing, fmt.Sprintf("gate %s has no metric %q", gate, g.flags.metric), nearHint(g.flags.metric, g.metrics(ctx), "gpuci history "+gate+" shows which there are")}
	}
	show := a.gateText
	if p.flags.json {
		show = a.gateJSON
	}
	if err := show(g); err != nil {
		return err
	}
	return a.aside(ctx, p, gate)
}

// metrics are the names of all the numbers that the gate has printed.
func (g *gatePast) metrics(ctx context.Context) (names []string) {
	q := g.query(g.gate, "")
	q.Limit = 1
	courses, _ := g.store.Course(ctx, q, "", maxDrawn) // where it cannot be read, nothing is near
	for _, c := range courses {
		if !slices.Contains(names, c.Series.Metric) {
			names = append(names, c.Series.Metric)
		}
	}
	return names
}

func (g *gatePast) read(ctx context.Context) error {
	lanes, err := g.lanes(ctx, nil)
	if err != nil {
		return err
	}
	for _, lane := range lanes {
		q := g.query(g.gate, lane)
		counts, err := g.store.Count(ctx, q)
		if err != nil {
			return unread(err)
		}
		for outcome, n := range counts {
			g.counts[outcome] += n
		}
		q.Limit = g.flags.limit
		for r, err := range g.store.Results(ctx, q) {
			if err != nil {
				return unread(err)
			}
			g.results = append(g.results, r)
		}
		q.Limit = maxPoints
		courses, err := g.store.Course(ctx, q, g.flags.metric, maxDrawn)
		if err != nil {
			return unread(err)
		}
		g.courses = join(g.courses, courses)
	}
	slices.SortStableFunc(g.results, func(x, y history.Result) int { return y.Started.Compare(x.Started) })
	g.results = g.results[:min(len(g.results), g.flags.limit)]
	return g.last(ctx)
}

// join puts the courses of lanes together, series by series.
func join(all, more []history.Course) []history.Course {
	for _, c := range more {
		i := slices.IndexFunc(all, func(x history.Course) bool { return x.Series == c.Series })
		if i < 0 {
			all = append(all, c)
			continue
		}
		all[i].Points = append(all[i].Points, c.Points...)
		slices.SortStableFunc(all[i].Points, func(x, y history.Point) int { return x.Started.Compare(y.Started) })
	}
	return all
}

// last is the last outcome of the lane we stand in.
func (g *gatePast) last(ctx context.Context) error {
	list, err := g.store.Latest(ctx)
	if err != nil {
		return unread(err)
	}
	list = slices.DeleteFunc(list, func(r history.Result) bool { return r.Gate != g.gate || r.Lane != g.lane.Name })
	g.latest = g.past.latest(ctx, list)
	return nil
}

func (a *app) gateText(g gatePast) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", printable(g.gate), countsText(g.counts))
	for _, l := range g.latest {
		if len(g.flags.lanes) > 0 && !slices.Contains(g.flags.lanes, l.Lane) {
			continue
		}
		fmt.Fprintf(&b, "last in this lane: %s", strings.Join(nonempty(l.Outcome, commitText(l.Result), agoText(time.Since(l.Started)), l.note()), ", "))
		b.WriteString("\n")
	}
	for _, c := range g.courses {
		b.WriteString("\n" + courseText(c, g.better(c.Metric)))
	}
	if len(g.courses) == maxDrawn {
		fmt.Fprintf(&b, "\nmore series than %d: --metric M, or --json, shows the others\n", maxDrawn)
	}
	if _, err := fmt.Fprint(a.out, b.String()); err != nil {
		return err
	}
	return a.resultsText(g)
}

// better is the way a metric improves, as its bar says; "" where nothing does.
func (g gatePast) better(metric string) string {
	gate, ok := g.cfg.Gate(g.gate)
	if !ok {
		return ""
	}
	for _, b := range gate.Bars {
		if b.Metric != metric {
			continue
		}
		switch {
		case b.Better != "":
			return b.Better
		case b.Max != nil && b.Min == nil:
			return config.BetterLower
		case b.Min != nil && b.Max == nil:
			return config.BetterHigher
		}
	}
	return ""
}

func nonempty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

func countsText(counts map[string]int) string {
	total := 0
	var words []string
	outcomes := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	for _, outcome := range outcomes {
		total += counts[outcome]
		words = append(words, fmt.Sprintf("%d %s", counts[outcome], outcome))
	}
	if total == 0 {
		return "no results yet"
	}
	return fmt.Sprintf("%s: %s", count(total, "result", "results"), strings.Join(words, ", "))
}

func (a *app) resultsText(g gatePast) error {
	if len(g.results) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w)
	for _, r := range g.results {
		word := r.Outcome
		if r.Partial {
			word = "partial " + word
		}
		fmt.Fprintln(w, strings.Join(nonempty(r.Started.Local().Format("2006-01-02 15:04"), word, printable(orNone(r.Lane)), commitText(r), buildlock.Round(seconds(r.Seconds)).String(), g.doubt(r), reason(r)), "\t"))
	}
	return w.Flush()
}

// reason is the first thing to know of a result, and how many more there are of its
// kind.
func reason(r history.Result) string {
	text, more := "", ""
	switch {
	case len(r.Findings) > 0:
		text = r.Findings[0].Text
		if n := len(r.Findings) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
	case len(r.Marks) > 0:
		text = "mark: " + r.Marks[0]
		if n := len(r.Marks) - 1; n > 0 {
			more = fmt.Sprintf(" (and %s)", count(n, "more mark", "more marks"))
		}
	}
	const most = 80
	if text = printable(strings.ReplaceAll(text, "\n", "; ")); len([]rune(text)) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text + more
}
