package ci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	if n.o.On != "" {
		n.sweep(ctx)
	}
	plan, err := n.o.newPlan(ctx, n.clock.Wall())
	if err != nil {
		return err
	}
	plan.Reported = n.books.name(lastReported)
	n.plan = plan
	n.plan.Debts = n.readDebts(ctx)
	return n.write()
}

// write begins the journal.
func (n *night) write() (err error) {
	n.journal, err = newJournal(n.books.night(n.plan.Night))
	if err == nil {
		n.journal.step = n.o.step
	}
	if err == nil && n.plan.On != "" {
		err = n.books.setAway(n.plan.Night, n.plan.On)
	}
	if err == nil {
		err = n.journal.add(line{Type: planned, At: n.plan.Began, PID: os.Getpid(), Plan: &n.plan})
	}
	switch {
	case err != nil || n.plan.Hand:
	case n.plan.Nightly:
		err = n.books.setName(lastBegun, n.plan.Night)
	default:
		err = n.books.setName(lastRun, n.plan.Night)
	}
	if err != nil {
		return fmt.Errorf("%w: %w; is there space in %s, and may it be written?", ErrNoPlace, err, n.books.dir)
	}
	return nil
}

// resume takes up a night that did not end.
func (n *night) resume() error {
	name, err := n.books.unfinished(n.o.nightly(), n.o.Night)
	if err != nil {
		return err
	}
	j, lines, err := openJournal(n.books.night(name))
	if errors.Is(err, errLive) {
		return fmt.Errorf("%w: night %s goes on in another gpuci", ErrNoNight, name)
	}
	if err != nil {
		return fmt.Errorf("resume night %s: %w", name, err)
	}
	n.journal, n.plan = j, *lines[0].Plan
	j.step = n.o.step
	switch {
	case n.plan.Schema != planSchema && n.plan.Schema != awaySchema:
		err = fmt.Errorf("%w: night %s is of another version of gpuci", ErrNoNight, name)
	case n.o.On != "" && n.o.On != n.plan.On:
		err = fmt.Errorf("%w: night %s runs on %s; leave --on out", ErrOn, name, cmp.Or(n.plan.On, "this machine"))
	case n.plan.On != "":
		_ = os.Remove(filepath.Join(n.books.night(name), cancelName)) // that was another time
		err = n.books.setAway(name, n.plan.On)
	}
	if err != nil {
		_ = j.close()
		return err
	}
	n.note("night %s goes on, which began %s", name, n.plan.Began.Local().Format(time.DateTime))
	n.add(line{Type: resumed, PID: os.Getpid()})
	n.jobs = takeUp(n.plan, lines)
	n.open, n.interrupted = openOf(lines)
	n.closed = closedOf(lines, n.open)
	return nil
}

// add writes a line of the journal, and says once where that fails.
func (n *night) add(l line) (ok bool) {
	l.At = n.clock.Wall()
	if err := n.journal.add(l); err != nil {
		n.fault(gates.ExitUnexpected, "%v; what comes now would be done again by --resume", err)
	}
	return !n.journal.lost
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
