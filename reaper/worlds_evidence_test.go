package reaper_test

import (
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

func (m *maker) twistCwd(pid int) {
	m.change(pid, func(it *reaper.Process) {
		switch m.IntN(3) {
		case 0:
			it.Cwd.Answer = pick(m, proc.Unknown, proc.None)
		case 1:
			it.Cwd.Path, it.Cwd.Deleted = m.near(), m.one(2)
		case 2:
			it.Cwd.Path = m.lane().Root + "/z"
		}
	})
}

// twistDeleted lets a directory be gone, or a whole lane.
func (m *maker) twistDeleted(pid int) {
	m.change(pid, func(it *reaper.Process) {
		it.Cwd.Path = pick(m, it.Cwd.Path, "/wt/gone/x", "/wt/kda/old/x", "/wt/before/y", "/wt/kda/y", "/src/main/x/y")
		it.Cwd.Deleted = !m.one(4)
	})
}

// away takes a process out of every lane.
func (m *maker) away(pid int) {
	m.change(pid, func(it *reaper.Process) {
		it.Cwd.Path = pick(m, "/", "/root/.cargo/registry/src/cc-1.2", "/home/u")
	})
}

func (m *maker) twistExe(pid int) {
	m.away(pid)
	m.change(pid, func(it *reaper.Process) {
		it.Exe.Path = m.product() + "/" + comm(m.tool())
		it.Exe.Deleted = m.one(3)
		if m.one(3) {
			it.Exe.Answer = proc.Unknown // a driver's, below which a tool may be
		}
	})
}

func (m *maker) twistFiles(pid int) {
	m.away(pid)
	m.learn(pid, func(f *fact) {
		f.Files, f.FilesUnknown = []string{"/dev/null", m.product()}, m.one(6)
		for range m.IntN(3) {
			f.Files = append(f.Files, m.product())
		}
	})
}

// twistTarget leaves a program or a file beside a target directory, or in one
// that is not known, as the only thing that says whose a process is.
func (m *maker) twistTarget(pid int) {
	m.away(pid)
	file := m.lane().Target + pick(m, "2", "", ".old") + "/debug/x/" + comm(m.tool())
	if m.one(2) {
		m.change(pid, func(it *reaper.Process) { it.Exe.Path = file })
		return
	}
	m.learn(pid, func(f *fact) { f.Files = []string{file} })
}

// twistKnown takes the knowledge away and leaves the value.
func (m *maker) twistKnown(pid int) {
	m.change(pid, func(it *reaper.Process) {
		switch m.IntN(3) {
		case 0:
			it.Exe.Answer = proc.Unknown
		case 1:
			it.Cwd.Answer = pick(m, proc.Unknown, proc.None)
		case 2:
			it.Exe.Path, it.Exe.Answer = m.product()+"/x", proc.Unknown
			it.Cwd.Path = "/"
		}
	})
	if m.one(2) {
		return
	}
	m.away(pid)
	id := pick(m, "run0", "run1")
	m.learn(pid, func(f *fact) {
		*f = fact{NS: f.NS, NSUnknown: f.NSUnknown}
		switch m.IntN(3) {
		case 0:
			f.Cookie, f.CookieUnknown = []string{id}, true
		case 1:
			f.Leaf, f.LeafUnknown = id, true
		case 2:
			f.Files, f.FilesUnknown = []string{m.product()}, true
		}
	})
}

// twistOwner lets a process stand in some lane, wanted or not.
func (m *maker) twistOwner(pid int) {
	for _, l := range m.w.Lanes {
		if m.one(3) {
			m.change(pid, func(it *reaper.Process) { it.Cwd.Path = l.Root + "/z" })
		}
	}
}

// twistYounger lets the pid of a tool's parent be a reused one.
func (m *maker) twistYounger(pid int) {
	if parent, there := m.parent(pid); there {
		m.change(parent, func(it *reaper.Process) { it.Start = m.w.Processes[pid].Start + 1 })
	}
}

// twistNest lets an orphan be below something that is spared.
func (m *maker) twistNest(pid int) {
	if parent, there := m.parent(pid); there {
		m.change(pid, func(it *reaper.Process) { it.Session = 3998 })
		pick(m, m.twistUser, m.twistNamespaces, m.twistOwner, m.twistProtected, m.twistParent)(parent)
	}
}

// twistUnder lets an orphan be below a younger process's pid, two steps down.
func (m *maker) twistUnder(pid int) {
	parent, there := m.parent(pid)
	for _, other := range m.made {
		if it := m.w.Processes[other]; there && it.PPID == 1 && it.Start > m.w.Processes[parent].Start {
			m.change(parent, func(it *reaper.Process) { it.PPID = other })
			m.change(pid, func(it *reaper.Process) { it.Session = 3997 })
			return
		}
	}
}

// parent is the one of a process that a group made as well.
func (m *maker) parent(pid int) (parent int, there bool) {
	parent = m.w.Processes[pid].PPID
	_, there = m.w.Processes[parent]
	return parent, there && parent >= 2000
}

// twistTree leaves the question whose a tree is to all of its members.
func (m *maker) twistTree(pid int) {
	for range 4 {
		m.away(pid)
		parent, there := m.parent(pid)
		if !there {
			return
		}
		pid = parent
	}
}

// twistTop takes the first of a tree away, and what is known of it.
func (m *maker) twistTop(pid int) {
	pid = m.topOf(pid)
	m.away(pid)
	pick(m, m.twistRun, m.twistFiles, m.twistExe, m.twistKnown, m.away)(pid)
}

// topOf is the first of the tree that a group made of which a process is.
func (m *maker) topOf(pid int) int {
	for range 9 {
		parent, there := m.parent(pid)
		if !there {
			break
		}
		pid = parent
	}
	return pid
}
