package reaper

import "fmt"

// condemn marks what goes with a leaked top: itself and all below it, less who
// is spared and all below those. What one tree spares no other one takes.
func (t *trial) condemn(top Process) {
	t.condemnFrom(top, *t.say(top), "", make(map[int]bool))
}

// condemnFrom goes down from p. spare says why everything from here on is
// spared, "" while it is not.
func (t *trial) condemnFrom(p Process, top Judged, spare string, seen map[int]bool) {
	if seen[p.PID] {
		return
	}
	seen[p.PID] = true
	if spare == "" {
		if reason := t.spared(p); reason != "" {
			spare = fmt.Sprintf("spared with all below %s: %s", label(p), reason)
		}
	}
	switch {
	case spare != "":
		t.spare[p.PID] = spare
	case !p.Zombie():
		t.goes(p, top)
	}
	for _, pid := range t.children(p.PID) {
		// What is older than its parent has it by a number used again.
		if child := t.Processes[pid]; child.Start >= p.Start {
			t.condemnFrom(child, top, spare, seen)
		}
	}
}

// goes says that a process is leaked, with its top.
func (t *trial) goes(p Process, top Judged) {
	j := t.say(p)
	fresh := j.Kind == Below
	if j.Leaked {
		return
	}
	j.Leaked, j.Young = true, false
	if p.PID == top.PID {
		return
	}
	if fresh {
		j.Top, j.Lane, j.Evidence = top.PID, top.Lane, top.Evidence
	}
	j.Why = fmt.Sprintf("below %s, %s", label(top.Process), top.Why)
}

// spared says why a process below a leaked one does not go with it, "" when it
// does.
func (t *trial) spared(p Process) string {
	switch {
	case t.above[p.PID]:
		return "we are it, or run below it"
	case p.Kernel:
		return "it is the kernel's"
	case t.protected(p):
		return "a protected run"
	case hasTerminal(p):
		return "it has a terminal"
	case p.State == 't':
		return "a debugger holds it"
	case t.gate(p):
		return "it is a gpuci"
	case t.tool[p.PID] == "" && t.seats()[p.PID]:
		return "somebody has a terminal below it, or a gpuci runs there"
	}
	if why := t.anothers(p); why != "" {
		return why
	}
	if !p.Zombie() { // which has left its namespaces, and cannot be traced
		if why := t.elsewhere(p); why != "" {
			return why
		}
		if why := t.traced(p); why != "" {
			return why
		}
	}
	how := grounded
	if t.unwanted {
		how = deep
	}
	switch own := t.own.of(p, how); {
	case own.against != "":
		return own.against
	case own.known() && !t.wanted(own.Lane):
		return "belongs to lane " + own.Lane
	}
	return t.goesOn(p, !p.Zombie(), true)
}

// traced says that somebody looks into a process, "" when nobody does: who runs
// a debugger can let it run on.
func (t *trial) traced(p Process) string {
	switch tracer, known := t.Facts.Tracer(p.PID); {
	case !known:
		return "whether a debugger holds it is not known"
	case tracer != 0 && t.Processes[tracer].PID == tracer:
		return label(t.Processes[tracer]) + " traces it"
	case tracer != 0:
		return fmt.Sprintf("pid %d traces it", tracer)
	}
	return ""
}

// hasTerminal says that somebody may be sitting before a process.
func hasTerminal(p Process) bool {
	return p.TTY != 0 && (p.Session == p.PID || p.PGRP == p.TPGID)
}

// seats are the processes with somebody at a terminal below them, or a gpuci:
// the server of a terminal multiplexer takes all its terminals with it, and the
// end of a script that of what it pipes a gate into.
func (t *trial) seats() map[int]bool {
	if t.seated != nil {
		return t.seated
	}
	t.seated = make(map[int]bool)
	for _, p := range t.Processes {
		if !hasTerminal(p) && !t.gate(p) {
			continue
		}
		for up, ok := t.Processes[p.PPID]; ok && up.Start <= p.Start && !t.seated[up.PID]; up, ok = t.Processes[p.PPID] {
			t.seated[up.PID] = true
			p = up
		}
	}
	return t.seated
}

func (t *trial) protected(p Process) bool {
	return t.rules.Protected != nil && t.rules.Protected(whole(t.Facts, p))
}
