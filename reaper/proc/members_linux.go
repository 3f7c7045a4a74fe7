package proc

import (
	"errors"
	"maps"
	"slices"
	"time"
)

// Members returns what is alive of the command now: itself and everything
// below it, wherever it went. In a leaf the kernel keeps a list of those that
// did not leave it (root can). Beside that, and without a leaf alone, it is the
// command, the orphans that were handed to us and are its own, and all below
// them. With an error it is those that could be found.
func (p *Process) Members() ([]Stat, error) {
	all, err := p.all()
	_, rest := p.spare(all)
	return rest, err
}

// all are the members with the daemons that are left alone.
func (p *Process) all() (list []Stat, err error) {
	p.looking.Lock()
	defer p.looking.Unlock()
	if p.leaf != nil {
		list, err = p.leaf.members()
	}
	tops, terr := p.tops(list)
	if errors.Is(terr, errTooQuick) && p.deserted() {
		terr = nil // whoever forks so fast is not of this command
	}
	if err == nil {
		err = terr
	}
	if len(tops) > 0 {
		below, terr := Real.below(tops)
		if err == nil {
			err = terr
		}
		for _, s := range append(tops, below...) {
			if !slices.ContainsFunc(list, same(s)) {
				list = append(list, s)
			}
		}
	}
	p.remember(list, err == nil)
	return list, err
}

// deserted says that there is a leaf, with nobody in it.
func (p *Process) deserted() bool {
	if p.leaf == nil {
		return false
	}
	on, err := p.leaf.populated()
	return err == nil && !on
}

// tops are the command and its orphans. One of these that ends before it has
// said whose it is leaves its children to us: then it was a look too early.
func (p *Process) tops(listed []Stat) (tops []Stat, err error) {
	for until := time.Now().Add(lookTime); ; {
		l, err := p.children()
		tops, sure := p.ownOf(l, listed)
		switch {
		case sure || err != nil:
			return tops, err
		case time.Now().After(until):
			return tops, errTooQuick
		}
	}
}

// ownOf are those of a look that are of this command.
func (p *Process) ownOf(l look, listed []Stat) (own []Stat, sure bool) {
	if sure = true; l.command != nil {
		own = append(own, *l.command)
	}
	for _, s := range l.orphans {
		if slices.ContainsFunc(listed, same(s)) {
			own = append(own, s)
			continue
		}
		is, err := p.owns(s)
		if is {
			own = append(own, s)
		}
		sure = sure && err == nil
	}
	return own, sure
}

// below are the living descendants of some processes.
func (r Root) below(tops []Stat) ([]Stat, error) {
	t, err := r.Table()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, s := range tops {
		pids = append(pids, s.PID)
	}
	return alive(t.Below(pids...)), nil
}

// remember notes who was seen below the command: once orphaned, such a process
// can be told by that alone.
func (p *Process) remember(list []Stat, all bool) {
	known := make(map[key]bool, len(list))
	for _, s := range list {
		known[s.key()] = true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !all { // of those that could not be seen this time
		maps.Copy(known, p.known)
	}
	p.known = known
}

func alive(list []Stat) []Stat {
	return slices.DeleteFunc(list, Stat.Zombie)
}

func same(a Stat) func(Stat) bool {
	return func(b Stat) bool { return a.key() == b.key() }
}

// CPU is the processor time used so far, for telling work from idleness.
func (p *Process) CPU() (time.Duration, error) {
	if p.leaf != nil {
		if d, err := p.leaf.cpu(); err == nil {
			return d, nil
		}
	}
	members, err := p.Members()
	return sumCPU(members), err
}
