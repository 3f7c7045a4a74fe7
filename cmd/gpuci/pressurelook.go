package main

import (
	"context"
	"fmt"
	"time"

	"gpuci/buildlock"
	"gpuci/pressure"
	"gpuci/reaper/proc"
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
	lanes := a.lanes(ctx, p, len(l.stuck)+len(builds) > 0)
	l.stuck = seatsOf(ctx, proc.Real, l.stuck, lanes)
	l.builds = idleBuilds(ctx, s, builds, tickets, lanes, defaultIdle())
	l.unseen = unseenBy(s, l.stuck)
	l.diagnosis = l.diagnose()
	return l, nil
}

// diagnose hands over what was seen.
func (l pressureLook) diagnose() pressure.Diagnosis {
	m := &l.memory
	if l.noMemory != nil {
		m = nil
	}
	return pressure.Diagnose(l.span, l.after, m, l.waiters())
}

// waiters are the processes in D, by name and place.
func (l pressureLook) waiters() (out []pressure.Waiter) {
	at := make(map[pressure.Waiter]int)
	for _, g := range byPlace(l.stuck) {
		for _, s := range g.list {
			key := pressure.Waiter{Name: buildlock.Printable(s.Comm), Where: buildlock.Printable(g.where)}
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
