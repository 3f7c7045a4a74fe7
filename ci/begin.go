package ci

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"gpuci/gates"
	"gpuci/worktrees"
)

// begin makes a plan, or takes the one of the night that is resumed, and opens its
// journal.
func (n *night) begin(ctx context.Context) (err error) {
	until := n.o.Until
	if n.o.nightly() {
		until = cmp.Or(until, n.o.Config.CI.Until)
	}
	if until == NoEnd {
		until = ""
	}
	if n.due, err = dueAt(n.clock, until); err != nil {
		return err
	}
	if n.o.Resume {
		return n.resume()
	}
	plan, err := n.o.newPlan(ctx, n.clock.Wall())
	if err != nil {
		return err
	}
	plan.Reported = n.books.name(lastReported)
	n.plan = plan
	n.plan.Debts = n.readDebts(ctx)
	n.journal, err = newJournal(n.books.night(plan.Night))
	if err == nil {
		err = n.journal.add(line{Type: planned, At: plan.Began, PID: os.Getpid(), Plan: &n.plan})
	}
	if err == nil && plan.Nightly {
		err = n.books.setName(lastBegun, plan.Night)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; is there space in %s, and may it be written?", ErrNoPlace, err, n.books.dir)
	}
	return nil
}

// resume takes up the last night.
func (n *night) resume() error {
	name, err := n.books.unfinished()
	if err != nil {
		return err
	}
	j, lines, err := openJournal(n.books.night(name))
	if err != nil {
		return fmt.Errorf("resume night %s: %w", name, err)
	}
	n.journal, n.plan = j, *lines[0].Plan
	if n.plan.Schema != planSchema {
		_ = j.close()
		return fmt.Errorf("%w: night %s is of another version of gpuci", ErrNoNight, name)
	}
	n.note("night %s goes on, which began %s", name, n.plan.Began.Local().Format(time.DateTime))
	n.add(line{Type: resumed, PID: os.Getpid()})
	n.jobs = takeUp(n.plan, lines)
	return nil
}

// add writes a line of the journal, and says once where that fails.
func (n *night) add(l line) {
	l.At = n.clock.Wall()
	if err := n.journal.add(l); err != nil {
		n.fault(gates.ExitUnexpected, "%v; what comes now would be done again by --resume", err)
	}
}

// clear removes the scratch lanes that killed gpucis left.
func (n *night) clear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clearTime)
	defer cancel()
	removed, err := worktrees.RemoveAbandoned(ctx, n.o.Here, n.scratchDir)
	if len(removed) > 0 {
		n.note("removed %d scratch lanes that killed gpucis left", len(removed))
	}
	if err != nil && ctx.Err() == nil {
		n.note("remove what killed gpucis left: %v", err)
	}
}

// clearTime is for some target directories of a hundred thousand files each.
const clearTime = 10 * time.Minute
