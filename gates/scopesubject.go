package gates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

const (
	// siblingTime is how long the other gates of a subject are looked at for.
	siblingTime = 5 * time.Second
	// siblingRuns is how many runs of a gate are looked through for one that is
	// believed.
	siblingRuns = 20
)

// sibling is another gate of the same subject, with what it last came to in this
// lane where that is of the very tree that is judged here.
type sibling struct {
	gate config.Gate
	last history.Result
}

// siblingsOf are the other gates of a subject that have an outcome of a tree.
func siblingsOf(ctx context.Context, store *history.Store, cfg *config.Config, g config.Gate, lane, tree string) (out []sibling, err error) {
	for _, other := range cfg.Gates {
		if g.Subject == "" || other.Subject != g.Subject || other.Name == g.Name || tree == "" {
			continue
		}
		last, err := lastOf(ctx, store, other.Name, lane)
		if err != nil {
			return out, err
		}
		if last.Tree == tree && last.Config == hashOf(other) {
			out = append(out, sibling{other, last})
		}
	}
	return out, nil
}

// lastOf is the last outcome of a gate in a lane that is believed; the zero one
// where there is none.
func lastOf(ctx context.Context, store *history.Store, gate, lane string) (history.Result, error) {
	for r, err := range store.Results(ctx, history.Query{Gate: gate, Lane: lane, Limit: siblingRuns}) {
		if err != nil {
			return history.Result{}, err
		}
		if store.Believes(r.UID, r.Started) && !store.Ahead(r.Started) {
			return r, nil
		}
	}
	return history.Result{}, nil
}

// elsewhere closes gaps by what other gates of the subject cover: those whose last
// outcome is green, stands, and is of the same tree.
func (f *flow) elsewhere() {
	if f.gate.Subject == "" || f.opt.Workspace == nil || f.draft == nil || f.v.Partial || f.opt.Trial != "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), siblingTime)
	defer cancel()
	store, err := f.opt.History.Store()
	if err == nil {
		defer store.Rest()
		f.siblings, err = siblingsOf(ctx, store, f.opt.Workspace, f.gate, f.opt.lane(), f.draft().Tree)
	}
	if err != nil {
		f.opt.detail("the other gates of %s are not looked at: %v", f.gate.Subject, err)
		return
	}
	here := f.opt.Lane
	if f.opt.As.Lane != "" { // a scratch lane has but what its tree has
		here = worktrees.Lane{}
	}
	closeGaps(ctx, f.opt.Workspace, here, f.siblings, f.v.Scope)
}

// closeGaps takes up in axes what siblings cover of their gaps. Whether an outcome
// stands is asked only where it would close one: that reads the lane. In no lane it
// is the tree alone that says so.
func closeGaps(ctx context.Context, cfg *config.Config, here worktrees.Lane, list []sibling, axes []AxisScope) {
	for _, s := range list {
		stands := s.last.Outcome == string(Green)
		asked := here.Root == ""
		for i := range axes {
			a := &axes[i]
			for _, place := range a.Left() {
				if !stands || !slices.Contains(s.covers(a.Axis), place) {
					continue
				}
				if !asked {
					asked = true
					stale := Staleness(ctx, cfg, here, []history.Result{s.last})[0]
					stands = stale == Stale{}
				}
				if stands {
					a.Elsewhere = append(a.Elsewhere, Cover{place, s.gate.Name, s.last.Run})
				}
			}
			a.measure()
		}
	}
}

// covers are the places that a sibling covers on an axis: as its run showed, else
// as it claims.
func (s sibling) covers(axis string) []string {
	for _, a := range s.last.Scope {
		if a.Axis == axis {
			return a.Covered
		}
	}
	return nil
}

// sides of an outcome, for gates that should agree.
const (
	passes = "passes"
	fails  = "fails"
)

// sideOf says whether an outcome is one that passes or one that fails; "" where the
// gate could not say.
func sideOf(outcome string, findings []history.Finding) string {
	red := slices.ContainsFunc(findings, func(x history.Finding) bool { return x.Outcome == string(Red) })
	switch Outcome(outcome) {
	case Red, KnownRed:
		return fails
	case Green:
		return passes
	case Attention:
		if red {
			return fails
		}
		return passes
	}
	return ""
}

// disagree marks an outcome that another gate of the same subject contradicts, on
// the same tree: one of them is wrong.
func (f *flow) disagree() {
	if f.v.Partial {
		return
	}
	var own []history.Finding
	for _, x := range f.v.Findings {
		own = append(own, history.Finding{Outcome: string(x.Outcome), Text: x.Text})
	}
	side := sideOf(string(f.v.Outcome), own)
	for _, s := range f.siblings {
		other := sideOf(s.last.Outcome, s.last.Findings)
		if side == "" || other == "" || side == other {
			continue
		}
		f.mark(fmt.Sprintf("%s: %s is %s, %s is %s, on the same tree: one of them is wrong, see gpuci scope", f.gate.Subject, f.gate.Name, f.v.Outcome, s.gate.Name, s.last.Outcome))
	}
}
