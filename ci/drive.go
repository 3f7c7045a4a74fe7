package ci

import (
	"context"
	"errors"
	"slices"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
)

// drive comes to something of every gate: it hands over as many as the executor takes,
// each once those before it have come to something, and takes what comes back.
func (n *night) drive(ctx context.Context) {
	n.turns = n.lineUp()
	for {
		n.handOver(ctx)
		switch {
		case n.d.idle() && len(n.turns) == 0:
			return
		case ctx.Err() != nil:
			n.land(ctx, n.d.bringDown(context.Cause(ctx)))
		default:
			n.d.wait(ctx)
			n.land(ctx, n.d.look(ctx))
		}
	}
}

// handOver gives every gate its turn that is ready, while there is room.
func (n *night) handOver(ctx context.Context) {
	for went := true; went; {
		went = false
		for i := 0; i < len(n.turns) && n.d.room() > 0; {
			if t := n.turns[i]; t.ready() {
				n.turns = slices.Delete(n.turns, i, i+1)
				n.take(ctx, t)
				n.land(ctx, n.d.lookIfDue(ctx))
				went = true
				continue
			}
			i++
		}
	}
	if n.d.idle() && len(n.turns) > 0 { // none is ready and none will be: gates name each other
		n.turns[0].behind = nil
	}
}

// take comes to something of one gate, or hands it over. An outcome from before it was
// refused pays nothing, and stands only if the night does not come to another.
func (n *night) take(ctx context.Context, t *turn) {
	w, g := t.w, t.gate
	if t.say != "" {
		n.note("%s", t.say)
	}
	if stood, ok := w.came[g.Name]; t.owed && ok && stood.State == Stands {
		w.stood[g.Name] = stood
		delete(w.came, g.Name)
	}
	if t.owed {
		w.later = slices.DeleteFunc(w.later, func(name string) bool { return name == g.Name })
	}
	if _, ok := w.came[g.Name]; ok || n.standNow(ctx, w, g) {
		return
	}
	if c, ok := n.withhold(ctx, w, g); ok {
		n.come(w, c)
		return
	}
	w.flying[g.Name] = true
	n.d.submit(ctx, n.taskOf(w, g, n.d.cookie()))
}

// taskOf is a gate as an executor has it.
func (n *night) taskOf(w *work, g config.Gate, cookie string) executor.Task {
	h := w.lead()
	return executor.Task{
		Cookie: cookie, Gate: g, Config: w.cfg, Dir: n.plan.Dir,
		Head: executor.Head{Lane: h.Lane, Branch: h.Branch, Root: h.Root, Commit: h.Commit, Tree: h.Tree},
	}
}

// land takes what has come back.
func (n *night) land(ctx context.Context, list []landed) {
	for _, l := range list {
		w := n.workAt(l.task.Head.Tree)
		delete(w.flying, l.task.Gate.Name)
		n.keepLoss(&l)
		n.come(w, n.cellFrom(ctx, w, l))
		n.d.drop(l.task.Cookie)
	}
}

// cellFrom is what became of a task.
func (n *night) cellFrom(ctx context.Context, w *work, l landed) Cell {
	g, v, loss := l.task.Gate, l.status.Verdict, l.status.Loss
	switch {
	case loss != nil && loss.Kind == executor.KindContent && w.why == "" && ctx.Err() == nil:
		n.giveUp(w, loss.Why, loss.Outcome.ExitCode())
	case l.cut, v != nil && v.Outcome == gates.Interrupted:
		if errors.Is(context.Cause(ctx), errNightOver) {
			return n.tooLate(g.Name)
		}
		exit := 0
		if v != nil {
			exit = v.Exit
		}
		return notRun(g.Name, "the night was stopped while it ran", exit)
	}
	if loss != nil && loss.Kind == executor.KindContent {
		if c, ok := n.withhold(ctx, w, g); ok {
			return c
		}
	}
	if loss != nil {
		return lostCell(l)
	}
	c := cellOf(*v)
	c.Job, c.Host = l.status.ID, l.status.Where
	c.Pace = n.past.paces(context.WithoutCancel(ctx), *v)
	n.o.Past.Rest()
	return c
}

// lostCell is what came of a gate that has no verdict.
func lostCell(l landed) Cell {
	loss := l.status.Loss
	c := Cell{
		Gate: l.task.Gate.Name, State: Ran, Outcome: loss.Outcome, Exit: loss.Outcome.ExitCode(), Why: loss.Why, Reasons: []string{loss.Why}, Next: loss.Next,
		Of: l.task.Head.Lane, Commit: l.task.Head.Commit, Started: l.status.Since, Job: l.status.ID, Host: l.status.Where,
	}
	if v := l.status.Verdict; v != nil {
		c.Run, c.Log, c.Started, c.Seconds = v.Run, v.Log, v.Started, v.Seconds
	}
	return c
}

// come writes down what a gate came to.
func (n *night) come(w *work, c Cell) {
	w.came[c.Gate] = c
	n.tell(w, c)
	if stood, ok := w.stood[c.Gate]; ok && c.State == NotRun {
		w.came[c.Gate] = stood
	}
}

// workAt is the job of a content.
func (n *night) workAt(tree string) *work {
	i := slices.IndexFunc(n.jobs, func(w *work) bool { return w.lead().Tree == tree })
	return n.jobs[i]
}
