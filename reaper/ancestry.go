package reaper

// ancestry is what became of the parent that a process was started by.
type ancestry uint8

const (
	unseen     ancestry = iota // the parent cannot be seen
	usedAgain                  // its pid is somebody else's by now
	supervised                 // it is a gpuci, which ends its orphans itself
	contained                  // it is process 1, in whose session the process is, or was begun
	served                     // it is process 1, which may have started it as a service
	parted                     // it leads a session, and may have left the process's for that
	living
	lost    // to process 1
	adopted // by a subreaper
)

func (a ancestry) orphan() bool { return a >= lost }

// ancestry can be told because a child has its parent's session unless it leads
// its own.
func (t *trial) ancestry(p Process) ancestry {
	parent, seen := t.Processes[p.PPID]
	switch {
	case p.PPID <= 0 || !seen:
		return unseen
	case parent.Start > p.Start:
		return usedAgain
	case t.gpuciAbove(parent.PID):
		return supervised
	case parent.PID == 1 && (p.Session == parent.Session || p.Session == 0):
		return contained // 0 is a session of outside, which process 1 may have left since
	case parent.PID == 1 && t.service(p) != "":
		return served
	case parent.PID == 1:
		return lost
	case p.Session == p.PID || p.Session == parent.Session || t.leftSession(parent, p.Session):
		return living
	case !t.tookOver(parent, p):
		return parted
	}
	return adopted
}

// tookOver says that a parent cannot have started a child that is in another
// session than it is. Who leads no session has never left one. Who leads one may
// have begun it after the child was started, as a driver that makes itself a
// daemon does; not so systemd, and not where the child's session is the younger
// one: in that the parent has never been.
//
// What is lost by it: below a subreaper that leads its session and is not
// systemd, leaks whose session is older than that subreaper's, and all of them
// where the kernel numbers no sessions (it is built without autogroups). They
// are named, with what to end by hand.
func (t *trial) tookOver(parent, p Process) bool {
	if parent.Session != parent.PID || parent.Exe.Known() && base(parent.Exe) == "systemd" {
		return true
	}
	left, known := t.Facts.Autogroup(parent.PID)
	if !known {
		return false
	}
	in, known := t.Facts.Autogroup(p.PID)
	return known && left < in
}

// service says as what process 1 may have started a process itself, "" where it
// has not: what systemd starts as a service leads its session. A unit that is
// not known may be one, and to be in none says nothing where process 1 is
// something else, a build in a container or an init for one. There it is one of
// a run that is over, which process 1 was there before, that it cannot have
// started.
//
// What is lost by it: without systemd, other orphans that lead their session.
func (t *trial) service(p Process) string {
	if p.Session != p.PID {
		return ""
	}
	if !t.Systemd && !(t.lost && t.overRun(p)) {
		return "it leads its session, and process 1 is not known to be systemd"
	}
	switch unit, known := t.Facts.Unit(p.PID); {
	case !known:
		return "its unit is not known"
	case unit != "":
		return "unit " + unit
	}
	return ""
}

// gpuciAbove says whether a process is a gpuci, or stands below one.
func (t *trial) gpuciAbove(pid int) bool {
	for range t.Processes {
		p, ok := t.Processes[pid]
		switch {
		case !ok:
			return false
		case t.gpuci(p):
			return true
		}
		pid = p.PPID
	}
	return false
}

// gpuci says whether a process is one, by its program: of that name, or the file
// that we are ourselves, which can be installed under another one. Who has
// started a run that lives is one under any name.
func (t *trial) gpuci(p Process) bool {
	own := t.Processes[t.Self].Exe
	if t.runners[p.Identity("")] {
		return true
	}
	return p.Exe.Known() && (base(p.Exe) == "gpuci" || own.Known() && p.Exe.Path == own.Path)
}

// gate says whether a process is a gpuci that does more than stand in for a
// tool: as a shim it goes by that one's name, and waits for a link that nobody
// waits for.
func (t *trial) gate(p Process) bool { return t.gpuci(p) && t.family.tool(p.Comm) == "" }

// leftSession says that somebody above a parent, process 1 but for, is in a
// session: the parent has left it after it had started the child.
func (t *trial) leftSession(parent Process, session int) bool {
	pid := parent.PPID
	for range len(t.Processes) - 1 {
		p, ok := t.Processes[pid]
		if !ok {
			return false
		}
		if pid != 1 && p.Session == session {
			return true
		}
		pid = p.PPID
	}
	return false
}
