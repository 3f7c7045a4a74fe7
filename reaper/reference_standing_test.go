package reaper_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"gpuci/reaper"
)

// loose is points 4, 5, 5b and 6: what must hold of whoever is leaked.
func (r *reference) loose(pid int) bool {
	return r.orphaned(pid) && !r.ours(pid) && !r.goesOn(pid) &&
		r.sameUser(pid) && r.sameNamespaces(pid) && r.old(pid)
}

// orphaned is point 4.
func (r *reference) orphaned(pid int) bool {
	it := r.Processes[pid]
	parent, there := r.Processes[it.PPID]
	switch {
	case it.PPID < 1 || !there:
		return r.must(clauseUnseen, false)
	case !r.must(clauseOrphanReuse, parent.Start <= it.Start):
		return false
	case r.may(clauseGpuci, r.gpuciAbove(it.PPID)):
		return false
	case it.PPID == 1:
		return r.must(clauseInitSession, it.Session != parent.Session) &&
			(it.Session == parent.Session || r.must(clauseInitOutside, it.Session != 0)) && !r.mayBeService(pid)
	}
	return !r.mayHaveParted(pid) && r.may(clauseSubreaper, true) && !r.homeSession(it.PPID, it.Session) &&
		r.must(clauseLeader, it.Session != it.PID) && r.must(clauseSession, it.Session != parent.Session)
}

// mayHaveParted says whether the parent of a process may have started it in the
// session that it is in, and have begun its own later. Only leaders have begun
// one; systemd is not somebody who does so with a child, and sessions have
// numbers in the order of their beginning.
func (r *reference) mayHaveParted(pid int) bool {
	it := r.Processes[pid]
	parent := r.Processes[it.PPID]
	if !r.may(clauseParted, parent.Session == parent.PID) ||
		r.may(clauseUserSystemd, parent.Exe.Known() && path.Base(parent.Exe.Path) == "systemd") {
		return false
	}
	left, leftKnown := r.Facts.Autogroup(it.PPID)
	in, inKnown := r.Facts.Autogroup(pid)
	return !r.may(clauseYoungerSession, r.must(clauseOwnAutogroupKnown, leftKnown) && r.must(clauseAutogroupKnown, inKnown) && left < in)
}

// mayBeService says whether process 1 may have started a process of its own as a
// service: then it leads its session and is in a unit. One that is not known may
// be one, and a process 1 that is not systemd knows no units; but it
// was there before any of our runs, and has started nothing of theirs.
func (r *reference) mayBeService(pid int) bool {
	it := r.Processes[pid]
	unit, known := r.Facts.Unit(pid)
	return r.must(clauseServiceLeader, it.Session == it.PID) &&
		(r.may(clauseServiceSystemd, !r.Systemd && !r.may(clauseServiceRun, r.ofDeadRun(pid))) || r.may(clauseService, known && unit != "") || r.may(clauseServiceKnown, !known))
}

// gpuciAbove says whether a process or any above it, by whatever links, is a
// gpuci.
func (r *reference) gpuciAbove(pid int) bool {
	return slices.ContainsFunc(r.upwards(pid), func(pid int) bool { return r.isGpuci(r.Processes[pid]) })
}

// homeSession says whether a session is that of somebody above a process, other
// than process 1: then the process has left it, and its child has not.
func (r *reference) homeSession(pid, session int) bool {
	return slices.ContainsFunc(r.upwards(pid)[1:], func(pid int) bool { return pid != 1 && r.Processes[pid].Session == session })
}

// upwards are a process and all above it, as often as there are processes.
func (r *reference) upwards(pid int) (out []int) {
	for range r.Processes {
		if _, there := r.Processes[pid]; !there {
			break
		}
		out = append(out, pid)
		pid = r.Processes[pid].PPID
	}
	return out
}

// isGpuci says whether a parent takes orphans over to end them itself.
func (r *reference) isGpuci(it reaper.Process) bool {
	own := r.Processes[r.Self].Exe
	for _, run := range r.Runs {
		same := run.Gpuci.PID == it.PID && it.PID != 0 && r.must(clauseGpuciRunSame, run.Gpuci.Start == it.Start)
		if r.may(clauseGpuciRun, same && r.must(clauseGpuciRunLives, run.Lives)) {
			return true
		}
	}
	return r.must(clauseGpuciKnown, it.Exe.Known()) &&
		(path.Base(it.Exe.Path) == "gpuci" || r.must(clauseGpuciComm, false) && it.Comm == "gpuci" ||
			r.may(clauseGpuciSame, r.must(clauseGpuciOwnKnown, own.Known()) && it.Exe.Path == own.Path))
}

// goesOn is point 5b: a run that the process is of lives.
//
// Reading: a cookie that is asked and not known may be a living run's; the
// text speaks only of a cookie that names one.
func (r *reference) goesOn(pid int) bool {
	lives := func(run string) bool { return r.Runs[run].Lives }
	if r.leafGoesOn(pid) || r.startedAbove(pid) {
		return true
	}
	asked := slices.ContainsFunc(slices.Collect(maps.Keys(r.Runs)), lives)
	cookie, known := r.Facts.Cookie(pid)
	if !known {
		return r.may(clauseOnCookieKnown, r.must(clauseOnAsked, asked))
	}
	some := slices.ContainsFunc(cookie, lives)
	others := slices.ContainsFunc(cookie, func(run string) bool { return !lives(run) })
	return r.may(clauseOnCookie, some && !(others && !r.may(clauseOnCookieOne, true)))
}

// leafGoesOn is the part of point 5b that speaks of leaves.
func (r *reference) leafGoesOn(pid int) bool {
	leaf, known := r.Facts.Leaf(pid)
	return r.may(clauseOnLeaf, r.must(clauseOnLeafKnown, known) && r.Runs[leaf].Lives)
}

// startedAbove says whether a process that another one than process 1 took over
// was started by somebody above it: a gpuci that names a command by its own pid.
func (r *reference) startedAbove(pid int) bool {
	cookie, known := r.Facts.Cookie(pid)
	if !known || !r.must(clauseOnUnnamedTaken, r.Processes[pid].PPID != 1 && r.orphaned(pid)) {
		return false
	}
	return r.may(clauseOnUnnamed, slices.ContainsFunc(r.upwards(pid)[1:], func(up int) bool {
		return slices.Contains(cookie, fmt.Sprintf("%d-unnamed", up))
	}))
}

// ours is point 5: ourselves and our ancestors.
//
// Reading: here a reused pid counts as a parent.
func (r *reference) ours(pid int) bool {
	return r.may(clauseOurs, slices.Contains(r.anyLine(clauseOursReuse, r.Self), pid))
}

// anyLine is line, with the bearers of reused pids.
func (r *reference) anyLine(c clause, pid int) (out []int) {
	if r.options.without == c {
		return r.line(pid)
	}
	for range r.Processes {
		out = append(out, pid)
		if pid = r.Processes[pid].PPID; r.Processes[pid].PID == 0 {
			break
		}
	}
	return out
}

// sameUser is a part of point 6.
func (r *reference) sameUser(pid int) bool {
	it := r.Processes[pid]
	return r.must(clauseUIDKnown, it.UIDKnown) && r.must(clauseUID, it.UID == r.UID)
}

// sameNamespaces is a part of point 6.
func (r *reference) sameNamespaces(pid int) bool {
	own, ownKnown := r.Facts.Namespaces(r.Self)
	its, itsKnown := r.Facts.Namespaces(pid)
	if !ownKnown || !itsKnown {
		return r.must(clauseOwnNamespaces, ownKnown) && r.must(clauseNamespacesKnown, itsKnown)
	}
	return r.must(clauseMount, its.Mount == own.Mount) && r.must(clausePID, its.PID == own.PID)
}

// old is a part of point 6.
func (r *reference) old(pid int) bool {
	floor := r.options.Floor
	if floor == 0 {
		floor = 2 * time.Second
	}
	return r.must(clauseFloor, r.Processes[pid].Age >= floor)
}
