package proc

import (
	"path/filepath"
	"slices"
	"time"
)

// Members returns what is alive of the command now: itself and everything
// below it, wherever it went. In a leaf the kernel keeps a list of those that
// did not leave it (root can). Beside that, and without a leaf alone, it is our
// foreign children (the command, and orphans that were handed to us) and all
// below them.
func (p *Process) Members() ([]Stat, error) {
	all, err := p.all()
	_, rest := p.spare(all)
	return rest, err
}

// all are the members with the daemons that are left alone. With an error it
// is those that could be found.
func (p *Process) all() (list []Stat, err error) {
	if p.leaf != nil {
		list, err = p.leaf.members()
	}
	tops := p.foreign()
	if len(tops) == 0 {
		return list, err
	}
	t, terr := Real.Table()
	if terr != nil {
		return append(list, tops...), terr
	}
	var pids []int
	for _, s := range tops {
		pids = append(pids, s.PID)
	}
	for _, s := range append(tops, alive(t.Below(pids...))...) {
		if !slices.ContainsFunc(list, same(s)) {
			list = append(list, s)
		}
	}
	return list, err
}

func alive(list []Stat) []Stat {
	return slices.DeleteFunc(list, Stat.Zombie)
}

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
	for _, s := range all {
		table[s.PID] = s
	}
	stays := make(map[int]bool)
	for _, s := range all {
		if s.PID == command || !named(s, leave) {
			continue
		}
		stays[s.PID] = true
		for _, below := range table.Below(s.PID) {
			stays[below.PID] = true
		}
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
// by the name of its executable.
func named(s Stat, leave []string) bool {
	exe, err := Real.Exe(s.PID)
	known := err == nil && exe.Known()
	for _, name := range leave {
		if s.Comm == name[:min(len(name), maxComm)] || known && filepath.Base(exe.Path) == name {
			return true
		}
	}
	return false
}

// CPU is the processor time used so far, for telling work from idleness.
func (p *Process) CPU() (time.Duration, error) {
	if p.leaf != nil {
		if d, err := p.leaf.cpu(); err == nil {
			return d, nil
		}
	}
	members, err := p.Members()
	if err != nil {
		return 0, err
	}
	var ticks uint64
	for _, s := range members {
		ticks += s.CPU + s.Waited
	}
	return CPUTime(ticks), nil
}
