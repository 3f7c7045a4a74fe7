package reaper

import (
	"fmt"
	"slices"
	"strconv"
)

// goesOn says that the run of a top that would be leaked still lives, "" when it
// does not: its gpuci ends it, when it is time. The environment is asked last,
// and not of the young. One that does not answer may name a living run.
func (t *trial) goesOn(top Process, leaked, young bool) string {
	if !leaked && !young {
		return ""
	}
	if t.living {
		if run, known := t.Facts.Leaf(top.PID); known && t.Runs[run].Lives {
			return fmt.Sprintf("run %s goes on", run)
		}
	}
	takenOver := leaked && t.ancestry(top) == adopted
	if !leaked || !t.living && !takenOver {
		return ""
	}
	runs, known := t.Facts.Cookie(top.PID)
	switch {
	case !known && t.living:
		return "whether a run that goes on started it is not known"
	case known && takenOver && t.startedAbove(top, runs):
		return fmt.Sprintf("%s or what is above it lives, and ends what it started itself", label(t.Processes[top.PPID]))
	}
	if i := slices.IndexFunc(runs, func(run string) bool { return t.Runs[run].Lives }); i >= 0 {
		return fmt.Sprintf("run %s goes on", runs[i])
	}
	return ""
}

// startedAbove says that a process was started under a gpuci that is above it
// now, by runs that have no name but its pid: that one took it over, whatever its
// program is called.
func (t *trial) startedAbove(p Process, runs []string) bool {
	for range t.Processes {
		if p.PPID <= 0 {
			return false
		}
		if slices.Contains(runs, unnamed(p.PPID)) {
			return true
		}
		p = t.Processes[p.PPID]
	}
	return false
}

// unnamed is what reaper/proc calls the commands of a gpuci that gives them no
// name, as `gpuci build` does.
func unnamed(pid int) string { return strconv.Itoa(pid) + "-unnamed" }
