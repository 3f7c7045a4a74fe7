package gates

import (
	"context"
	"slices"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Marking is one content of which several gates have an outcome, for who asks what
// their marks are by now: a run can carry only what was known when it ended.
type Marking struct {
	Workspace *config.Config // that the content has
	Store     *history.Store
	Lane      string            // whose outcomes count of gates that Runs has not
	Tree      string            // id of the content
	Runs      map[string]string // by gate: the run that its outcome is of
	Now       time.Time
}

// Marks are those of a gate's run as it would carry them now. Which places other
// gates of its subject cover, which of them contradict it, and whether its faults
// were planted on this very content, is looked up; all else is as the run had it.
// Scope of a run that could not say what it covers is left as it was, too.
func (m Marking) Marks(ctx context.Context, g config.Gate, was []string) ([]string, error) {
	run := m.Runs[g.Name]
	if run == "" || m.Tree == "" || g.Subject == "" && len(g.Faults) == 0 {
		return was, nil
	}
	r, err := m.Store.Find(ctx, run)
	if err != nil {
		return was, err
	}
	out := slices.Clone(was)
	if g.Subject != "" {
		if out, err = m.subject(ctx, g, r, out); err != nil {
			return was, err
		}
	}
	if len(g.Faults) > 0 && sideOf(r) != "" && r.Outcome != string(Red) {
		if out, err = m.falsified(ctx, g, out); err != nil {
			return was, err
		}
	}
	return out, nil
}

// subject says anew what the other gates of the subject cover, and which contradict.
func (m Marking) subject(ctx context.Context, g config.Gate, r history.Result, marks []string) ([]string, error) {
	marks = slices.DeleteFunc(marks, func(text string) bool {
		return strings.HasPrefix(text, scopeGap) || strings.HasSuffix(text, contradicted)
	})
	var list []sibling
	for _, other := range m.Workspace.Gates {
		if other.Subject != g.Subject || other.Name == g.Name {
			continue
		}
		last, err := m.last(ctx, other.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, siblingIn(other, last, m.Tree))
	}
	if len(r.Scope) > 0 { // it came to say what it covers
		axes := axesOf(g, r)
		closeGaps(ctx, m.Workspace, worktrees.Lane{}, list, axes)
		for _, a := range axes {
			if text := a.gapMark(); text != "" {
				marks = append(marks, text)
			}
		}
	}
	for _, s := range list {
		if d, ok := disagreement(g.Subject, r, s); ok {
			marks = append(marks, d.mark())
		}
	}
	return marks, nil
}

func (m Marking) last(ctx context.Context, gate string) (history.Result, error) {
	if run := m.Runs[gate]; run != "" {
		return m.Store.Find(ctx, run)
	}
	return lastOf(ctx, m.Store, gate, m.Lane)
}

// falsified says anew what came of a gate's faults, where they were planted on this
// very content since. Of another one only the run could tell whether that holds.
func (m Marking) falsified(ctx context.Context, g config.Gate, marks []string) ([]string, error) {
	all, err := m.Store.Falsifications(ctx, history.Query{Gate: g.Name, Limit: 4 * maxFalsified})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(one history.Falsification) bool { return !m.Store.Believes(one.UID, one.Started) })
	own := func(text string) bool {
		return strings.HasPrefix(text, neverFalsified) || strings.HasPrefix(text, "falsified ") && strings.HasSuffix(text, falsifyAgain+g.Name)
	}
	for _, one := range all {
		if one.Tree != m.Tree || one.Settings != SettingsID(g) || one.Faults != FaultsID(g) {
			continue
		}
		marks = slices.DeleteFunc(marks, own)
		if x := falsifiedBy(one); len(x.Missed) > 0 {
			x.Same = true
			marks = append(marks, x.Text(m.Now)+falsifyAgain+g.Name)
		}
		return marks, nil
	}
	if len(all) > 0 { // it was, of another content
		marks = slices.DeleteFunc(marks, func(text string) bool { return strings.HasPrefix(text, neverFalsified) })
	}
	return marks, nil
}

// falsifiedBy is what came of a gate's faults, whatever it is of.
func falsifiedBy(one history.Falsification) *Falsified {
	x := &Falsified{Caught: one.Caught, Of: one.Of, At: &one.Started, Commit: one.Commit, Run: one.Run}
	for _, p := range one.Results {
		if p.Outcome != FaultCaught {
			x.Missed = append(x.Missed, p.Fault)
		}
	}
	return x
}
