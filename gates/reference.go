package gates

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// references finds the runs that numbers are held against: for each series the
// last green of the base branch.
type references struct {
	store *history.Store
	lane  worktrees.Lane
	base  worktrees.Base            // the zero one outside of git: every run counts
	here  bool                      // this run is one of the base branch
	err   error                     // why there are none
	known map[string]bool           // commits that were asked about, and whether the base has them
	runs  map[string]history.Result // that were looked up: one has many series
}

// maxAsked bounds how many commits git is asked about, 2 ms each: where so many
// greens in a row are of other branches, the base branch's are long ago.
const maxAsked = 100

// within is the limit of a bar as the history gives it.
func (f *flow) within(ctx context.Context, b config.Bar) metric.Within {
	if b.Within == 0 {
		return metric.Within{}
	}
	if f.against == nil {
		f.against = f.references(ctx)
	}
	unit := ""
	if found := f.judge.collector.Found(b.Metric); found != nil {
		unit = found.High.Unit
	}
	return metric.Within{Share: b.Within, Higher: b.Better == config.BetterHigher, Of: func(labels string) (metric.Reference, metric.Standing) {
		return f.reference(ctx, b, history.Series{
			Gate: f.gate.Name, Metric: b.Metric, Labels: labels, Unit: unit, Backend: f.gate.Backend, Profile: f.gate.Profile,
		})
	}}
}

// references says where we stand: on the base branch or not.
func (f *flow) references(ctx context.Context) *references {
	r := &references{lane: f.opt.Lane, known: make(map[string]bool), runs: make(map[string]history.Result)}
	if r.store, r.err = f.opt.History.Store(); r.err != nil {
		return r
	}
	if f.opt.Lane.Root == "" {
		r.here = true
		return r
	}
	if f.v.Bound.Commit == "" {
		r.err = errors.New("which commit this is is not known")
		return r
	}
	if r.base, r.err = worktrees.BaseOf(ctx, f.opt.Lane, f.opt.Base); r.err != nil {
		return r
	}
	r.here, r.err = r.of(ctx, f.v.Bound.Commit)
	return r
}

// of says whether a commit is one of the base branch. What was committed there
// and taken back is none: nobody agreed on its numbers.
func (r *references) of(ctx context.Context, commit string) (bool, error) {
	if r.base == (worktrees.Base{}) {
		return true, nil
	}
	on, asked := r.known[commit]
	if asked || len(r.known) >= maxAsked {
		return on, nil
	}
	on, err := worktrees.Contains(ctx, r.lane, r.base.Commit, commit)
	if err == nil {
		r.known[commit] = on
	}
	return on, err
}

// reference is what a series is held against: the newest green of the base
// branch that is ours. One that was measured while others were at work serves
// only where there is no other.
func (f *flow) reference(ctx context.Context, b config.Bar, of history.Series) (metric.Reference, metric.Standing) {
	r := f.against
	if r.err != nil {
		return metric.Reference{Why: "there is nothing to hold it against: " + r.err.Error()}, metric.Missing
	}
	if b.Since.After(time.Now()) { // a wrong year would let everything pass
		f.next("give since a time that has come")
		return metric.Reference{Why: "since = " + b.Since.Format(time.RFC3339) + " is still to come, so that nothing can be held against anything"}, metric.Missing
	}
	greens, err := r.greens(ctx, of, b.Since)
	if err != nil {
		return metric.Reference{Why: "there is nothing to hold it against: " + err.Error()}, metric.Missing
	}
	var second *history.Point
	for _, p := range greens {
		if on, err := r.of(ctx, p.Commit); err != nil || !on || p.Run == f.v.Run || p.Started.After(time.Now()) {
			continue
		}
		was, err := r.find(ctx, p.Run)
		if err != nil || was.UID != os.Geteuid() { // anybody can put a line into a journal
			continue
		}
		if !disturbed(was) {
			return referenceOf(p), metric.Compared
		}
		if second == nil {
			second = &p
		}
	}
	if second != nil {
		return referenceOf(*second), metric.Compared
	}
	return f.unheld()
}

// find looks a run up, once.
func (r *references) find(ctx context.Context, run string) (history.Result, error) {
	was, found := r.runs[run]
	if found {
		return was, nil
	}
	was, err := r.store.Find(ctx, run)
	if err == nil {
		r.runs[run] = was
	}
	return was, err
}

func referenceOf(p history.Point) metric.Reference {
	return metric.Reference{Low: p.Low, High: p.High, Run: p.Run, Commit: p.Commit, Started: p.Started}
}

// disturbed says whether a run carries a mark that others were at work.
func disturbed(was history.Result) bool {
	return slices.ContainsFunc(was.Marks, func(m string) bool {
		return strings.HasPrefix(m, "under pressure") || strings.HasPrefix(m, "links ran under pressure") || strings.HasPrefix(m, quietMark)
	})
}

// maxGreens bounds how many greens of a series are looked through, of all
// branches and of the base branch by its name.
const maxGreens = 500

// greens are the candidates, the newest first.
func (r *references) greens(ctx context.Context, of history.Series, since time.Time) ([]history.Point, error) {
	if r.base == (worktrees.Base{}) {
		return r.plain(ctx, of, since)
	}
	list, err := r.store.Greens(ctx, of, history.Query{Since: since, Limit: maxGreens})
	if err != nil || len(list) < maxGreens {
		return list, err
	}
	named, err := r.store.Greens(ctx, of, history.Query{Since: since, Limit: maxGreens, Branch: r.base.Name})
	list = append(list, named...)
	slices.SortStableFunc(list, func(x, y history.Point) int { return y.Started.Compare(x.Started) })
	return list, err
}

// plain are the greens outside of git, where no result is of a commit.
func (r *references) plain(ctx context.Context, of history.Series, since time.Time) ([]history.Point, error) {
	courses, err := r.store.Course(ctx, history.Query{Gate: of.Gate, Since: since, Limit: maxGreens, Outcomes: []string{string(Green)}}, of.Metric, 0)
	for _, c := range courses {
		if c.Series == of {
			slices.Reverse(c.Points)
			return c.Points, err
		}
	}
	return nil, err
}

// unheld is what becomes of a series without a reference.
func (f *flow) unheld() (metric.Reference, metric.Standing) {
	switch r := f.against; {
	case f.v.Partial:
		return metric.Reference{}, metric.Passed
	case r.here && f.v.Bound.Changes == "":
		return metric.Reference{}, metric.First
	case r.here:
		f.next("commit first: only a clean run of " + r.base.Name + " can become the reference")
		return metric.Reference{Why: fmt.Sprintf("no green of %s has it, and this is none: there are uncommitted changes", r.base.Name)}, metric.Missing
	default:
		f.next(fmt.Sprintf("run it on %s first: gpuci gate %s there", r.base.Name, f.gate.Name))
		return metric.Reference{Why: fmt.Sprintf("no green of %s has it to be held against", r.base.Name)}, metric.Missing
	}
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
		f.mark("first: what later runs are held against: " + few(first))
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
		at := slices.IndexFunc(r.Held, func(a metric.Against) bool { return a.Run != "" })
		if at < 0 {
			continue
		}
		was, err := f.against.find(ctx, r.Held[at].Run)
		if err != nil {
			continue
		}
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
