package main

import (
	"context"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// lanesLook is all that `gpuci worktrees` tells.
type lanesLook struct {
	lanes   []laneLook
	base    worktrees.Base
	now     time.Time
	noLocks bool // it is not known who waits for the locks
	noLeaks bool // it is not known what is leaked
	noGates bool // it is not known what gates came to
}

// laneLook is a lane, and what is known of it.
type laneLook struct {
	worktrees.Standing
	config   *config.Config // nil where there is none, or it is wrong
	wrong    string         // of the latter: the first mistake
	gates    []laneOutcome  // what its gates came to, in the order of the configuration
	ran      time.Time      // when one last began here; zero for never
	required []string       // gates that are to be green before it can land
	tickets  []laneTicket
	leaked   int          // processes
	owes     []gates.Debt // measurements, the oldest first

	comparisons []owedComparison // the same of two arms
}

// laneTicket is a place in line for a lock.
type laneTicket struct {
	Lock  buildlock.Lock `json:"lock"`
	ID    string         `json:"ticket"`
	State string         `json:"state"`
	Place int            `json:"place,omitempty"` // of one that waits
}

// lookAt finds out what a survey does not tell. What cannot be told is said, and
// is no error: the rest is.
func (a *app) lookAt(ctx context.Context, p place, list []worktrees.Standing) lanesLook {
	l := lanesLook{now: time.Now(), lanes: make([]laneLook, len(list))}
	for i, st := range list {
		l.lanes[i].Standing = st
		l.base = st.Base
	}
	a.lookAtGates(ctx, p, &l)
	a.lookAtLocks(ctx, p, &l)
	a.lookAtLeaks(ctx, p, &l)
	a.lookAtDebts(ctx, p, &l)
	a.lookAtComparisons(p, &l)
	return l
}

// trees are the lanes, as far as they are known.
func (l lanesLook) trees() (trees []worktrees.Tree) {
	for _, lane := range l.lanes {
		if lane.Root != "" {
			trees = append(trees, lane.Tree)
		}
	}
	return trees
}

// lookAtLocks finds the tickets of each lane.
func (a *app) lookAtLocks(ctx context.Context, p place, l *lanesLook) {
	queues, err := buildlock.Status(ctx, p.lockDir())
	if err != nil && ctx.Err() == nil {
		a.console.note("who waits for the locks is not known: " + err.Error())
	}
	l.noLocks = err != nil
	lockState{queues: queues}.locate(l.trees())
	for _, q := range queues {
		for _, e := range q.Entries {
			at := slices.IndexFunc(l.lanes, func(lane laneLook) bool { return lane.has(e) })
			if at >= 0 && e.State != buildlock.StateVoid {
				l.lanes[at].tickets = append(l.lanes[at].tickets, laneTicket{q.Lock, e.ID, e.State, q.Place(e.Number)})
			}
		}
	}
}

// has says whether a ticket is the lane's. A ticket says no long path whole.
func (l laneLook) has(e buildlock.Entry) bool {
	return l.Root != "" && (e.Root == l.Root || e.Root == buildlock.Clip(l.Root))
}

// lookAtLeaks counts what the reaper would end in each lane.
func (a *app) lookAtLeaks(ctx context.Context, p place, l *lanesLook) {
	g := ground{lane: p.lane, lanes: l.trees(), meant: make(map[string]bool)}
	for _, t := range g.lanes {
		g.meant[t.Name] = true
	}
	var leave []string
	g.state, _ = gates.StateDir(p.lane, p.lane.Root)
	g.runs, leave = gates.Runs(g.state)
	for _, gate := range p.config.Gates {
		leave = append(leave, gate.Leave...)
	}
	g.rules = gates.SweepRules(nil, leave)
	tools, _ := laneTools(g, p.config) // a file that is wrong is said of its lane
	g.rules.Tools = func(lane string) []string { return tools[lane] }
	_, judged, err := g.judge(ctx)
	if l.noLeaks = err != nil; err != nil {
		if ctx.Err() == nil {
			a.console.note("what is leaked is not known: " + err.Error())
		}
		return
	}
	leaked := make(map[string]int)
	for _, j := range judged.Judged {
		leaked[j.Lane] += 1 - rank(j.Leaked)
	}
	for i := range l.lanes {
		l.lanes[i].leaked = leaked[l.lanes[i].Name]
	}
}
