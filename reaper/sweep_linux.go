package reaper

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gpuci/reaper/proc"
)

// Pauses between two passes. The first is longer than it takes a forked child
// to be seen, the last short beside what anybody waits for a disk.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = 250 * time.Millisecond
)

// quietPasses is how many passes in a row must find nothing: who forked while
// one of them looked is seen by the next.
const quietPasses = 2

// Sweep ends the leaked processes of the wanted lanes: it looks, judges and
// sends SIGKILL, the top of each tree first, until two passes in a row find
// nothing, the deadline is over, or ctx ends. What was born while it swept, and
// is younger than the floor, it waits for, unless that comes anew for as long as
// the floor: then the report has a Chain, and nothing is sent to it.
//
// The error is that of a process table that cannot be read, or is another pid
// namespace's (proc.ErrForeign), wraps ctx's, or is ErrNoLook; the report is what
// was done until then. That leaked processes survive is no error, nor that the
// deadline was over before it was quiet: the report says so.
func Sweep(ctx context.Context, o Options) (Report, error) {
	s, err := newSweeper(o)
	if err != nil {
		return Report{}, err
	}
	if err := s.o.Root.Own(); err != nil {
		return Report{}, fmt.Errorf("sweep what leaked: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, s.o.Deadline)
	defer cancel()
	look := s.passes
	if s.o.DryRun {
		look = s.dry
	}
	err = look(limited)
	if limited.Err() != nil && s.report.Passes > 0 {
		err = nil // of the deadline the survivors tell
	}
	return s.close(), s.ended(ctx, limited, err)
}

// ErrNoLook says that nothing was judged, because there was no time to.
var ErrNoLook = errors.New("the deadline was over before one look was whole")

// ended is the error of a sweep that was ended, or whose time was over, or err.
func (s *sweeper) ended(ctx, limited context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("sweep what leaked: %w", context.Cause(ctx))
	case limited.Err() != nil && s.report.Passes == 0:
		return ErrNoLook
	}
	return err
}

// sweeper is one sweep.
type sweeper struct {
	o      Options
	eye    *eye
	boot   string
	began  time.Duration    // since boot
	sent   map[bearer]*told // have their SIGKILL, and were not seen to be gone
	told   map[int]bool     // pids that had their turn, in any pass
	err    map[bearer]error // why others were not signalled
	last   Judgement        // of the last look that was whole
	report Report

	streaks map[strain]*streak // what may be chains
	doubt   int                // the last look in which one vanished, 0 for none
}

func newSweeper(o Options) (*sweeper, error) {
	o = o.filled()
	boot, err := o.Root.BootID()
	if err != nil {
		return nil, fmt.Errorf("sweep what leaked: %w", err)
	}
	return &sweeper{
		o: o, eye: newEye(o.Root, o.Runs), boot: boot, began: o.Root.Age(proc.Stat{}),
		sent: make(map[bearer]*told), told: make(map[int]bool), err: make(map[bearer]error),
		streaks: make(map[strain]*streak),
	}, nil
}

// passes goes on until it is quiet.
func (s *sweeper) passes(ctx context.Context) error {
	pause := firstPause
	for quiet := 0; ; {
		fresh, err := s.pass(ctx)
		switch {
		case err != nil:
			return err
		case s.quiet():
			if quiet++; quiet >= s.enough() {
				s.report.Quiet = true
				return nil
			}
		default:
			quiet = 0
		}
		if fresh || quiet == 1 {
			pause = firstPause
		}
		if sleep(ctx, pause) != nil {
			return ctx.Err()
		}
		pause = min(pause*3/2, lastPause)
	}
}

// pass looks once, and signals those who have not been yet.
func (s *sweeper) pass(ctx context.Context) (fresh bool, err error) {
	p, err := s.eye.look(ctx)
	if err != nil {
		return false, err
	}
	j, err := s.judge(p)
	if err != nil {
		return false, err
	}
	if ctx.Err() != nil { // then what was not answered may only not have been waited for
		return false, ctx.Err()
	}
	s.last = j
	s.report.Passes++
	s.follow()
	fresh = s.signal(s.last.victims())
	if fresh {
		s.await(ctx)
	}
	s.collect()
	return fresh, nil
}

// judge begins with the trees of the family. They hold the disk, and hardly
// ever need an environment to be read; while some of those that process 1 has
// have not had their turn, nobody else is asked. One that may not be signalled
// has had it.
func (s *sweeper) judge(p Picture) (Judgement, error) {
	t, err := newTrial(p, s.o.Lanes, s.o.Wanted, s.o.Rules)
	if err != nil {
		return Judgement{}, err
	}
	t.trees()
	j := t.judgement()
	if !s.o.DryRun && slices.ContainsFunc(j.victims(), func(v Judged) bool { return !s.told[v.PID] }) {
		return j, nil
	}
	t.others()
	return t.judgement(), nil
}

func (s *sweeper) untold(j Judged) bool { return s.sent[bearerOf(j.Stat)] == nil }

// quiet says that the last pass found nothing, and nothing is waited for.
func (s *sweeper) quiet() bool {
	return len(s.last.leaked) == 0 && len(s.sent) == 0 && len(s.newborn()) == 0
}

// dry is the one pass of a dry run.
func (s *sweeper) dry(ctx context.Context) error {
	p, err := s.eye.look(ctx)
	if err != nil {
		return err
	}
	j, err := s.judge(p)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	s.last = j
	s.report.Passes, s.report.Leaked, s.report.Young = 1, j.victims(), s.newborn()
	return nil
}

// close adds what is left to the report.
func (s *sweeper) close() Report {
	s.report.Chains = s.chains()
	s.report.Survivors = s.survivors()
	s.report.Left = s.left()
	s.report.Blind = slices.Sorted(maps.Keys(s.eye.blind))
	return s.report
}

// sleep is ctx's error when it ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
