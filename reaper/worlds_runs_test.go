package reaper_test

import (
	"maps"
	"slices"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

func (m *maker) twistRun(pid int) {
	if m.one(2) {
		m.away(pid)
	}
	m.learn(pid, func(f *fact) {
		f.Leaf, f.LeafUnknown = pick(m, "", "", m.run()), m.one(5)
		f.Cookie = pick(m, nil, []string{m.run()}, []string{m.run()}, []string{m.run(), m.run()})
		f.CookieUnknown = m.one(5)
		f.HUP, f.HUPUnknown = m.one(3), m.one(5)
	})
}

// twistLiving lets a run that may live be named at the top of a tree, or below.
func (m *maker) twistLiving(pid int) {
	if !m.one(4) {
		pid = m.topOf(pid)
	}
	id := m.run()
	for _, other := range slices.Sorted(maps.Keys(m.w.Runs)) {
		if m.w.Runs[other].Lives && !m.one(3) {
			id = other
		}
	}
	m.learn(pid, func(f *fact) {
		switch m.IntN(3) {
		case 0:
			f.Leaf, f.LeafUnknown = id, m.one(3)
		case 1:
			f.Cookie, f.CookieUnknown = []string{id}, m.one(3)
		case 2:
			f.Leaf, f.Cookie = pick(m, "", m.run()), []string{m.run(), id}
		}
	})
}

// twistGpuci puts the top of a tree below a gpuci, or what looks like one.
func (m *maker) twistGpuci(pid int) {
	m.change(m.topOf(pid), func(it *reaper.Process) { it.PPID = pick(m, 1, 77, 77, 77, 900) })
}

// twistService puts the top of a tree below process 1, where it may be a service.
func (m *maker) twistService(pid int) {
	pid = m.topOf(pid)
	m.change(pid, func(it *reaper.Process) { it.PPID, it.Session = 1, pick(m, pid, pid, it.Session) })
	m.learn(pid, m.service)
}

// twistUnread lets an environment that does not answer be all that names a run,
// and one that is over: now and then none lives.
func (m *maker) twistUnread(pid int) {
	m.away(pid)
	if m.one(2) {
		for id, run := range m.w.Runs {
			m.w.Runs[id] = reaper.Run{Lane: run.Lane}
		}
	}
	m.learn(pid, func(f *fact) { *f = fact{NS: f.NS, Cookie: []string{m.over()}, CookieUnknown: true} })
}

// twistTwo lets the cwd, or the files, of a process be two lanes', and something
// else name one.
func (m *maker) twistTwo(pid int) {
	over := m.over()
	m.learn(pid, func(f *fact) {
		f.Leaf, f.LeafUnknown = pick(m, "", over), false
		f.Cookie, f.CookieUnknown = pick(m, nil, nil, []string{over}), false
		f.Files, f.HUP, f.HUPUnknown = nil, false, false
	})
	if m.one(3) {
		m.away(pid)
		m.learn(pid, func(f *fact) { f.Files = []string{m.product(), m.product(), m.product()} })
		return
	}
	l := m.lane()
	for i := range m.w.Lanes {
		if m.w.Lanes[i].Removed {
			m.w.Lanes[i].Root = l.Root
			m.w.Lanes[i].Name = pick(m, m.w.Lanes[i].Name, l.Name)
		}
	}
	m.change(pid, func(it *reaper.Process) {
		it.Cwd = proc.Place{Answer: proc.Known, Path: l.Root + "/x", Deleted: true}
		if m.one(2) {
			it.Exe.Path, it.PPID, it.Session = l.Target+"/debug/deps/x-"+hex(m.Rand), 1, 3996
		}
	})
}

// over is a run that is over, of a wanted lane, if there is one.
func (m *maker) over() string {
	for _, id := range slices.Sorted(maps.Keys(m.w.Runs)) {
		if run := m.w.Runs[id]; !run.Lives && m.w.Wanted[run.Lane] {
			return id
		}
	}
	return m.run()
}
