package reaper_test

import (
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// group adds the processes of one build, run or job.
func (m *maker) group() {
	parent, session := m.above()
	if m.one(8) { // a driver that lives
		parent, session = m.driver(parent), m.next
	}
	switch m.IntN(8) {
	case 0, 1:
		m.run1(parent, session)
	case 2:
		m.trainer(parent, session)
	default:
		m.build(parent, session)
	}
}

// above is who a group's first process has for a parent, and the session it
// is in: mostly an orphan's.
func (m *maker) above() (parent, session int) {
	session = 3000 + m.IntN(200) // of a shell that is gone
	switch m.IntN(20) {
	case 0:
		return 1, m.w.Processes[1].Session
	case 1:
		return 0, session
	case 2:
		return 29000, session // one that is not in the picture
	case 3:
		parent = m.any()
		return parent, m.w.Processes[parent].Session
	case 4:
		return pick(m, 70, 75, 77, 800, 900), session
	case 5:
		return m.any(), session
	case 6, 7:
		return 1, 0 // leads its own
	case 8:
		return pick(m, 70, 75), 0
	case 9, 10:
		return pick(m, 70, 75, 77), session
	}
	return 1, session
}

// born adds a process to a group; session 0 is its own.
func (m *maker) born(parent, session int, exe string) int {
	pid := m.pid()
	if session == 0 {
		session = pid
	}
	m.add(pid, parent, session, exe)
	m.change(pid, func(it *reaper.Process) { it.Cwd.Path = m.place() })
	if m.one(10) {
		m.learn(pid, func(f *fact) { f.CookieUnknown, f.FilesUnknown = m.one(2), m.one(2) })
	}
	if m.one(10) {
		m.learn(pid, m.service)
	}
	m.made = append(m.made, pid)
	return pid
}

// service is what is known of the unit that a process is in.
func (m *maker) service(f *fact) {
	f.Unit, f.UnitUnknown = pick(m, "", "run-r7.service", "nightly.service"), m.one(3)
}

// driver is what a living build is below: known to us or not.
func (m *maker) driver(parent int) int {
	return m.born(parent, 0, pick(m, "/root/.cargo/bin/cargo", "/usr/bin/make", "/usr/bin/python3.11", "/usr/bin/ninja", "/usr/bin/bash"))
}

// tool is the path of a member of the family, mostly.
func (m *maker) tool() string {
	name := pick(m, "rustc", "cc", "gcc", "collect2", "ld", "ld.mold", "rust-lld", "clang++-22", "gcc-12", "x86_64-linux-gnu-gcc-12",
		"arm-linux-gnueabihf-ld.bfd", "aarch64-unknown-linux-gnu-ld", "mipsel-linux-cc1", "clang-22.1", "lto-wrapper", "cicc", "ptxas", "nvcc", "gpuci-link", "cc1plus", "wild")
	if m.one(12) {
		name = pick(m, "ldd", "ld.so", "gcc-ar-12", "rustcc", "gcc-", "x86_64-linux-gnu-ar", "cargo", "ghc", "scons", "-ld", "LD", "ld-12a",
			"run-me-as", "x86-linux-gnu-gcc", "x86_64-ld", "arm-a-b-c-d-ld", "i686--gnu-ld", "x86_64-gcc-12", "linux-gnu-cc")
	}
	return pick(m, "/usr/bin/", "/usr/lib/gcc/x86_64-linux-gnu/12/", "/opt/cuda/bin/") + name
}

// build is a chain of tools with what they started, wrappers among them.
func (m *maker) build(parent, session int) {
	tree := []int{}
	for range 1 + m.IntN(6) {
		var pid int
		switch m.IntN(10) {
		case 0, 2:
			pid = m.born(parent, session, pick(m, "/usr/bin/bash", "/bin/sh", "/usr/bin/python3.11", "/usr/bin/perl", "/usr/bin/env"))
			m.change(pid, func(it *reaper.Process) { it.Comm = pick(m, "cc", "ld", "gcc-12", "nvcc", "build.sh") })
			m.learn(pid, func(f *fact) { f.Script = "/opt/wrap/" + m.w.Processes[pid].Comm })
			m.odd, m.scripts = append(m.odd, pid), append(m.scripts, pid)
		case 1:
			pid = m.born(parent, session, pick(m, "/usr/bin/sleep", "/usr/bin/make", "/usr/bin/bash", "/usr/bin/jq"))
			m.change(pid, func(it *reaper.Process) { it.Comm = pick(m, it.Comm, it.Comm, "ld") })
		default:
			pid = m.born(parent, session, m.tool())
		}
		if session == 0 {
			session = pid
		}
		tree = append(tree, pid)
		parent = pick(m, tree[len(tree)-1], tree[len(tree)-1], pick(m, tree...))
	}
}

// run1 is something that gpuci started.
func (m *maker) run1(parent, session int) {
	id := m.run()
	for range 1 + m.IntN(3) {
		pid := m.born(parent, session, pick(m, "/usr/bin/bash", m.testBinary(), m.testBinary(), m.product(), "/usr/bin/sleep"))
		if session == 0 {
			session = pid
		}
		m.change(pid, func(it *reaper.Process) {
			it.Cwd.Path = pick(m, it.Cwd.Path, m.near())
			it.State, it.Kernel = pick(m, it.State, it.State, it.State, 'X'), m.one(20)
		})
		m.learn(pid, func(f *fact) {
			f.Leaf, f.LeafUnknown = pick(m, id, id, ""), m.one(4)
			f.Cookie = pick(m, nil, []string{id}, []string{id, m.run()}, []string{id, id})
		})
		m.odd = append(m.odd, pid)
		parent = pid
	}
}

// trainer is somebody's long job, or a test binary that looks like one.
func (m *maker) trainer(parent, session int) {
	pid := m.born(parent, session, pick(m, m.testBinary(), m.testBinary(), m.testBinary(), "/wt/kda/target/release/train", "/usr/bin/python3"))
	if session == 0 {
		session = pid
	}
	m.odd = append(m.odd, pid)
	m.learn(pid, func(f *fact) { f.HUP, f.HUPUnknown = m.one(4), m.one(10) })
	if m.one(12) {
		m.change(pid, func(it *reaper.Process) { it.Exe.Answer = proc.Unknown })
	}
	if m.w.Protected != nil && m.one(4) {
		m.w.Protected[pid] = true
	}
	if m.one(2) {
		m.change(pid, func(it *reaper.Process) { it.Cwd = proc.Place{Answer: proc.Known, Path: m.near()} })
	}
	for range m.IntN(3) {
		m.born(pid, session, pick(m, "/usr/bin/python3", m.tool(), m.testBinary()))
	}
}
