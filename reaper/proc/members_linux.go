package proc

import (
	"path/filepath"
	"slices"
	"time"
)

// Members returns what is alive of the command now: itself and everything
// below it, wherever it went. In a leaf the kernel keeps the list. Without one
// it is our foreign children (the command, and orphans that were handed to us)
// and all below them.
func (p *Process) Members() ([]Stat, error) {
	all, err := p.all()
	if err != nil {
		return nil, err
	}
	_, rest := p.spare(all)
	return rest, nil
}

// all are the members with the daemons that are left alone.
func (p *Process) all() ([]Stat, error) {
	if p.leaf != nil {
		return p.inLeaf()
	}
	tops := p.foreign()
	if len(tops) == 0 {
		return nil, nil
	}
	t, err := Real.Table()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, s := range tops {
		pids = append(pids, s.PID)
	}
	return append(tops, alive(t.Below(pids...))...), nil
}

func (p *Process) inLeaf() ([]Stat, error) {
	pids, err := p.leaf.procs()
	if err != nil {
		return nil, err
	}
	var out []Stat
	for _, pid := range pids {
		if s, err := Real.Stat(pid); err == nil {
			out = append(out, s)
		}
	}
	return alive(out), nil
}

func alive(list []Stat) []Stat {
	return slices.DeleteFunc(list, Stat.Zombie)
}

// spare splits the members into daemons that may stay, with all that is below
// them, and the rest.
func (p *Process) spare(all []Stat) (spared, rest []Stat) {
	if len(p.cmd.Leave) == 0 {
		return nil, all
	}
	table := make(Table, len(all))
	for _, s := range all {
		table[s.PID] = s
	}
	stays := make(map[int]bool)
	for _, s := range all {
		if !p.leaves(s) {
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

// leaves says whether a member is a daemon that was named: by its command name
// or by the name of its executable.
func (p *Process) leaves(s Stat) bool {
	exe, err := Real.Exe(s.PID)
	known := err == nil && exe.Known()
	for _, name := range p.cmd.Leave {
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
