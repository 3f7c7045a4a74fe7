package gates

import (
	"cmp"
	"context"
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
// lane.
type sibling struct {
	gate  config.Gate
	last  history.Result // its Run is "" where the gate has not run here
	apart string         // why that is not of what is judged here; "" where it is of the very tree
}

// siblingsOf are the other gates of a subject, held against a tree. Where nobody
// knows which tree this is, there are none.
func siblingsOf(ctx context.Context, store *history.Store, cfg *config.Config, g config.Gate, lane, tree string) (out []sibling, err error) {
	for _, other := range cfg.Gates {
		if g.Subject == "" || other.Subject != g.Subject || other.Name == g.Name || tree == "" {
			continue
		}
		last, err := lastOf(ctx, store, other.Name, lane)
		if err != nil {
			return out, err
		}
		out = append(out, siblingIn(other, last, tree))
	}
	return out, nil
}

func siblingIn(g config.Gate, last history.Result, tree string) sibling {
	s := sibling{gate: g, last: last}
	switch {
	case last.Run == "":
		s.apart = "it has not run here: gpuci gate " + g.Name
	case last.Config != hashOf(g):
		s.apart = "its settings have changed since it ran: gpuci gate " + g.Name
	case last.Tree != tree:
		s.apart = "it last ran on another state: gpuci gate " + g.Name
	}
	return s
}

// lastOf is the last outcome of a gate in a lane that is believed; the zero one
// where there is none. What was refused or interrupted says nothing, and hides no
// outcome before it.
func lastOf(ctx context.Context, store *history.Store, gate, lane string) (history.Result, error) {
	for r, err := range store.Results(ctx, history.Query{Gate: gate, Lane: lane, Limit: siblingRuns}) {
		if err != nil {
			return history.Result{}, err
		}
		said := r.Outcome != string(Refused) && r.Outcome != string(Interrupted)
		if said && store.Believes(r.UID, r.Started) && !store.Ahead(r.Started) {
			return r, nil
		}
	}
	return history.Result{}, nil
}

// elsewhere closes gaps by what other gates of the subject cover: those whose last
// outcome passes, stands, and is of the same tree.
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

// closeGaps takes up in axes what siblings cover of their gaps, and says why one does
// not that would. Whether an outcome stands is asked only where it would close one:
// that reads the lane. In no lane it is the tree alone that says so.
func closeGaps(ctx context.Context, cfg *config.Config, here worktrees.Lane, list []sibling, axes []AxisScope) {
	for _, s := range list {
		why := s.discounted()
		asked := why != "" || here.Root == ""
		for i := range axes {
			a := &axes[i]
			for _, place := range a.Left() {
				places, shown := s.covers(a.Axis)
				if !slices.Contains(places, place) {
					continue
				}
				if why == "" && !shown {
					a.discount(s.gate.Name, place, "it claims that, and its run did not show it")
					continue
				}
				if !asked {
					asked = true
					stale := Staleness(ctx, cfg, here, []history.Result{s.last})[0]
					why = cmp.Or(stale.Text, stale.Unknown)
				}
				if why == "" {
					a.Elsewhere = append(a.Elsewhere, Cover{place, s.gate.Name, s.last.Run, Outcome(s.last.Outcome)})
				} else {
					a.discount(s.gate.Name, place, why)
				}
			}
			a.measure()
		}
	}
	for i := range axes {
		axes[i].forget()
	}
}

// discount notes that a place is covered by a gate whose run does not count.
func (a *AxisScope) discount(gate, place, why string) {
	if n := len(a.NotCounted); n > 0 && a.NotCounted[n-1].Gate == gate {
		a.NotCounted[n-1].Places = append(a.NotCounted[n-1].Places, place)
		return
	}
	a.NotCounted = append(a.NotCounted, Discount{gate, []string{place}, why})
}

// forget leaves out what another gate covers after all.
func (a *AxisScope) forget() {
	left := a.Left()
	for i := range a.NotCounted {
		d := &a.NotCounted[i]
		d.Places = slices.DeleteFunc(d.Places, func(p string) bool { return !slices.Contains(left, p) })
	}
	a.NotCounted = slices.DeleteFunc(a.NotCounted, func(d Discount) bool { return len(d.Places) == 0 })
}

// discounted is why what a sibling covers does not count, as far as its outcome
// says; "" where it does. Attention is as good as what is beneath it: its numbers
// held, or did not.
func (s sibling) discounted() string {
	if s.apart != "" {
		return s.apart
	}
	switch side := sideOf(s.last); side {
	case passes:
		return ""
	default:
		return "it is " + sideWord(Outcome(s.last.Outcome), side)
	}
}

// covers are the places that a sibling covers on an axis, and whether its run showed
// that or it only claims so.
func (s sibling) covers(axis string) (places []string, shown bool) {
	for _, a := range s.last.Scope {
		if a.Axis == axis {
			return a.Covered, a.State == string(ScopeShown)
		}
	}
	return texts(spotsOf(s.gate.Scope[axis].Covered)), false
}

// disagree marks an outcome that another gate of the same subject contradicts, on
// the same tree: one of them is wrong.
func (f *flow) disagree() {
	if f.v.Partial {
		return
	}
	r := history.Result{Gate: f.gate.Name, Outcome: string(f.v.Outcome)}
	for _, x := range f.v.Findings {
		r.Findings = append(r.Findings, history.Finding{Outcome: string(x.Outcome), Text: x.Text})
	}
	for _, s := range f.siblings {
		if d, ok := disagreement(f.gate.Subject, r, s); ok {
			f.mark(d.mark())
		}
	}
}
