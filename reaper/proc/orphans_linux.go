package proc

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// children returns the direct children of this process: what it started and
// what was handed to it as the subreaper. The kernel keeps a list per thread
// (CONFIG_PROC_CHILDREN); where it does not, all processes are read.
func children() []int {
	self := os.Getpid()
	tasks := filepath.Join(string(Real), strconv.Itoa(self), "task")
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	var out []int
	for _, t := range threads {
		data, err := os.ReadFile(filepath.Join(tasks, t.Name(), "children"))
		if err != nil {
			if _, gone := os.Stat(filepath.Join(tasks, t.Name())); gone != nil {
				continue // the thread ended
			}
			return childrenByTable(self)
		}
		for field := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

func childrenByTable(self int) []int {
	table, err := Real.Table()
	if err != nil {
		return nil
	}
	var out []int
	for pid, s := range table {
		if s.PPID == self {
			out = append(out, pid)
		}
	}
	return out
}

// foreign returns those of our children that are not our own short-lived ones
// (git, a compiler asked for its version): these stay in our process group,
// what a supervised command starts never was in it. Dead ones but the command
// itself, which os/exec waits for, are reaped by pid and left out. Never by
// "any child": that would steal an exit status.
//
// A process that ends hands its children to us at that moment. So a look in
// which one of the listed has ended is a look too early, and is taken again:
// else a family that forks faster than we read would seem to be gone.
func (p *Process) foreign() []Stat {
	for range maxLooks {
		if out, stable := p.lookForeign(); stable {
			return out
		}
	}
	out, _ := p.lookForeign()
	return append(out, Stat{State: 'R', Comm: "(too quick to be seen)"})
}

// maxLooks bounds the looks; each takes a fraction of a millisecond, and only a
// family that forks as fast makes all of them fail.
const maxLooks = 100

func (p *Process) lookForeign() (out []Stat, stable bool) {
	if noChildren() {
		return nil, true
	}
	ours := unix.Getpgrp()
	p.mu.Lock()
	command := p.pid
	p.mu.Unlock()
	commands.RLock() // nobody starts one while we look
	defer commands.RUnlock()
	stable = true
	for _, pid := range children() {
		s, err := Real.Stat(pid)
		switch {
		case err != nil || s.PPID != os.Getpid():
			stable = false
		case pid == command && !s.Zombie():
			out = append(out, s)
		case s.PGRP == ours || commands.pids[pid]: // os/exec's, ours or another command's
		case commands.spared[pid] == s.Start && !s.Zombie(): // and start ticks are never 0
		case !s.Zombie():
			out = append(out, s)
		default:
			p.reap(pid)
			stable = false
		}
	}
	return out, stable
}

// noChildren asks the kernel, which knows for certain: waitid(2) answers
// ECHILD when this process has no child at all. WNOWAIT leaves every exit
// status where it is.
func noChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err == unix.ECHILD
}

// reap collects one dead orphan and what it used.
func (p *Process) reap(pid int) {
	var ws unix.WaitStatus
	var ru unix.Rusage
	if got, err := unix.Wait4(pid, &ws, unix.WNOHANG, &ru); err == nil && got == pid {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.orphans.add(ru)
	}
}

// reapAlong reaps orphans as they die, so that a long run does not fill the
// process table with them. It ends when stop is closed.
func (p *Process) reapAlong(stop <-chan struct{}) {
	died := make(chan os.Signal, 1)
	signal.Notify(died, unix.SIGCHLD)
	defer signal.Stop(died)
	for {
		select {
		case <-stop:
			return
		case <-died:
			p.foreign()
		}
	}
}
