package reaper_test

import (
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// twist changes one thing about a few processes: one kind of thing mostly.
func (m *maker) twist() {
	twists := []func(pid int){
		m.twistState, m.twistParent, m.twistSession, m.twistStart, m.twistUser, m.twistNamespaces, m.twistAge,
		m.twistCwd, m.twistDeleted, m.twistExe, m.twistFiles, m.twistTarget, m.twistTree, m.twistTop, m.twistTerminal,
		m.twistRun, m.twistKnown, m.twistOurs, m.twistProtected, m.twistScript, m.twistScript, m.twistScript,
		m.twistKnown, m.twistFiles, m.twistTarget, m.twistYounger, m.twistNest, m.twistOwner, m.twistOwner,
		m.twistState, m.twistDeleted, m.twistExe, m.twistUnder, m.twistUnder, m.twistTop,
		m.twistLiving, m.twistLiving, m.twistGpuci, m.twistTwo, m.twistTwo, m.twistService, m.twistUnread,
		m.twistCheckout, m.twistCheckout, m.twistTracer, m.twistParted, m.twistParted, m.twistInner, m.twistInner, m.twistTaken, m.twistTaken, m.twistDisguise, m.twistDisguise, m.twistReused, m.twistState, m.twistScript, m.twistNest, m.twistNest,
	}
	for range 2 {
		theme := pick(m, twists...)
		for range m.IntN(8) {
			theme(m.mine())
		}
	}
	for range m.IntN(3) {
		pick(m, twists...)(m.mine())
	}
}

// twistScript takes from a script what makes it a wrapper.
func (m *maker) twistScript(pid int) {
	if len(m.scripts) == 0 {
		return
	}
	m.change(pick(m, m.scripts...), func(it *reaper.Process) {
		switch m.IntN(4) {
		case 0:
			it.State, it.Threads = 'Z', 1
		case 1:
			it.Kernel = true
		case 2:
			it.Exe.Answer = proc.Unknown
		case 3: // and is of a run or job that may be over
			m.learn(it.PID, func(f *fact) { f.Leaf = m.run() })
		}
	})
}

func (m *maker) twistState(pid int) {
	m.change(pid, func(it *reaper.Process) {
		switch m.IntN(5) {
		case 0:
			it.State, it.Threads = 'Z', 1+m.IntN(2) // one thread of two is alive
		case 1:
			it.State, it.Threads = pick(m, byte('Z'), 'X'), 1
			it.Exe.Answer, it.Cwd.Answer = pick(m, proc.None, proc.Known), pick(m, proc.None, proc.Known)
			m.learn(pid, func(f *fact) { f.NSUnknown, f.CookieUnknown = m.one(2), m.one(2) })
			if m.one(4) {
				m.twistNamespaces(pid)
			}
		case 2, 3:
			it.Kernel = true
		case 4:
			it.Exe.Answer = pick(m, proc.Unknown, proc.None)
		}
	})
}

func (m *maker) twistParent(pid int) {
	m.change(pid, func(it *reaper.Process) {
		switch m.IntN(5) {
		case 0:
			it.PPID = m.any()
		case 1:
			it.PPID = pick(m, m.made...)
		case 2:
			it.PPID, _ = m.above()
		case 3: // a subreaper of its own, below something else
			it.PPID, it.Session = m.mine(), pick(m, it.Session, 3999)
		case 4:
			it.PPID, it.Session = pick(m, 1, 70, 900), 3999
		}
	})
}

func (m *maker) twistSession(pid int) {
	m.change(pid, func(it *reaper.Process) {
		it.Session = pick(m, pid, 0, 1, 70, 3999, m.w.Processes[it.PPID].Session)
	})
}

// twistStart lets somebody be younger than its child, or than all of them.
func (m *maker) twistStart(pid int) {
	m.change(pid, func(it *reaper.Process) {
		it.Start = pick(m, 0, it.Start-1, it.Start+1, it.Start+2, m.ticks+5)
	})
}

func (m *maker) twistUser(pid int) {
	m.change(pid, func(it *reaper.Process) {
		if m.one(2) {
			it.UIDKnown = false
		} else {
			it.UID++
		}
	})
}

func (m *maker) twistNamespaces(pid int) {
	m.learn(pid, func(f *fact) {
		switch m.IntN(3) {
		case 0:
			f.NS.Mount++
		case 1:
			f.NS.PID++
		case 2:
			f.NSUnknown = true
		}
	})
}

func (m *maker) twistAge(pid int) {
	m.change(pid, func(it *reaper.Process) {
		it.Age = pick(m, 0, time.Second-1, time.Second, 2*time.Second-1, 2*time.Second, 10*time.Second-1, 10*time.Second)
	})
}

func (m *maker) twistTerminal(pid int) {
	m.change(pid, func(it *reaper.Process) {
		it.TTY, it.TPGID = pick(m, 34817, 34817, 34817, 0), pick(m, it.PGRP, 4, -1)
		it.Session = pick(m, it.Session, it.Session, pid)
	})
}

// twistOurs lets us stand below a process, by a parent that may bear a reused pid.
func (m *maker) twistOurs(pid int) {
	m.change(pick(m, 800, 900), func(it *reaper.Process) {
		it.PPID = pid
		if m.one(2) {
			it.Start = m.ticks + 9
		}
	})
}

func (m *maker) twistProtected(pid int) {
	if m.w.Protected == nil {
		m.w.Protected = map[int]bool{}
	}
	m.w.Protected[pid] = true
}

// chaos leaves little as it was.
func (m *maker) chaos() {
	switch m.IntN(4) {
	case 0:
		delete(m.w.Processes, pick(m, 1, 900))
	case 1:
		for range 40 {
			m.twist()
		}
	case 2:
		m.learn(900, func(f *fact) { f.NS.Mount++ })
	case 3: // parents in a circle
		a, b := m.mine(), m.mine()
		m.change(a, func(it *reaper.Process) { it.PPID = b })
		m.change(b, func(it *reaper.Process) { it.PPID, it.Start = a, m.w.Processes[a].Start })
	}
}
