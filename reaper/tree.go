package reaper

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// tree is a topmost process of the family with the members that lead up to it.
type tree struct {
	top     Process
	members []int
	torn    bool // no top: the parents run in a circle, or the picture is of two moments
}

// trees judges the family. Of the leaked trees it condemns those that process 1
// has: nobody can stand above them who is spared with all below him. The others
// must wait for what others finds.
func (t *trial) trees() {
	trees := t.grow()
	for _, top := range slices.Sorted(maps.Keys(trees)) {
		t.try(trees[top])
	}
	t.condemnTrees(func(top Process) bool { return top.PPID == 1 })
}

// condemnTrees condemns some of the leaked trees.
func (t *trial) condemnTrees(which func(top Process) bool) {
	for _, top := range t.leaked {
		if p := t.Processes[top]; which(p) {
			t.condemn(p)
		}
	}
}

// grow walks up from every member.
func (t *trial) grow() map[int]*tree {
	trees := make(map[int]*tree)
	for _, pid := range slices.Sorted(maps.Keys(t.tool)) {
		if t.script[pid] {
			continue
		}
		chain, torn := t.chain(pid)
		top := chain[len(chain)-1]
		if trees[top] == nil {
			trees[top] = &tree{top: t.Processes[top]}
		}
		trees[top].members = append(trees[top].members, pid)
		trees[top].torn = trees[top].torn || torn
		for _, link := range chain {
			t.say(t.Processes[link]).Top = top
		}
	}
	return trees
}

// chain is a member and the members and wrappers above it, up to the top.
func (t *trial) chain(pid int) (chain []int, torn bool) {
	for {
		chain = append(chain, pid)
		p := t.Processes[pid]
		parent, seen := t.Processes[p.PPID]
		if !seen || t.tool[parent.PID] == "" || parent.Start > p.Start {
			return chain, false
		}
		if slices.Contains(chain, parent.PID) {
			return chain, true
		}
		pid = parent.PID
	}
}

// say begins or goes on with what is said of a process.
func (t *trial) say(p Process) *Judged {
	j := t.said[p.PID]
	if j == nil {
		j = &Judged{Process: whole(t.Facts, p), Kind: Below, Top: p.PID, Tool: t.tool[p.PID]}
		switch {
		case t.script[p.PID]:
			j.Kind = Wrapper
		case j.Tool != "":
			j.Kind = Member
		}
		t.said[p.PID] = j
	}
	return j
}

// try judges one tree by its top.
func (t *trial) try(tr *tree) {
	s := t.stands(tr.top)
	if tr.torn {
		s = standing{why: "its parents run in a circle: the picture is torn"}
	}
	how := shallow
	if s.leaked || s.young {
		how = deep
	}
	own, why := t.whose(tr, how)
	leaked, young, text := t.verdict(s, own, why)
	against := t.goesOn(tr.top, leaked, young)
	if against == "" && leaked {
		against = cmp.Or(t.disguised(tr.top), t.strange(tr, own.Lane))
	}
	if against != "" {
		leaked, young, text = false, false, against
	}
	for pid, j := range t.said {
		if j.Top != tr.top.PID {
			continue
		}
		j.Lane, j.Evidence, j.Young, j.Why = own.Lane, own.Evidence, young, text
		if s.leaked {
			j.Claim = own.claim
		}
		if mine := t.own.of(j.Process, shallow); mine.known() {
			j.Lane, j.Evidence = mine.Lane, mine.Evidence
		}
		if pid != tr.top.PID {
			j.Why = fmt.Sprintf("below %s, %s", label(tr.top), text)
		}
	}
	if leaked {
		t.leaked = append(t.leaked, tr.top.PID)
	}
}

// whose is the owner of a tree: its top's, or that of all its members that have
// one. Where the top stands in somebody else's work tree it is nobody's.
func (t *trial) whose(tr *tree, ask depth) (own owner, how string) {
	if own = t.own.of(tr.top, ask); own.known() || own.against != "" {
		return own, own.how()
	}
	for _, pid := range tr.members {
		mine := t.own.of(t.Processes[pid], ask)
		switch {
		case !mine.known():
		case own.known() && own.Lane != mine.Lane:
			return owner{}, ""
		case !own.known():
			own, how = mine, fmt.Sprintf("the %s of %s", mine.Evidence, label(t.Processes[pid]))
		}
	}
	return own, how
}

// verdict is what comes of a standing and an owner.
func (t *trial) verdict(s standing, own owner, how string) (leaked, young bool, why string) {
	switch {
	case !s.leaked && !s.young:
		return false, false, s.why
	case own.against != "":
		return false, false, own.against
	case !own.known():
		return false, false, "whose it is is not known"
	case !t.wanted(own.Lane):
		return false, false, "belongs to lane " + own.Lane
	case s.young:
		return false, true, fmt.Sprintf("younger than %s", t.rules.Floor)
	}
	return true, false, fmt.Sprintf("%s, of lane %s by %s", s.why, own.Lane, how)
}
