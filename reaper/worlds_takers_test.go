package reaper_test

import (
	"fmt"
	"maps"
	"slices"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

func (m *maker) twistTracer(pid int) {
	m.learn(pid, func(f *fact) { f.Tracer, f.TracerUnknown = pick(m, 0, 800, 4711), m.one(3) })
	if m.one(2) {
		m.change(pid, func(it *reaper.Process) { it.State, it.Threads = 'Z', 1 })
	}
}

// twistParted lets the parent of a tree's top lead a session that may be older
// or younger than the top's, and the top be in one from outside.
func (m *maker) twistParted(pid int) {
	pid = m.topOf(pid)
	parent := pick(m, 70, 75, 75, 75, 800, 1)
	m.change(pid, func(it *reaper.Process) { it.PPID, it.Session = parent, pick(m, 3995, 3995, 0, it.Session) })
	m.change(1, func(it *reaper.Process) { it.Session = pick(m, it.Session, 1) })
	m.learn(pid, func(f *fact) { f.Autogroup, f.AutogroupUnknown = pick(m, uint64(10), 60, 75, 3995), m.one(4) })
	m.learn(parent, func(f *fact) { f.AutogroupUnknown = m.one(4) })
}

// twistTaken lets what took a tree over be a gpuci by what is known of runs, or
// by the cookie, or look like one.
func (m *maker) twistTaken(pid int) {
	pid = m.topOf(pid)
	m.change(77, func(it *reaper.Process) { it.Exe = proc.Place{Answer: proc.Known, Path: "/opt/ci/bin/other"} })
	m.change(pid, func(it *reaper.Process) { it.PPID, it.Session = pick(m, 77, 77, 75, 1), pick(m, it.Session, 3994) })
	m.learn(pid, func(f *fact) { f.Autogroup = 3994 })
	if m.one(2) {
		m.learn(pid, func(f *fact) {
			f.Cookie, f.CookieUnknown = []string{pick(m, "run1", "run0"), fmt.Sprintf("%d-unnamed", pick(m, m.w.Processes[pid].PPID, m.w.Processes[pid].PPID, 1, 4711))}, m.one(6)
		})
		return
	}
	ids := slices.Sorted(maps.Keys(m.w.Runs))
	id := pick(m, ids...)
	run := m.w.Runs[id]
	run.Gpuci = proc.Identity{PID: 77, Start: m.w.Processes[77].Start + pick(m, uint64(0), 0, 1)}
	m.w.Runs[id] = run
}

// twistInner lets something below a tree's top be a gpuci, a shim, or of a run
// that lives.
func (m *maker) twistInner(pid int) {
	parent, there := m.parent(pid)
	if !there {
		return
	}
	if m.one(2) {
		for id, run := range m.w.Runs {
			if run.Lives {
				m.learn(pid, func(f *fact) {
					f.Leaf, f.Cookie, f.CookieUnknown = pick(m, id, ""), pick(m, []string{id}, nil), m.one(8)
				})
			}
		}
		return
	}
	m.change(pid, func(it *reaper.Process) {
		it.Exe.Path, it.Comm = "/usr/local/bin/gpuci", pick(m, "gpuci", "gpuci", "ld", "cc")
	})
	if m.one(2) {
		m.change(parent, func(it *reaper.Process) { it.Exe.Path, it.Comm = "/usr/bin/make", "make" })
	}
}

// twistDisguise lets the script that a process runs have another name than it
// goes by.
func (m *maker) twistDisguise(int) {
	for _, pid := range m.scripts {
		m.learn(pid, func(f *fact) {
			f.Script = "/opt/wrap/" + m.w.Processes[pid].Comm
			switch m.IntN(3) {
			case 0:
				f.ScriptUnknown = true
			case 1:
				f.Script = pick(m, "/opt/wrap/build.py", "")
			}
		})
	}
}
