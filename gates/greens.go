package gates

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
)

// greens are what the history has of a series: the one to be held against, nil
// for none, and those that were passed over on the way to it.
type greens struct {
	best      *history.Point
	elsewhere []history.Point // of a commit that the base branch has not, or not any more
	unheld    history.Unheld  // those that are not believed
}

// uncounted is how many of ours there are that do not count. Those of others are
// not among them: nobody is to be held up by what somebody put into a journal.
func (g greens) uncounted() int { return len(g.elsewhere) + g.unheld.Aheads }

// why says which greens there are, and why none of them counts.
func (g greens) why(base string) string {
	var parts []string
	if n := len(g.elsewhere); n > 0 {
		parts = append(parts, fmt.Sprintf("%s of a commit that %s has not, or not any more (%s)", countOf(n, "is", "are"), base, named(g.elsewhere)))
	}
	if n := g.unheld.Aheads; n > 0 {
		parts = append(parts, fmt.Sprintf("%s dated in the future (%s)", countOf(n, "is", "are"), named(g.unheld.Ahead)))
	}
	return fmt.Sprintf("there are greens to be held against, and none of them counts: %s", strings.Join(parts, ", "))
}

// named are the first of some greens, by commit, branch and time.
func named(list []history.Point) string {
	var names []string
	for _, p := range list {
		name := fmt.Sprintf("%.10s", p.Commit)
		if p.Branch != "" {
			name += " on " + p.Branch
		}
		names = append(names, name+", "+p.Started.Local().Format("2006-01-02 15:04"))
	}
	return few(slices.Compact(names))
}

// novelty is what is new of a metric, held against its last green that counts,
// whatever the labels and the unit are.
type novelty struct {
	all         greens
	lost, fresh []string // series of that green that did not come, and new ones
	apart       string   // where there is none: by which settings the last one is of another series
}

// novelty looks at a metric as a whole.
func (f *flow) novelty(ctx context.Context, b config.Bar, of history.Series) (n novelty, err error) {
	r := f.against
	n.all, err = r.greens(ctx, of, true, b.Since, f.v.Run)
	if err != nil {
		return n, err
	}
	if others := n.all.unheld.Others; others > 0 { // anybody can put a line into a journal
		r.notes = append(r.notes, countOf(others, "green of another user does", "greens of other users do")+" not count")
	}
	if !b.Since.IsZero() && n.all.best == nil {
		early, err := r.store.GreensOf(ctx, of, history.Query{Until: b.Since, Limit: 1, Unclean: true, Believed: true})
		if err == nil && len(early) > 0 {
			r.notes = append(r.notes, "since leaves earlier greens of "+of.Metric+" out")
		}
	}
	if n.all.best == nil {
		if n.apart = f.apart(ctx, b); n.apart != "" {
			r.notes = append(r.notes, "the greens before are of another series ("+n.apart+")")
		}
		return n, nil
	}
	was, err := r.find(ctx, n.all.best.Run)
	if err != nil {
		return n, err
	}
	n.lost, n.fresh = f.renamed(was, of)
	return n, nil
}

// renamed are the series of a metric that a run had and this one has not, and the
// other way round.
func (f *flow) renamed(was history.Result, of history.Series) (lost, fresh []string) {
	name := func(labels, unit string) string {
		labels = cmp.Or(labels, "no label")
		switch {
		case unit == of.Unit:
			return labels
		case unit == "":
			return labels + " without a unit"
		}
		return labels + " in " + unit
	}
	var before, now []string
	for _, m := range was.Metrics {
		if m.Metric == of.Metric {
			before = append(before, name(m.Labels, m.Unit))
		}
	}
	for _, s := range f.judge.collector.Series(of.Metric) {
		now = append(now, name(s.Labels, of.Unit))
	}
	return beyond(before, now), beyond(now, before)
}

// since is the time after all greens there are, for a new beginning.
func (n novelty) since() string {
	var last time.Time
	list := slices.Clone(n.all.elsewhere)
	if n.all.best != nil {
		list = append(list, *n.all.best)
	}
	for _, p := range list {
		if p.Started.After(last) && !p.Started.After(time.Now()) {
			last = p.Started
		}
	}
	if last.IsZero() {
		last = time.Now().Add(-time.Second)
	}
	return last.Truncate(time.Second).Add(time.Second).UTC().Format(time.RFC3339)
}
