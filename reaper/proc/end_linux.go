package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Limits bounds the end of a process tree. The zero value works.
type Limits struct {
	Grace  time.Duration // between SIGTERM and SIGKILL; 0 means no SIGTERM at all
	Settle time.Duration // what may still end by itself before it is signalled
	Kill   time.Duration // how long SIGKILL may take, 5 s when 0
}

// defaultKill bounds the wait for processes that SIGKILL does not end. One in
// D stays as long as its disk does; waiting longer would hang us with it.
const defaultKill = 5 * time.Second

// poll is the pause between two looks. A look is one pass over /proc, a few
// milliseconds on a busy machine.
const poll = 10 * time.Millisecond

// Members returns what is alive of the command now: itself, everything below
// it, and the orphans below it that were handed to us. Orphans are told from
// our own short-lived children (git, a compiler asked for its version) by the
// process group: those stay in ours, the command's never were.
func (p *Process) Members() ([]Stat, error) {
	t, err := Real.Table()
	if err != nil {
		return nil, err
	}
	ours := t[p.self].PGRP
	p.mu.Lock()
	child := p.pid
	p.mu.Unlock()
	var tops []int
	var out []Stat
	for _, s := range t {
		if s.PPID != p.self || s.PGRP == ours {
			continue
		}
		if s.Zombie() && s.PID != child {
			reap(s.PID)
			continue
		}
		tops = append(tops, s.PID)
		if !s.Zombie() {
			out = append(out, s)
		}
	}
	for _, s := range t.Below(tops...) {
		if !s.Zombie() {
			out = append(out, s)
		}
	}
	return out, nil
}

// reap collects one dead orphan by pid. Never any pid: that would steal the
// exit status of a child that os/exec waits for.
func reap(pid int) {
	var ws unix.WaitStatus
	_, _ = unix.Wait4(pid, &ws, unix.WNOHANG, nil)
}

// CPU is the processor time used so far by the living members and the
// children they waited for.
func (p *Process) CPU() (time.Duration, error) {
	members, err := p.Members()
	if err != nil {
		return 0, err
	}
	var ticks uint64
	for _, s := range members {
		ticks += s.CPU + s.Waited
	}
	return CPUTime(ticks), nil
}

// End ends everything that is alive of the command: it lets it settle, asks
// with SIGTERM, then kills, again and again until two looks in a row find
// nothing or the limit is reached. It returns what it had to signal and what
// it could not end; hurry, when closed, skips what is left of the grace.
func (p *Process) End(lim Limits, hurry <-chan struct{}) (ended, left []Stat) {
	if lim.Kill == 0 {
		lim.Kill = defaultKill
	}
	if p.gone(lim.Settle, hurry) {
		return nil, nil
	}
	e := ender{p: p, seen: make(map[Identity]bool)}
	if lim.Grace > 0 {
		e.signal(unix.SIGTERM)
		e.signal(unix.SIGCONT) // a stopped process acts on SIGTERM only when continued
		if p.gone(lim.Grace, hurry) {
			return e.ended, nil
		}
	}
	deadline := time.Now().Add(lim.Kill)
	for empty := 0; empty < 2 && time.Now().Before(deadline); time.Sleep(poll / 2) {
		if e.signal(unix.SIGKILL) == 0 {
			empty++
		} else {
			empty = 0
		}
	}
	left, _ = p.Members()
	return e.ended, left
}

// gone waits up to d for the members to end by themselves.
func (p *Process) gone(d time.Duration, hurry <-chan struct{}) bool {
	deadline := time.Now().Add(d)
	for {
		if m, err := p.Members(); err == nil && len(m) == 0 {
			return true
		}
		if !time.Now().Before(deadline) {
			return false
		}
		select {
		case <-hurry:
			return false
		case <-time.After(poll):
		}
	}
}

// ender remembers whom it signalled, so that each is told once.
type ender struct {
	p     *Process
	seen  map[Identity]bool
	ended []Stat
}

// signal sends sig to every member and returns how many there were.
func (e *ender) signal(sig unix.Signal) int {
	members, err := e.p.Members()
	if err != nil {
		return -1 // not empty: nobody may conclude that all are gone
	}
	for _, s := range members {
		if s.PID == os.Getpid() {
			continue
		}
		id := Identity{PID: s.PID, Start: s.Start, BootID: e.p.Identity.BootID}
		if Real.Signal(id, sig) == nil && !e.seen[id] {
			e.seen[id] = true
			e.ended = append(e.ended, s)
		}
	}
	return len(members)
}
