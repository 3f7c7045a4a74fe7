package reaper_test

import (
	"path"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// twistCheckout puts another repository's work tree somewhere on the way up from
// where a process stands.
func (m *maker) twistCheckout(pid int) {
	if top := m.topOf(pid); top != pid && !m.one(3) { // only those below say whose it is
		m.away(top)
		m.change(pid, func(it *reaper.Process) { it.Cwd.Path = m.lane().Root + "/z" })
		m.learn(top, func(f *fact) { *f = fact{NS: f.NS, Autogroup: f.Autogroup, Script: f.Script, Checkout: "/"} })
		return
	}
	if m.one(3) {
		pid = m.topOf(pid)
	}
	if m.one(3) {
		m.elsewhere(pid)
	}
	at := m.w.Processes[pid].Cwd.Path
	m.learn(pid, func(f *fact) {
		f.Checkout = pick(m, at, at, path.Dir(at), path.Dir(path.Dir(at)), "/")
		if m.one(3) {
			f.Checkout, f.CheckoutUnknown = "", true
		}
	})
}

// elsewhere leaves it to a program or a file to say whose a process is.
func (m *maker) elsewhere(pid int) {
	m.away(pid)
	if m.one(2) {
		m.learn(pid, func(f *fact) { f.Files, f.FilesUnknown = []string{m.lane().Target + "/x.o"}, false })
		return
	}
	name := comm(m.w.Processes[pid].Exe.Path)
	m.change(pid, func(it *reaper.Process) { it.Exe.Path = m.lane().Target + "/" + name })
}

// twistReused lets a removed lane be wanted, and what stands or stood in its
// place be somebody else's, or nobody's.
func (m *maker) twistReused(pid int) {
	for _, l := range m.w.Lanes {
		if !l.Removed || !m.one(2) {
			continue
		}
		m.w.Wanted[l.Name] = true
		m.change(pid, func(it *reaper.Process) {
			it.Cwd = proc.Place{Answer: proc.Known, Path: l.Root + pick(m, "", "/src"), Deleted: !m.one(3)}
		})
		m.learn(pid, func(f *fact) {
			f.Checkout, f.CheckoutUnknown = pick(m, "", "", l.Root, l.Root, path.Dir(l.Root)), m.one(6)
		})
	}
}
