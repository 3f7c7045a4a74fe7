package gates

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// within is the limit of a bar as the history gives it.
func (f *flow) within(ctx context.Context, b config.Bar) metric.Within {
	if b.Within == 0 {
		return metric.Within{}
	}
	if f.against == nil {
		f.against = f.references(ctx)
	}
	all := sync.OnceValue(func() map[string]held { return f.hold(ctx, b) })
	return metric.Within{Share: b.Within, Higher: b.Better == config.BetterHigher, Of: func(labels string) (metric.Reference, metric.Standing) {
		h := all()[labels]
		return h.Reference, h.standing
	}}
}

// seriesOf is the series of a metric that has no labels and no unit.
func (f *flow) seriesOf(b config.Bar) history.Series {
	return history.Series{Gate: f.gate.Name, Metric: b.Metric, Backend: f.gate.Backend, Card: f.v.Bound.Card, Profile: f.gate.Profile}
}

// held is what one series is held against.
type held struct {
	metric.Reference
	standing metric.Standing
}

func missing(why string) held { return held{metric.Reference{Why: why}, metric.Missing} }

// hold finds for each series of a metric that was printed what it is held against.
func (f *flow) hold(ctx context.Context, b config.Bar) map[string]held {
	out := make(map[string]held)
	series := f.judge.collector.Series(b.Metric)
	every := func(h held) map[string]held {
		for _, s := range series {
			out[s.Labels] = h
		}
		return out
	}
	if f.against.err != nil {
		return every(missing("there is nothing to hold it against: " + f.against.err.Error()))
	}
	if b.Since.After(time.Now()) { // a wrong year would let everything pass
		f.next("give since a time that has come")
		return every(missing("since = " + b.Since.Format(time.RFC3339) + " is still to come, so that nothing can be held against anything"))
	}
	of := f.seriesOf(b)
	if found := f.judge.collector.Found(b.Metric); found != nil {
		of.Unit = found.High.Unit
	}
	unheld := make(map[string]greens)
	for _, s := range series {
		of.Labels = s.Labels
		g, err := f.against.greens(ctx, of, false, b.Since, f.v.Run)
		switch {
		case err != nil:
			return every(missing("there is nothing to hold it against: " + err.Error()))
		case g.best != nil:
			out[s.Labels] = held{referenceOf(*g.best), metric.Compared}
		default:
			unheld[s.Labels] = g
		}
	}
	if len(unheld) > 0 {
		f.unheld(ctx, b, of, unheld, out)
	}
	return out
}

// unheld says what becomes of the series without a reference.
func (f *flow) unheld(ctx context.Context, b config.Bar, of history.Series, series map[string]greens, out map[string]held) {
	n, err := f.novelty(ctx, b, of)
	for labels, g := range series {
		switch {
		case f.v.Partial:
			out[labels] = held{standing: metric.Passed}
		case err != nil:
			out[labels] = missing("there is nothing to hold it against: " + err.Error())
		default:
			out[labels] = f.verdictOf(b, g, n)
		}
	}
}

// verdictOf says what becomes of one of them. It is the first of its kind only
// where nothing is left behind by that: neither greens that do not count any more,
// as after an amend, nor series that came before and are now called otherwise.
func (f *flow) verdictOf(b config.Bar, g greens, n novelty) held {
	r := f.against
	switch {
	case len(n.lost) > 0 && b.Atlas != nil: // gpuci itself gives them, by what is asked for
		f.next("take that back, or agree on a new beginning: since = \"" + n.since() + "\" in the bar")
		return missing(fmt.Sprintf("gpuci.toml has something else counted (measure, kernel, stage, timeline) than the last green that counts (%.10s): %s → %s",
			cmp.Or(n.all.best.Commit, "no commit"), few(n.lost), few(n.fresh)))
	case len(n.lost) > 0:
		f.next("print what was printed before, or agree on a new beginning: since = \"" + n.since() + "\" in the bar")
		return missing(fmt.Sprintf("labels changed: %s → %s: the last green that counts (%.10s) has what did not come now, so that what is new may be the same by another name",
			few(n.lost), few(n.fresh), cmp.Or(n.all.best.Commit, "no commit")))
	case r.here && g.uncounted() > 0:
		f.next("agree on a new beginning: since = \"" + n.since() + "\" in the bar")
		return missing(g.why(r.base.Name))
	case r.here && n.all.best == nil && n.all.uncounted() > 0:
		f.next("agree on a new beginning: since = \"" + n.since() + "\" in the bar")
		return missing(n.all.why(r.base.Name))
	case r.here && f.v.Bound.Changes == "":
		return held{standing: metric.First}
	case f.onShared():
		return missing(f.noShared())
	case r.here:
		f.next("commit first: only a clean run of " + r.base.Name + " can become the reference")
		return missing(fmt.Sprintf("no green of %s has it%s, and this is none: there are uncommitted changes", r.base.Name, f.onCard()))
	}
	if n.apart != "" {
		f.next(fmt.Sprintf("take that back, or land the change without within (max and min hold it till then), run it on %s, and put within back", r.base.Name))
		return missing(fmt.Sprintf("no green of %s is of this series: %s: numbers of two of them are not compared", r.base.Name, n.apart))
	}
	f.next(fmt.Sprintf("run it on %s first: gpuci gate %s there%s", r.base.Name, f.gate.Name, f.onSuchACard()))
	return missing(fmt.Sprintf("no green of %s has it%s to be held against", r.base.Name, f.onCard()))
}

func referenceOf(p history.Point) metric.Reference {
	return metric.Reference{Low: p.Low, High: p.High, Run: p.Run, Commit: p.Commit, Started: p.Started}
}

// firsts marks what became a reference, and what could not be held against one.
func (f *flow) firsts() {
	var first, passed []string
	for _, r := range f.v.Bars {
		for _, a := range r.Held {
			name := r.Metric + ofSeries(a.Labels)
			switch a.Standing {
			case metric.First:
				first = append(first, name)
			case metric.Passed:
				passed = append(passed, name)
			}
		}
	}
	if len(first) > 0 {
		f.mark("first: what later runs" + f.onCard() + " are held against: " + few(first) + f.against.leftOut())
	}
	if len(passed) > 0 {
		f.mark("not held against anything by these arguments: " + few(passed))
	}
}

func ofSeries(labels string) string {
	if labels == "" {
		return ""
	}
	return " (" + labels + ")"
}

// gone marks series that the reference's run had and this one has not: a gate
// that stops printing a number is not held against it any more.
func (f *flow) gone(ctx context.Context) {
	if f.against == nil || f.against.err != nil || f.v.Partial {
		return
	}
	var missing []string
	for _, r := range f.v.Bars {
		was := f.against.newest(ctx, r.Held)
		for _, m := range was.Metrics {
			if m.Metric == r.Metric && !slices.ContainsFunc(r.Held, func(a metric.Against) bool { return a.Labels == m.Labels }) {
				missing = append(missing, strings.TrimSpace(m.Metric+ofSeries(m.Labels)))
			}
		}
	}
	if len(missing) > 0 {
		f.mark("not printed any more, though the last green of the base branch has it: " + few(missing))
	}
}
