package gates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	notes []string                  // what does not count where something is the first
	told  bool                      // known is all there is to know
}

const (
	// pageGreens is how many greens are looked at in one go: git is asked about all
	// their commits at once.
	pageGreens = 500
	// maxPages bounds how often; beyond, nobody knows what counts.
	maxPages = 40
)

// references says where we stand: on the base branch or not.
func (f *flow) references(ctx context.Context) *references {
	r := &references{lane: f.opt.Lane, known: make(map[string]bool), runs: make(map[string]history.Result)}
	if r.store, r.err = f.opt.History.Store(); r.err != nil {
		return r
	}
	if b := f.opt.Bundle; b != nil && b.Stands != nil && b.Stands.Base != (worktrees.Base{}) {
		r.stand(b.Stands)
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
	r.err = r.ask(ctx, []history.Point{{Commit: f.v.Bound.Commit}})
	r.here = r.known[f.v.Bound.Commit]
	return r
}

// stand takes from whoever made a bundle what no repository here can say.
func (r *references) stand(s *Standing) {
	r.base, r.here, r.told = s.Base, s.Here, true
	for _, c := range s.On {
		r.known[c] = true
	}
}

// ask learns which commits are of the base branch. What was committed there and
// taken back is none: nobody agreed on its numbers.
func (r *references) ask(ctx context.Context, list []history.Point) error {
	if r.told {
		return nil
	}
	var commits []string
	for _, p := range list {
		if _, asked := r.known[p.Commit]; !asked && r.base != (worktrees.Base{}) {
			commits = append(commits, p.Commit)
		}
	}
	on, err := worktrees.Among(ctx, r.lane, r.base.Commit, commits)
	if err != nil {
		return err
	}
	for _, c := range commits {
		r.known[c] = on[c]
	}
	return nil
}

// counts says whether a green is of the base branch.
func (r *references) counts(p history.Point) bool {
	return r.base == (worktrees.Base{}) || r.known[p.Commit]
}

// greens are those of a series since a time, or of all series of its metric, but
// for those of run.
func (r *references) greens(ctx context.Context, of history.Series, whole bool, since time.Time, run string) (greens, error) {
	g, err := r.pages(ctx, of, whole, since, run)
	if err != nil || g.best != nil && !whole {
		return g, err
	}
	g.unheld, err = r.store.Unheld(ctx, of, whole, history.Query{Since: since, Unclean: r.base == (worktrees.Base{})})
	if !since.IsZero() { // since has agreed on a new beginning
		g.unheld.Ahead, g.unheld.Aheads = nil, 0
	}
	return g, err
}

// pages looks at greens that are believed, the newest first, until there is one to
// be held against. One that was measured while others were at work serves only
// where there is no other.
func (r *references) pages(ctx context.Context, of history.Series, whole bool, since time.Time, run string) (g greens, err error) {
	q := history.Query{Since: since, Limit: pageGreens, Unclean: r.base == (worktrees.Base{}), Believed: true}
	page := r.store.Greens
	if whole {
		page = r.store.GreensOf
	}
	for range maxPages {
		list, err := page(ctx, of, q)
		if err == nil {
			err = r.ask(ctx, list)
		}
		if err != nil {
			return g, err
		}
		for _, p := range list {
			if p.Run == run {
				continue
			}
			if fit, err := r.fit(ctx, &g, p); err != nil || fit {
				return g, err
			}
		}
		if len(list) < pageGreens {
			return g, nil
		}
		q.Until = list[len(list)-1].Started
	}
	if g.best != nil {
		return g, nil
	}
	return g, fmt.Errorf("of its greens the last %d are all of other branches, and no more are looked at", maxPages*pageGreens)
}

// fit takes a green in, and says whether no better one can come.
func (r *references) fit(ctx context.Context, g *greens, p history.Point) (bool, error) {
	if !r.counts(p) {
		g.elsewhere = append(g.elsewhere, p)
		return false, nil
	}
	quiet := true
	if p.Marks {
		was, err := r.find(ctx, p.Run)
		if err != nil {
			return false, err
		}
		quiet = !disturbed(was)
	}
	if g.best == nil || quiet {
		g.best = &p
	}
	return quiet, nil
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

// newest is the newest run that some series were held against; the zero one where
// none was.
func (r *references) newest(ctx context.Context, list []metric.Against) (newest history.Result) {
	for _, a := range list {
		if was, err := r.find(ctx, a.Run); a.Run != "" && err == nil && was.Started.After(newest.Started) {
			newest = was
		}
	}
	return newest
}

// leftOut says what was passed over, for a mark.
func (r *references) leftOut() string {
	slices.Sort(r.notes)
	text := strings.Join(slices.Compact(r.notes), "; ")
	if text != "" {
		text = "; " + text
	}
	return text
}

// disturbed says whether a run carries a mark that others were at work.
func disturbed(was history.Result) bool {
	return slices.ContainsFunc(was.Marks, func(m string) bool {
		return strings.HasPrefix(m, "under pressure") || strings.HasPrefix(m, "links ran under pressure") || strings.HasPrefix(m, quietMark) ||
			strings.HasPrefix(m, throttledMark)
	})
}
