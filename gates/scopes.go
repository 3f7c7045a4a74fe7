package gates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// GateScope is what a gate covers of an axis, as far as that is known without
// running it.
type GateScope struct {
	Type    string `json:"type"` // always "scope"
	Gate    string `json:"gate"`
	Subject string `json:"subject,omitempty"`
	AxisScope
	Run     string `json:"run,omitempty"`     // that showed it; "" where it is read off gpuci.toml
	Outcome string `json:"outcome,omitempty"` // of that run
	Passed  bool   `json:"passed"`            // it was green, whatever asked for attention besides: else what it covers counts for nothing
	Old     bool   `json:"old,omitempty"`     // that run was of another tree, or of other settings
}

// Came is the outcome of the run that showed it, with what is beneath it.
func (g GateScope) Came() string {
	side := fails
	if g.Passed {
		side = passes
	}
	return sideWord(Outcome(g.Outcome), side)
}

// Scopes is what the gates of a workspace cover.
type Scopes struct {
	Axes         []GateScope // the largest gap first
	Disagree     []Disagreement
	Undescribed  []string // gates without [gate.scope]
	HistoryError error    // what was shown is not known
}

// ReadScopes holds what gates cover against what production uses: what their last
// run in a lane showed, else what gpuci.toml claims. history is where that is kept;
// it is not made.
func ReadScopes(ctx context.Context, cfg *config.Config, lane worktrees.Lane, o history.Options, gates []config.Gate) (s Scopes, err error) {
	tree := ""
	if lane.Root != "" {
		state, err := worktrees.ReadState(ctx, lane)
		if err != nil {
			return s, err
		}
		if tree, err = worktrees.ContentID(ctx, lane, state); err != nil {
			return s, err
		}
	}
	store, err := openThere(ctx, o)
	if err != nil {
		s.HistoryError = err
	}
	if store != nil {
		defer store.Close()
	}
	for _, g := range gates {
		if len(g.Scope) == 0 {
			s.Undescribed = append(s.Undescribed, g.Name)
			continue
		}
		if err := s.gate(ctx, cfg, lane, store, g, tree); err != nil {
			return s, err
		}
	}
	if store != nil {
		if err := s.disagreements(ctx, cfg, store, lane.Name, tree, gates); err != nil {
			return s, err
		}
	}
	slices.SortStableFunc(s.Axes, worstFirst)
	return s, nil
}

// openThere opens a history; nil where there is none yet.
func openThere(ctx context.Context, o history.Options) (*history.Store, error) {
	if _, err := os.Stat(o.State); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return history.Open(ctx, o)
}

// worstFirst puts the largest share of production before the smaller ones, then
// what is farthest from all that is covered.
func worstFirst(a, b GateScope) int {
	return cmp.Or(cmp.Compare(b.Gap, a.Gap), cmp.Compare(b.Ratio, a.Ratio))
}

// gate adds the axes of one.
func (s *Scopes) gate(ctx context.Context, cfg *config.Config, lane worktrees.Lane, store *history.Store, g config.Gate, tree string) error {
	var last history.Result
	var siblings []sibling
	if store != nil {
		var err error
		if last, err = lastOf(ctx, store, g.Name, lane.Name); err == nil {
			siblings, err = siblingsOf(ctx, store, cfg, g, lane.Name, tree)
		}
		if err != nil {
			return fmt.Errorf("read what %s covered: %w", g.Name, err)
		}
	}
	axes := axesOf(g, last)
	closeGaps(ctx, cfg, lane, siblings, axes)
	for _, a := range axes {
		line := GateScope{Type: "scope", Gate: g.Name, Subject: g.Subject, AxisScope: a}
		if last.Run != "" {
			line.Run, line.Outcome, line.Passed = last.Run, last.Outcome, sideOf(last) == passes
			line.Old = tree == "" || last.Tree != tree || last.Config != hashOf(g)
		}
		s.Axes = append(s.Axes, line)
	}
	return nil
}

// disagreements finds gates of one subject that contradict each other.
func (s *Scopes) disagreements(ctx context.Context, cfg *config.Config, store *history.Store, lane, tree string, gates []config.Gate) error {
	seen := make(map[[2]string]bool)
	for _, g := range gates {
		if g.Subject == "" || tree == "" {
			continue
		}
		last, err := lastOf(ctx, store, g.Name, lane)
		if err != nil {
			return err
		}
		if last.Tree != tree || last.Config != hashOf(g) || sideOf(last) == "" {
			continue
		}
		others, err := siblingsOf(ctx, store, cfg, g, lane, tree)
		if err != nil {
			return err
		}
		for _, o := range others {
			d, ok := disagreement(g.Subject, last, o)
			if key := [2]string{d.Passes, d.Fails}; ok && !seen[key] {
				seen[key] = true
				s.Disagree = append(s.Disagree, d)
			}
		}
	}
	return nil
}

// axesOf are the axes of a gate with what a run showed on them, else with what is
// claimed.
func axesOf(g config.Gate, last history.Result) (axes []AxisScope) {
	for name, axis := range g.Scope {
		var printed []spot
		for _, was := range last.Scope {
			if was.Axis == name && was.State == string(ScopeShown) {
				printed = spotsOf(was.Covered) // as they were read then
			}
		}
		axes = append(axes, axisScope(name, axis, printed))
	}
	slices.SortFunc(axes, func(a, b AxisScope) int { return cmp.Compare(a.Axis, b.Axis) })
	return axes
}
