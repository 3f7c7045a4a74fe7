package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/pressure"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// pressureLook is all that `gpuci pressure` tells.
type pressureLook struct {
	before, after pressure.Reading
	span          pressure.Span // between the two
	memory        pressure.Memory
	noMemory      error // why it is not known
	diagnosis     pressure.Diagnosis

	stuck   []stuckProcess // in D, those of the kernel not among them
	kernel  []stuckProcess // threads of the kernel in D
	looks   int            // at all processes
	outside bool           // we stand in no lane: whose a process is, is not known
	busy    []busyProcess  // the busiest first
	builds  []idleBuild
	unseen  []unseen
}

// look takes one: readings at both ends, and looks at all processes between.
func (a *app) look(ctx context.Context, p place, long time.Duration) (pressureLook, error) {
	var l pressureLook
	s, err := startSampling(proc.Real)
	if err != nil {
		return l, err
	}
	l.before = pressure.Read(pressureRoot())
	if err := s.watch(ctx, long); err != nil {
		return l, err
	}
	l.after = pressure.Read(pressureRoot())
	l.span = pressure.Between(l.before, l.after)
	l.memory, l.noMemory = pressure.ReadMemory(pressure.RealMemory)
	l.looks = s.looks
	l.stuck, l.kernel = s.inD()
	l.outside = p.lane.Root == ""
	tickets, err := buildlock.Status(ctx, p.lockDir())
	if err != nil {
		a.console.note(fmt.Sprintf("which builds there are is not known: %v", err))
	}
	builds := buildsIn(s.last.Table)
	l.busy = s.busy()
	lanes := a.lanes(ctx, p, len(l.stuck)+len(l.busy)+len(builds) > 0)
	l.seat(ctx, lanes)
	l.builds = idleBuilds(ctx, s, builds, tickets, lanes, defaultIdle())
	l.unseen = unseenBy(s, l.stuck)
	l.diagnosis = l.diagnose()
	return l, nil
}

// seat finds out where all that were seen belong, all at once.
func (l *pressureLook) seat(ctx context.Context, lanes []worktrees.Tree) {
	var pids []int
	for _, s := range l.stuck {
		pids = append(pids, s.PID)
	}
	for _, b := range l.busy {
		pids = append(pids, b.PID)
	}
	seats := seatsOf(ctx, proc.Real, pids, lanes)
	for i := range l.stuck {
		l.stuck[i].where = seats[i]
	}
	for i := range l.busy {
		l.busy[i].where = seats[len(l.stuck)+i]
	}
}

// diagnose hands over what was seen, and names who computes where processors
// are short: the package knows no processes.
func (l pressureLook) diagnose() pressure.Diagnosis {
	m := &l.memory
	if l.noMemory != nil {
		m = nil
	}
	d := pressure.Diagnose(l.span, l.after, m, l.waiters())
	if slices.Contains(d.Causes, pressure.CPUBound) {
		d.Text += "; " + busyWords(l.busy)
	}
	return d
}

// waiters are the processes that wait for the disk, by name and place.
func (l pressureLook) waiters() (out []pressure.Waiter) {
	at := make(map[pressure.Waiter]int)
	for _, g := range byPlace(l.stuck) {
		for _, s := range g.list {
			if s.other {
				continue
			}
			key := pressure.Waiter{Name: buildlock.Printable(s.Comm), Where: buildlock.Printable(s.where.brief()), Link: s.link}
			i, ok := at[key]
			if !ok {
				i = len(out)
				at[key] = i
				out = append(out, key)
			}
			out[i].Count++
		}
	}
	return out
}
