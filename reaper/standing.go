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
	orphan, how := t.orphaned(p)
	switch {
	case !orphan:
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

// orphaned says whether the parent a process was started by is gone, and how it
// can be told: a child has its parent's session unless it leads its own.
func (t *trial) orphaned(p Process) (orphan bool, how string) {
	parent, seen := t.Processes[p.PPID]
	switch {
	case p.PPID <= 0 || !seen:
		return false, fmt.Sprintf("its parent (pid %d) cannot be seen", p.PPID)
	case parent.Start > p.Start:
		return false, fmt.Sprintf("its parent %s is younger than it", label(parent))
	case parent.PID == 1 && p.Session == parent.Session:
		return false, "its parent is process 1 in its own session: a build in a container"
	case parent.PID == 1:
		return true, "orphaned (parent 1)"
	case p.Session == p.PID || p.Session == parent.Session:
		return false, fmt.Sprintf("its parent %s lives: a build", label(parent))
	}
	return true, fmt.Sprintf("orphaned (handed to %s)", label(parent))
}

// foreign says why a process is not ours to end, "" when it is: another user's,
// or in other namespaces, where a path or a pid need not mean what it does here.
func (t *trial) foreign(p Process) string {
	switch {
	case !p.UIDKnown:
		return "whose user it is is not known"
	case p.UID != t.UID:
		return "another user's"
	}
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
