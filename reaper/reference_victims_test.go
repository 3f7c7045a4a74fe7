package reaper_test

import (
	"slices"

	"gpuci/reaper"
)

// victim is point 9: there is a leaked process at or above this one, and
// nothing that is spared between the two. What is spared from one leaked tree,
// with all below it, is not ended for the sake of a second one either.
func (r *reference) victim(pid int) bool {
	it := r.Processes[pid]
	goes, stays := false, false
	for _, top := range r.leaked {
		if !r.below(pid, top) || pid != top && !r.may(clauseBelow, true) {
			continue
		}
		if r.sparedBetween(pid, top) {
			stays = true
		} else {
			goes = true
		}
	}
	return goes && !r.may(clauseSparedLast, stays) && r.must(clauseVictimZombie, !it.Zombie())
}

// sparedBetween says whether a process from top down to pid is spared.
func (r *reference) sparedBetween(pid, top int) bool {
	line := r.line(pid)
	for _, it := range line[:slices.Index(line, top)+1] {
		if r.spared(it, it == top) && (it == pid || r.may(clauseSparedBelow, true)) {
			return true
		}
	}
	return false
}

// spared is the list in point 9.
//
// Reading: of a zombie everything but the namespaces is asked.
func (r *reference) spared(pid int, top bool) bool {
	owner, it := r.owner(pid), r.Processes[pid]
	return r.ours(pid) ||
		!r.sameUser(pid) && (top || r.may(clauseSpareUser, true)) ||
		!r.may(clauseZombieNamespaces, it.Zombie()) && !r.sameNamespaces(pid) && (top || r.may(clauseSpareNamespaces, true)) ||
		r.hasTerminal(pid) || it.State == 't' || r.isGate(it) && r.may(clauseSpareGpuci, true) ||
		!r.isMember(it) && !r.isWrapper(it) && r.someoneBelow(pid) ||
		!r.may(clauseZombieTraced, it.Zombie()) && r.traced(pid) ||
		r.may(clauseSpareCheckout, r.foreign(pid)) ||
		r.may(clauseSpareRun, r.leafGoesOn(pid) || !it.Zombie() && r.goesOn(pid)) ||
		r.may(clauseSpareKernel, it.Kernel) ||
		r.may(clauseSpareForeign, owner != "" && !r.wanted[owner]) ||
		r.protected(pid) && (top || r.may(clauseProtectedBelow, true))
}

// hasTerminal says whether somebody may be sitting before a process.
func (r *reference) hasTerminal(pid int) bool {
	it := r.Processes[pid]
	return r.must(clauseTTY, it.TTY != 0) &&
		(r.may(clauseTTYLeader, it.Session == it.PID) || r.may(clauseForeground, it.PGRP == it.TPGID))
}

// someoneBelow says whether somebody may be sitting before what is below a
// process, a terminal multiplexer's server, or whether a gpuci is at work there.
func (r *reference) someoneBelow(pid int) bool {
	for other := range r.Processes {
		if other != pid && (r.hasTerminal(other) || r.may(clauseSpareAbove, r.isGate(r.Processes[other]))) && slices.Contains(r.line(other), pid) {
			return true
		}
	}
	return false
}

// isGate says whether a process is a gpuci that does not stand in for a tool.
func (r *reference) isGate(it reaper.Process) bool {
	return r.isGpuci(it) && !r.may(clauseShim, r.familyName(it.Comm))
}

// traced says whether a debugger may hold a process.
func (r *reference) traced(pid int) bool {
	tracer, known := r.Facts.Tracer(pid)
	return r.may(clauseSpareTracerKnown, !known) || r.may(clauseSpareTraced, known && tracer != 0)
}

// protected says whether a process is somebody's long job.
func (r *reference) protected(pid int) bool {
	return r.options.Protected != nil && r.may(clauseProtected, r.options.Protected(r.Processes[pid]))
}
