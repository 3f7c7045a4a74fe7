package ci

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"gpuci/ci/executor"
	"gpuci/ci/executor/local"
	"gpuci/gates/config"
)

// ErrOn says that an executor is not there, or another one than that of the night.
var ErrOn = errors.New("the gates cannot be run there")

// connect opens what runs the gates. A night that has not begun leaves nothing.
func (n *night) connect(ctx context.Context, stop context.CancelCauseFunc) error {
	n.d = &dispatch{id: n.plan.Night, clock: n.clock, add: n.add, at: n.journal.at, note: n.note, out: make(map[string]*flight), stop: stop}
	if n.plan.On == "" {
		n.d.ex = local.New(ctx, local.Options{
			Here: n.o.Here, Dir: n.scratchDir, For: "night " + n.plan.Night, Prepare: n.o.Prepare, Note: n.o.Note,
		})
		n.d.limits = n.d.ex.Limits()
		return nil
	}
	if n.o.Open == nil {
		return fmt.Errorf("%w: night %s runs on %s, and nobody has said how that is reached", ErrOn, n.plan.Night, n.plan.On)
	}
	ex, err := n.o.Open(ctx, n.plan.On, n.plan.Night, n.books.night(n.plan.Night))
	if err != nil {
		if !n.o.Resume {
			_ = os.RemoveAll(n.books.night(n.plan.Night))
		}
		return fmt.Errorf("%w: %w", ErrOn, err)
	}
	n.d.ex, n.d.limits = ex, ex.Limits()
	n.d.output, n.d.asked = n.o.Output, n.books.asked(n.plan.Night)
	if n.o.Watch != nil {
		n.d.watch = func(t executor.Task, st executor.Status) {
			n.o.Watch(Event{Lane: t.Head.Lane, Gate: t.Gate.Name, Status: st, Out: len(n.d.out), Left: len(n.turns)})
		}
	}
	return nil
}

// disconnect lets go of it. Where nothing is left there, that is written down.
func (n *night) disconnect() {
	if err := n.d.ex.Close(); err != nil {
		n.note("%v", err)
	}
	if n.plan.On != "" && !n.d.left {
		n.books.clearAway(n.plan.Night)
	}
}

// openOf are the lines of what was handed over and came to nothing that is written down,
// and whether a process was about to end it all. That a gate was not run says nothing of its
// job: it may be there still.
func openOf(lines []line) (open []line, interrupted bool) {
	for _, l := range lines {
		switch l.Type {
		case started:
			if l.Cookie != "" {
				open = append(open, l)
			}
		case handed:
			for i := range open {
				if open[i].Cookie == l.Cookie {
					open[i].ID = l.ID
				}
			}
		case stopping:
			interrupted = true
		case cut:
			interrupted = false
			open = slices.DeleteFunc(open, func(o line) bool { return slices.Contains(l.Cookies, o.Cookie) })
		case done:
			open = slices.DeleteFunc(open, func(o line) bool {
				return o.Tree == l.Tree && slices.ContainsFunc(l.Cells, func(c Cell) bool { return c.Gate == o.Gate && c.State != NotRun })
			})
		}
	}
	return open, interrupted && len(open) > 0
}

// closedOf are the cookies of what came to something, or was cut off.
func closedOf(lines, open []line) (list []string) {
	for _, l := range lines {
		if l.Type == started && l.Cookie != "" && !slices.ContainsFunc(open, func(o line) bool { return o.Cookie == l.Cookie }) {
			list = append(list, l.Cookie)
		}
	}
	return list
}

// adopt goes on with what a process before us handed over. What that was about to end is
// ended now, and run anew. What ran here has ended with it: what it came to the history
// tells.
func (n *night) adopt(ctx context.Context) {
	if n.plan.On == "" {
		return
	}
	var tasks []executor.Task
	var others []string
	for _, l := range n.open {
		w, g, ok := n.gateOf(l)
		if !ok || n.interrupted {
			others = append(others, l.Cookie)
			continue
		}
		t := n.taskOf(w, g, l.Cookie)
		tasks = append(tasks, t)
		w.flying[g.Name] = true
		n.d.take(t)
	}
	n.d.count = len(n.open) + len(n.plan.Heads) // numbers are for people; what is left to chance tells cookies apart
	n.cutOff(others)
	for _, cookie := range n.closed { // that it was killed before it could let go of
		n.d.drop(cookie)
	}
	if len(tasks) == 0 {
		return
	}
	never := n.d.adopt(ctx, tasks)
	n.note("goes on with %s that the gpuci before handed over", plural(len(tasks)-len(never), "gate"))
	for _, t := range never {
		n.d.hand(ctx, t)
	}
}

// gateOf finds what a line of the journal is about.
func (n *night) gateOf(l line) (*work, config.Gate, bool) {
	for _, w := range n.jobs {
		at := slices.IndexFunc(w.gates, func(g config.Gate) bool { return g.Name == l.Gate })
		if w.lead().Tree != l.Tree || at < 0 || w.flying[l.Gate] || w.why != "" {
			continue
		}
		return w, w.gates[at], true
	}
	return nil, config.Gate{}, false
}

// cutOff ends what was handed over and is wanted no more.
func (n *night) cutOff(cookies []string) {
	if len(cookies) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	if err := n.d.ex.Cancel(ctx, cookies); err != nil {
		n.note("%v", err)
		n.d.left = true
		return
	}
	n.add(line{Type: cut, Cookies: cookies})
}
