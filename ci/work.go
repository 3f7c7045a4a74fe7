package ci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// work is a job on its way.
type work struct {
	*job
	cfg    *config.Config // as the commit has it
	gates  []config.Gate  // in their order
	came   map[string]Cell
	stood  map[string]Cell    // what stood of gates that are owed, and so run again
	flying map[string]bool    // gates that are with the executor
	notes  *gates.CommitNotes // nil where nothing of it can be run
	later  []string           // gates whose outcome may stand, when another one has come to its own
	why    string             // nothing of it can be run, or nothing more
	exit   int
}

// takeUp is what a journal says was done of a plan.
func takeUp(p Plan, lines []line) (list []*work) {
	of := make(map[string]*work)
	for _, j := range p.jobs() {
		w := &work{job: j, came: make(map[string]Cell), stood: make(map[string]Cell), flying: make(map[string]bool)}
		of[j.lead().Tree] = w
		list = append(list, w)
	}
	for _, l := range lines {
		w := of[l.Tree]
		if w == nil || l.Type != done {
			continue
		}
		for _, c := range l.Cells {
			if c.State != NotRun {
				w.came[c.Gate] = c
			}
		}
	}
	return list
}

// prepare reads the configuration of every content and what was before, and puts
// the gates in order.
func (n *night) prepare(ctx context.Context) error {
	if n.jobs == nil {
		n.jobs = takeUp(n.plan, nil)
	}
	var names []string
	for _, w := range n.jobs {
		n.configure(ctx, w)
		for _, g := range w.gates {
			if !slices.Contains(names, g.Name) {
				names = append(names, g.Name)
			}
		}
	}
	for _, name := range n.plan.Gates {
		if !slices.Contains(names, name) && ctx.Err() == nil && n.readable() {
			_ = os.RemoveAll(n.books.night(n.plan.Night)) // it has not begun
			return &UnknownError{"gate", name}
		}
	}
	n.past = n.readPast(ctx, names)
	for _, w := range n.jobs {
		if w.why == "" {
			w.notes = n.findNotes(ctx, w)
		}
		w.gates = ordered(w.gates, n.past.usual, w.notes.WaitsFor)
	}
	return nil
}

// readable says whether there is a content whose gates are known.
func (n *night) readable() bool {
	return slices.ContainsFunc(n.jobs, func(w *work) bool { return w.cfg != nil })
}

// configure finds the gates of a content. A configuration that is wrong is its own
// lane's affair.
func (n *night) configure(ctx context.Context, w *work) {
	h := w.lead()
	cfg, err := configAt(ctx, n.o.Here, h.Commit, n.plan.Dir)
	switch {
	case err != nil && ctx.Err() != nil:
		w.why, w.exit = "it was not reached", 0
		return
	case err != nil && !hasCommit(ctx, n.o.Here, h.Commit):
		w.why, w.exit = fmt.Sprintf("its commit %.10s is gone from the repository", h.Commit), gates.Broken.ExitCode()
	case err != nil:
		w.why, w.exit = wrongConfig(err)
	case cfg == nil:
		w.why = "it has no " + config.FileName
	}
	if w.why != "" {
		n.giveUp(w, w.why, w.exit)
		return
	}
	w.cfg = cfg
	for _, g := range cfg.Gates {
		if len(n.plan.Gates) > 0 && slices.Contains(n.plan.Gates, g.Name) || len(n.plan.Gates) == 0 && !g.DayOnly {
			w.gates = append(w.gates, g)
		}
	}
	if len(w.gates) == 0 && len(n.plan.Gates) > 0 {
		w.why = "it has none of these gates"
	}
}

func wrongConfig(err error) (why string, exit int) {
	var problems config.Problems
	if errors.As(err, &problems) && len(problems) > 0 {
		p := problems[0]
		return fmt.Sprintf("its %s is wrong: line %d: %s", p.File, p.Line, p.Msg), gates.ExitConfig
	}
	return err.Error(), gates.Broken.ExitCode()
}

// hasCommit says whether the repository has a commit; where that cannot be told it
// has it.
func hasCommit(ctx context.Context, here worktrees.Lane, commit string) bool {
	_, err := worktrees.Between(ctx, here, "", commit)
	return !errors.Is(err, worktrees.ErrGone)
}

// giveUp says that nothing more of a content can be run.
func (n *night) giveUp(w *work, why string, exit int) {
	w.why, w.exit = why, exit
	n.note("lane %s: %s", w.lead().Lane, why)
	n.add(line{Type: failed, Lane: w.lead().Lane, Tree: w.lead().Tree, Why: why, Exit: exit})
}

// withhold is the cell of a gate that is not to be started, and why.
func (n *night) withhold(ctx context.Context, w *work, g config.Gate) (Cell, bool) {
	usual, _ := n.past.usual(g.Name)
	switch {
	case w.why != "":
		return notRun(g.Name, w.why, w.exit), true
	case errors.Is(context.Cause(ctx), errNightOver):
		return n.tooLate(g.Name), true
	case ctx.Err() != nil:
		return notRun(g.Name, "the night was stopped", 0), true
	}
	if n.d.shut != nil {
		return notRun(g.Name, "nothing more could be handed over: "+n.d.shut.Error(), gates.Refused.ExitCode()), true
	}
	if why := hindrance(g, w.came); why != "" {
		return notRun(g.Name, why, 0), true // the one before it has an exit code of its own
	}
	if n.due.over() {
		return n.tooLate(g.Name), true
	}
	if !n.due.fits(usual) {
		why := fmt.Sprintf("the night ends at %s, and it usually takes %s", n.due.word(), usual.Round(time.Second))
		return notRun(g.Name, why, gates.Refused.ExitCode()), true
	}
	return Cell{}, false
}

func (n *night) tooLate(gate string) Cell {
	return notRun(gate, "the night ended at "+n.due.word(), gates.Refused.ExitCode())
}
