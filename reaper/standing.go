package reaper

import "fmt"

// standing is what can be said of a process by where it stands, before anybody
// asks whose it is.
type standing struct {
	leaked bool   // by its standing it can be leaked
	young  bool   // and would be, were it older
	why    string // how it was orphaned, or what speaks against it
}

// stands looks at what is cheapest first.
func (t *trial) stands(p Process) standing {
	a := t.ancestry(p)
	how := t.tell(p, a)
	switch {
	case !a.orphan():
		return standing{why: how}
	case t.above[p.PID]:
		return standing{why: "we are it, or run below it"}
	}
	if against := t.foreign(p); against != "" {
		return standing{why: against}
	}
	if p.Age < t.rules.Floor {
		return standing{young: true, why: how}
	}
	return standing{leaked: true, why: how}
}

// ancestry is what became of the parent that a process was started by.
type ancestry uint8

const (
	unseen     ancestry = iota // the parent cannot be seen
	usedAgain                  // its pid is somebody else's by now
	supervised                 // it is a gpuci, which ends its orphans itself
	contained                  // it is process 1, in whose session the process is
	served                     // it is process 1, which may have started it as a service
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
	case parent.PID == 1 && p.Session == parent.Session:
		return contained
	case parent.PID == 1 && t.service(p) != "":
		return served
	case parent.PID == 1:
		return lost
	case p.Session == p.PID || p.Session == parent.Session || t.leftSession(parent, p.Session):
		return living
	}
	return adopted
}

// service says as what process 1 may have started a process itself, "" where it
// has not: what systemd starts as a service leads its session. A unit that is
// not known may be one.
func (t *trial) service(p Process) string {
	if p.Session != p.PID {
		return ""
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
// that we are ourselves, which can be installed under another one.
func (t *trial) gpuci(p Process) bool {
	own := t.Processes[t.Self].Exe
	return p.Exe.Known() && (base(p.Exe) == "gpuci" || own.Known() && p.Exe.Path == own.Path)
}

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

// tell says it for people.
func (t *trial) tell(p Process, a ancestry) string {
	parent := label(t.Processes[p.PPID])
	switch a {
	case unseen:
		return fmt.Sprintf("its parent (pid %d) cannot be seen", p.PPID)
	case usedAgain:
		return fmt.Sprintf("its parent %s is younger than it", parent)
	case supervised:
		return fmt.Sprintf("its parent %s lives, and ends what it started itself", parent)
	case contained:
		return "its parent is process 1 in its own session: a build in a container"
	case served:
		return "process 1 may have started it: " + t.service(p)
	case lost:
		return "orphaned (parent 1)"
	case adopted:
		return fmt.Sprintf("orphaned (handed to %s)", parent)
	}
	text := fmt.Sprintf("its parent %s lives: a build", parent)
	if up, ok := t.lostShell(p); ok {
		text += fmt.Sprintf("; if what started that %s is gone, kill %d by hand and sweep again", up.Comm, up.PID)
	}
	return text
}

// lostShell is the parent of a process if that is a shell which process 1 has
// taken over: what is left of an edge of ninja, whose /bin/sh does not exec its
// last command, or of a script that somebody started with nohup. Nothing tells
// the two apart.
func (t *trial) lostShell(p Process) (Process, bool) {
	up, ok := t.Processes[p.PPID]
	return up, ok && up.PID != 1 && up.PPID == 1 && up.PID != up.Session && up.Exe.Known() && interpreter(base(up.Exe))
}

// foreign says why a process is not ours to end, "" when it is.
func (t *trial) foreign(p Process) string {
	if why := t.anothers(p); why != "" {
		return why
	}
	return t.elsewhere(p)
}

// anothers says whether it is another user's, "" when it is not.
func (t *trial) anothers(p Process) string {
	switch p = whole(t.Facts, p); {
	case !p.UIDKnown:
		return "whose user it is is not known"
	case p.UID != t.UID:
		return "another user's"
	}
	return ""
}

// elsewhere says whether it is in other namespaces, where a path or a pid need
// not mean what it does here, "" when it is not.
func (t *trial) elsewhere(p Process) string {
	ns, known := t.Facts.Namespaces(p.PID)
	switch {
	case !known || !t.homely:
		return "its namespaces are not known"
	case ns.Mount != t.home.Mount:
		return "its mount namespace is another one"
	case ns.PID != t.home.PID:
		return "its pid namespace is another one"
	}
	return ""
}

// label names a process for people.
func label(p Process) string { return fmt.Sprintf("%s (pid %d)", p.Comm, p.PID) }
