package reaper

import "gpuci/reaper/proc"

// glanceMost is how many numbers a glance looks at: more than a machine gives
// away while a look goes on, unless it does nothing but start processes. Each
// that nobody has costs 2 us.
const glanceMost = 512

// glance adds to a picture who was born while it was taken, the newest first.
// The list of a pass is of its beginning, so that one who lives for some
// milliseconds is mostly gone when its turn comes: of a chain, in which each
// forks the next one and ends, a pass would hardly ever see anybody. since is
// the number that was given last before the pass.
func (e *eye) glance(f *facts, since int) {
	last, err := e.root.LastPID()
	if err != nil || since == 0 {
		return // nobody is missed that a pass alone would have seen
	}
	if last < since { // the numbers have begun anew
		since = 0
	}
	up := e.root.Age(proc.Stat{}) // before they are read, as in a look
	for pid := last; pid > max(since, last-glanceMost); pid-- {
		if p, ok := e.newborn(f.processes, pid); ok {
			p.Age = max(0, up-proc.CPUTime(p.Start))
			f.processes[pid] = p
			if letGo(f.processes, p) {
				f.hurry(p)
			}
		}
	}
}

// newborn is the process of a number that the pass did not see.
func (e *eye) newborn(seen map[int]Process, pid int) (Process, bool) {
	if _, ok := seen[pid]; ok {
		return Process{}, false
	}
	st, err := e.root.Stat(pid)
	if err != nil || st.Zombie() || st.Kernel {
		return Process{}, false
	}
	exe, err := e.root.Exe(pid)
	if err != nil {
		return Process{}, false
	}
	status, err := e.root.Status(pid)
	if err != nil || status.TGID != pid { // /proc answers for threads too
		return Process{}, false
	}
	return Process{Stat: st, Exe: exe}, true
}

// letGo says that one may be an orphan.
func letGo(all map[int]Process, p Process) bool {
	up, ok := all[p.PPID]
	return ok && p.Session != up.Session && (up.PID == 1 || p.Session != p.PID)
}

// hurry asks at once what the rule will ask of an orphan.
func (f *facts) hurry(p Process) {
	if _, known := f.Namespaces(p.PID); known {
		f.complete(p)
		f.Unit(p.PID)
		if p.PPID != 1 {
			f.Autogroup(p.PID)
		}
	}
}
