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
	case parted:
		return fmt.Sprintf("its parent %s may have started it, and led a session of its own only then: a build; if what started it is gone, kill %d by hand", parent, p.PID)
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
