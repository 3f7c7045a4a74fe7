package reaper_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// maker makes one world out of one number. Nearly everything in it begins as
// something that a sweep would end; then a few things are twisted, so that each
// clause of the rule is often the only one that decides.
type maker struct {
	*rand.Rand
	w       *world
	ticks   uint64
	next    int
	made    []int // the processes of builds, runs and jobs
	odd     []int // those of them that are no tools: scripts, runs, jobs
	scripts []int // those that stand in for a tool, mostly
}

// home are the namespaces of the machine itself.
var home = proc.Namespaces{Mount: 4026531841, PID: 4026531836}

func newWorld(seed uint64) *world {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 6)), next: 2000, ticks: 100}
	m.w = &world{Self: 900, UID: uint32(m.IntN(2) * 1000), Processes: map[int]reaper.Process{}, Facts: factBook{}}
	m.runs()
	m.lanes()
	m.rules()
	m.system()
	for size := len(m.w.Processes) + 2 + m.IntN(50); len(m.w.Processes) < size; {
		m.group()
	}
	m.twist()
	if m.one(40) {
		m.chaos()
	}
	return m.w
}

// one says yes once in n times.
func (m *maker) one(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m *maker, from ...T) T { return from[m.IntN(len(from))] }

// add puts a process into the world: alive, old, ours, with nothing special.
func (m *maker) add(pid, parent, session int, exe string) reaper.Process {
	m.ticks += uint64(m.IntN(3))
	it := reaper.Process{
		Stat: proc.Stat{PID: pid, PPID: parent, PGRP: session, Session: session, TPGID: -1,
			Comm: comm(exe), State: pick(m, byte('S'), 'R', 'D', 'T', 'S'), Threads: 1 + m.IntN(3), Start: m.ticks},
		UID: m.w.UID, UIDKnown: true,
		Exe: proc.Place{Answer: proc.Known, Path: exe},
		Cwd: proc.Place{Answer: proc.Known, Path: "/"},
		Age: time.Minute + time.Duration(m.IntN(1000))*time.Second,
	}
	m.w.Processes[pid], m.w.Facts[pid] = it, fact{NS: home, Autogroup: uint64(session), Script: "/opt/wrap/" + comm(exe)}
	return it
}

// comm is the name that the kernel shows of a program.
func comm(exe string) string {
	for i := len(exe) - 1; i >= 0; i-- {
		if exe[i] == '/' {
			exe = exe[i+1:]
			break
		}
	}
	return exe[:min(len(exe), 15)]
}

// change edits one process.
func (m *maker) change(pid int, edit func(it *reaper.Process)) {
	it := m.w.Processes[pid]
	edit(&it)
	m.w.Processes[pid] = it
}

// learn edits what is known of one.
func (m *maker) learn(pid int, edit func(f *fact)) {
	f := m.w.Facts[pid]
	edit(&f)
	m.w.Facts[pid] = f
}

// rules are the options of the sweep.
func (m *maker) rules() {
	w := m.w
	w.TestBinaries = !m.one(3)
	w.Floor = pick(m, 0, 0, time.Second, 10*time.Second)
	if m.one(6) {
		w.Family = pick(m, []string{}, []string{"ld", "cc", "rustc"}, []string{"ghc", "ld", "collect2", "ld.mold", "scons"})
	}
	if m.one(4) {
		w.Tools = map[string][]string{pick(m, "kda", "kda2"): {"scons", "sleep", "make", "ghc"}, pick(m, "inner", "kda"): {"jq"}}
	}
	if m.one(2) {
		w.Protected = map[int]bool{}
	}
}

// system are the processes that every machine has: 1, shells, subreapers,
// threads of the kernel, and ourselves.
func (m *maker) system() {
	first := pick(m, "/usr/lib/systemd/systemd", "/usr/lib/systemd/systemd", "/sbin/init", "/root/.cargo/bin/cargo", "/usr/bin/bash", "/usr/bin/gpuci")
	m.add(1, 0, pick(m, 1, 1, 1, 0), first)
	m.w.Systemd = comm(first) == "systemd" && !m.one(10) || m.one(10)
	if m.one(3) {
		for _, pid := range []int{2, 3} {
			m.add(pid, pid/3*2, 0, "")
			m.change(pid, func(it *reaper.Process) {
				it.Kernel, it.Comm = true, pick(m, "kworker/0:1", "ld", "rustc")
				it.Exe, it.Cwd = proc.Place{Answer: proc.None}, proc.Place{Answer: proc.None}
			})
		}
	}
	m.add(70, 1, 70, "/usr/lib/systemd/systemd") // systemd --user
	m.add(75, 1, 75, "/usr/bin/tmux")            // a server
	own := pick(m, "/usr/local/bin/gpuci", "/usr/local/bin/gpuci", "/opt/ci/bin/kernel-ci")
	m.add(77, 1, 77, "/usr/local/bin/gpuci") // another one, or what looks like it
	m.change(77, func(it *reaper.Process) {
		it.Exe.Answer = pick(m, proc.Known, proc.Known, proc.Unknown)
		it.Exe.Path = pick(m, it.Exe.Path, it.Exe.Path, own, own, "/usr/bin/tmux", "/opt/gpuci/bin/gpuci-ci", "/opt/gpuci/bin/run")
	})
	m.add(800, pick(m, 1, 70, 75), 800, "/bin/zsh") // where we were typed
	m.change(800, func(it *reaper.Process) { it.TTY, it.TPGID, it.Cwd.Path = 34816, 900, m.place() })
	m.add(900, 800, 800, own)
	m.change(900, func(it *reaper.Process) { it.PGRP, it.TTY, it.TPGID, it.Cwd.Path = 900, 34816, 900, m.place() })
	if m.one(5) {
		m.change(900, func(it *reaper.Process) { it.Exe.Answer = proc.Unknown })
	}
	if m.one(12) {
		m.learn(900, func(f *fact) { f.NSUnknown = true })
	}
}

// any is a process that the world has.
func (m *maker) any() int { return pick(m, slices.Sorted(maps.Keys(m.w.Processes))...) }

// mine is one of those that groups made.
func (m *maker) mine() int {
	if len(m.odd) > 0 && m.one(2) {
		return pick(m, m.odd...)
	}
	return pick(m, m.made...)
}

// pid is one that is free.
func (m *maker) pid() int {
	m.next += 1 + m.IntN(4)
	return m.next
}

// runs are those that gpuci knows of.
func (m *maker) runs() {
	m.w.Runs = map[string]reaper.Run{}
	for i, lane := range []string{"kda", "kda", "kda2", "inner", "gone", ""} {
		m.w.Runs[fmt.Sprintf("run%d", i)] = reaper.Run{Lane: lane, Lives: m.one(3)}
	}
}

// run is the name of one, known or not.
func (m *maker) run() string {
	return pick(m, "run0", "run0", "run1", "run1", "run2", "run3", "run4", "run5", "run9")
}
