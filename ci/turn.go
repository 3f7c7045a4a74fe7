package ci

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Bounds on scratch lanes.
const (
	fetchTime  = 10 * time.Minute // for submodules that are nowhere here
	removeTime = 5 * time.Minute  // a target directory has a hundred thousand files
)

// checkOut makes the scratch lane of a content, from the lane itself: it knows its
// submodules and sparse patterns. Where it was removed meanwhile, its commit is in
// the repository all the same.
func (n *night) checkOut(ctx context.Context, w *work) error {
	h := w.lead()
	from := n.o.Here
	if h.Root != "" && !isGone(h.Root) {
		if lane, err := worktrees.Find(ctx, h.Root); err == nil && lane.CommonDir == from.CommonDir {
			from = lane
		}
	}
	s, err := worktrees.NewScratch(ctx, from, worktrees.ScratchOptions{
		Dir: n.scratchDir, Commit: h.Commit, Fetch: fetchTime, For: "night " + n.plan.Night, Note: n.o.Note,
	})
	switch {
	case errors.Is(err, worktrees.ErrGone):
		return fmt.Errorf("its commit %.10s is gone from the repository", h.Commit)
	case err != nil:
		return fmt.Errorf("it cannot be checked out: %w", err)
	}
	for _, text := range s.Notes {
		n.note("lane %s: %s", h.Lane, text)
	}
	w.scratch, w.lane = s, s.Lane
	if lane, err := worktrees.Find(ctx, s.Root); err == nil {
		w.lane = lane // by the name under which the lanes are listed
	}
	return nil
}

// drop removes the scratch lane, also of a night that was stopped.
func (n *night) drop(ctx context.Context, w *work) {
	if w.scratch == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer cancel()
	if err := w.scratch.Remove(ctx); err != nil {
		n.note("remove a scratch lane: %v (the next night tries again)", err)
	}
	w.scratch = nil
}

// rootFor is where the tools of a lane answer as they would in its scratch lane.
func (n *night) rootFor(h Head) string {
	if h.Root == "" || isGone(filepath.Join(h.Root, n.plan.Dir)) {
		return filepath.Join(n.o.Here.Root, n.plan.Dir)
	}
	return filepath.Join(h.Root, n.plan.Dir)
}

// run runs one gate in the scratch lane.
func (n *night) run(ctx context.Context, w *work, g config.Gate) Cell {
	h := w.lead()
	n.add(line{Type: started, Lane: h.Lane, Tree: h.Tree, Gate: g.Name})
	if err := settle(ctx, w.scratch, h.Commit); err != nil && ctx.Err() == nil {
		n.note("lane %s: tidy its scratch lane: %v", h.Lane, err)
	}
	cfg := *w.cfg
	cfg.Root = filepath.Join(w.scratch.Root, n.plan.Dir)
	opt, err := n.o.Prepare(w.lane, &cfg, g)
	if err != nil {
		return Cell{Gate: g.Name, State: Ran, Outcome: gates.Refused, Exit: gates.Refused.ExitCode(), Why: "it cannot begin: " + err.Error()}
	}
	opt.Gate, opt.Root, opt.Lane = g, cfg.Root, w.lane
	opt.As = gates.As{Lane: h.Lane, Branch: h.Branch}
	opt.Env = append(opt.Env, w.scratch.Env...)
	v := gates.Run(ctx, opt)
	if v.Outcome == gates.Interrupted {
		if errors.Is(context.Cause(ctx), errNightOver) {
			return n.tooLate(g.Name)
		}
		return notRun(g.Name, "the night was stopped while it ran", v.Exit)
	}
	c := cellOf(v)
	if at := n.movedTo(ctx, w); at != "" {
		c.Outcome, c.Exit = gates.Broken, gates.Broken.ExitCode()
		why := fmt.Sprintf("it moved its lane to %.10s: a gate is to leave HEAD where it is", at)
		c.because(append([]gates.Finding{{Outcome: gates.Broken, Text: why}}, v.Findings...))
	}
	c.Pace = n.past.paces(context.WithoutCancel(ctx), v)
	n.o.Past.Rest()
	return c
}

// movedTo is the commit to which a gate has moved its scratch lane; "" where that is
// where it was. What was judged is not what the outcome says then.
func (n *night) movedTo(ctx context.Context, w *work) string {
	st, err := worktrees.ReadState(context.WithoutCancel(ctx), w.scratch.Lane)
	if err != nil || st.Commit == w.lead().Commit {
		return "" // settle says what is wrong
	}
	return st.Commit
}

// settle sees to it that a scratch lane is at a commit, with nothing else in it: gates
// leave what they make, and some more than that. Build products stay where they have a
// directory of their own.
func settle(ctx context.Context, s *worktrees.Scratch, commit string) error {
	st, err := worktrees.ReadState(ctx, s.Lane)
	if err == nil && !st.Dirty && st.Branch == "" && st.Commit == commit {
		return nil
	}
	return s.Move(ctx, commit)
}

// tell says what came of a gate, to who watches and to the journal.
func (n *night) tell(w *work, c Cell) {
	text := fmt.Sprintf("%s %s: %s", w.lead().Lane, c.Gate, c.word())
	if c.State == Ran {
		text += " (" + lasted(c.Seconds) + ")"
	}
	if c.Why != "" && c.State != NotRun {
		text += ": " + c.reason()
	} else if c.Why != "" {
		text += ", " + c.Why
	}
	n.note("%s", text)
	n.add(line{Type: done, Lane: w.lead().Lane, Tree: w.lead().Tree, Cells: []Cell{c}})
}

// lasted is a time in seconds as people say it.
func lasted(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// word is the outcome as people call it.
func (c Cell) word() string {
	if c.State == NotRun {
		return string(NotRun)
	}
	return string(c.Outcome)
}
