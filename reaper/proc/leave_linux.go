package proc

import (
	"context"
	"path/filepath"
	"slices"
)

// spare splits the members into daemons that may stay, with all that is below
// them, and the rest.
func (p *Process) spare(all []Stat) (spared, rest []Stat) {
	return spare(all, p.cmd.Leave, p.Identity.PID)
}

// spare is the same for any list; the command itself is never a daemon.
func spare(all []Stat, leave []string, command int) (spared, rest []Stat) {
	if len(leave) == 0 {
		return nil, all
	}
	table := make(Table, len(all))
	var tops []int
	for _, s := range all {
		table[s.PID] = s
		if s.PID != command && named(s, leave) {
			tops = append(tops, s.PID)
		}
	}
	stays := make(map[int]bool)
	for _, pid := range tops {
		stays[pid] = true
	}
	for _, s := range table.Below(tops...) {
		stays[s.PID] = true
	}
	for _, s := range all {
		if stays[s.PID] {
			spared = append(spared, s)
		} else {
			rest = append(rest, s)
		}
	}
	return spared, rest
}

// maxComm is how much of a name the kernel keeps, TASK_COMM_LEN less the NUL.
const maxComm = 15

// named says whether a process is one of those daemons: by its command name or
// by the name of its executable. A script that was called by its own name has
// that for its command name; one that was handed to an interpreter (bash x.sh)
// has the interpreter's, and cannot be named.
func named(s Stat, leave []string) bool {
	exe, err := Real.Exe(s.PID)
	base := ""
	if err == nil && exe.Known() {
		base = filepath.Base(exe.Path)
	}
	return slices.ContainsFunc(leave, func(name string) bool {
		switch {
		case base == name:
			return true
		case len(name) <= maxComm:
			return s.Comm == name
		}
		// Of a longer name the kernel keeps a part that others share.
		return s.Comm == name[:maxComm] && calledBy(s, name)
	})
}

// calledBy looks for a long name among the first two arguments: the kernel puts
// a script's path behind its interpreter's.
func calledBy(s Stat, name string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), markTime)
	defer cancel()
	args, err := Real.Cmdline(ctx, s.PID)
	return err == nil && slices.ContainsFunc(args[:min(len(args), 3)], func(arg string) bool { return filepath.Base(arg) == name })
}
