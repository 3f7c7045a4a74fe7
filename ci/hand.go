package ci

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// HandOptions say what is run elsewhere while somebody waits. Lane, Config, State, Past, On,
// Open and Outcome are required.
type HandOptions struct {
	Lane    worktrees.Lane // as it is, with what is not committed
	Config  *config.Config // of it
	State   string
	Past    *gates.Past
	On      string
	Open    Opener
	Version string // of gpuci

	Gates     []config.Gate
	Args      []string // of the one gate
	Strict    bool     // any mark makes a green need attention
	KeepGoing bool     // with the others after one that is not green

	Outcome func(gates.Verdict) // of each gate, as it comes
	Note    func(string)        // may be nil
	Watch   func(Event)         // may be nil
	Output  func(executor.Task) io.Writer
	Clock   Clock
}

// byHand is what is run by hand, on its way.
type byHand struct {
	o       HandOptions
	n       *night // its books and its journal
	head    executor.Head
	waiting []config.Gate
	notRun  []string
	failed  bool
}

// Hand runs gates of a lane as it is on an executor, all side by side, and gives those that
// were not run: since another one was not green, or ctx has ended. Nothing is resumed; what
// a killed gpuci leaves is ended by the next one, or by [Cancel].
//
// The error wraps ErrOn where the executor is not there, ErrNoPlace where nothing can be
// written down, and is the cause of the end where somebody has cancelled it.
func Hand(ctx context.Context, o HandOptions) (notRun []string, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	h := &byHand{o: o, waiting: o.Gates}
	h.n = &night{
		o:     Options{Here: o.Lane, Config: o.Config, State: o.State, Past: o.Past, Version: o.Version, On: o.On, Open: o.Open, Note: o.Note, Watch: o.Watch, Output: o.Output, Lanes: []string{o.Lane.Name}},
		clock: machineClock(o.Clock), books: books{filepath.Join(o.State, "ci")},
	}
	if err := h.begin(ctx, stop); err != nil {
		return nil, err
	}
	defer h.end()
	h.drive(ctx)
	why := context.Cause(ctx)
	if by := (cancelled{}); errors.As(why, &by) {
		return h.notRun, why
	}
	return h.notRun, nil
}

// begin reads the lane, and writes down what is to be run.
func (h *byHand) begin(ctx context.Context, stop context.CancelCauseFunc) error {
	n := h.n
	st, err := worktrees.ReadState(ctx, h.o.Lane)
	if err != nil {
		return err
	}
	tree, err := worktrees.ContentID(ctx, h.o.Lane, st)
	switch {
	case err != nil:
		return err
	case st.Commit == "":
		return fmt.Errorf("%w: lane %s has no commit yet; commit, so that there is one for a node to begin from", ErrOn, h.o.Lane.Name)
	case tree == "":
		return fmt.Errorf("%w: git cannot say what is in lane %s, as with a submodule that has changes; commit there first", ErrOn, h.o.Lane.Name)
	}
	dir, err := dirOf(h.o.Lane, h.o.Config)
	if err != nil {
		return err
	}
	h.head = executor.Head{Lane: h.o.Lane.Name, Branch: st.Branch, Root: h.o.Lane.Root, Commit: st.Commit, Tree: tree, Dirty: st.Dirty}
	n.sweep(ctx)
	now := n.clock.Wall()
	n.plan = Plan{
		Night: gates.NewID(now), Schema: awaySchema, Began: now, On: h.o.On, Hand: true, Dir: dir,
		Heads: []Head{{Lane: h.head.Lane, Branch: st.Branch, Commit: st.Commit, Tree: tree, Root: h.head.Root}},
	}
	for _, g := range h.o.Gates {
		n.plan.Gates = append(n.plan.Gates, g.Name)
	}
	if err := n.write(); err != nil {
		return err
	}
	if err := n.connect(ctx, stop); err != nil {
		return errors.Join(err, n.journal.close())
	}
	return nil
}

// drive hands the gates over and takes what comes back.
func (h *byHand) drive(ctx context.Context) {
	d := h.n.d
	for {
		for len(h.waiting) > 0 && d.room() > 0 && ctx.Err() == nil && d.shut == nil {
			g := h.waiting[0]
			h.waiting = h.waiting[1:]
			d.submit(ctx, executor.Task{
				Cookie: d.cookie(), Gate: g, Config: h.o.Config, Head: h.head, Dir: h.n.plan.Dir, Args: h.o.Args, Strict: h.o.Strict, ByHand: true,
			})
			h.land(d.lookIfDue(ctx))
		}
		if d.shut != nil {
			h.leave()
		}
		switch {
		case ctx.Err() != nil:
			h.land(d.bringDown(context.Cause(ctx)))
			h.leave()
			return
		case h.failed && !h.o.KeepGoing:
			h.land(d.bringDown(errors.New("another gate was not green")))
			h.leave()
			return
		case d.idle() && len(h.waiting) == 0:
			return
		}
		d.wait(ctx)
		h.land(d.look(ctx))
	}
}

// leave names what is not run any more.
func (h *byHand) leave() {
	for _, g := range h.waiting {
		h.notRun = append(h.notRun, g.Name)
	}
	h.waiting = nil
}

// land takes what has come back. What was cut off is not run.
func (h *byHand) land(list []landed) {
	for _, l := range list {
		cell := Cell{Gate: l.task.Gate.Name, State: NotRun}
		if l.cut {
			h.notRun = append(h.notRun, l.task.Gate.Name)
		} else {
			h.n.keepLoss(&l)
			v := verdictOf(l)
			h.failed = h.failed || v.Exit != 0
			cell = cellOf(v)
			h.o.Outcome(v)
		}
		h.n.add(line{Type: done, Lane: l.task.Head.Lane, Tree: l.task.Head.Tree, Cells: []Cell{cell}})
		h.n.d.drop(l.task.Cookie)
	}
}

// verdictOf is what came of a task. One that is lost has none of its own, and says why.
func verdictOf(l landed) gates.Verdict {
	loss := l.status.Loss
	if loss == nil {
		return *l.status.Verdict
	}
	h := l.task.Head
	v := gates.Verdict{Type: "verdict", Gate: l.task.Gate.Name, Started: l.status.Since, Bound: gates.Bound{
		Unread: true, Lane: h.Lane, Root: h.Root, Commit: h.Commit, Branch: h.Branch, Config: gates.SettingsID(l.task.Gate),
	}}
	if l.status.Verdict != nil {
		v = *l.status.Verdict
	}
	v.Outcome, v.Exit, v.Next = loss.Outcome, loss.Outcome.ExitCode(), loss.Next
	v.Findings = []gates.Finding{{Outcome: loss.Outcome, Text: loss.Why}}
	return v
}

// end closes the books. Of what is run by hand the history has all that is to be kept.
func (h *byHand) end() {
	h.n.add(line{Type: ended})
	h.n.disconnect()
	_ = h.n.journal.close()
	if !h.n.d.left {
		_ = os.RemoveAll(h.n.books.night(h.n.plan.Night))
	}
}
