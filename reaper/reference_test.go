package reaper_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/reaper"
)

// The reference rule: which processes a sweep may end, said once more, slowly
// and plainly, by somebody else than the one who wrote the package. It stands
// in a test package of its own, so that the compiler keeps it from sharing
// anything with the package but the types of facts.go. Where the text of the
// rule leaves a doubt it reads it so that less is ended; such places begin with
// "Reading:".

// referenceOptions are what Judge takes as Rules.
type referenceOptions struct {
	Family       []string
	Tools        map[string][]string // of lanes
	Floor        time.Duration       // 2 s when 0
	TestBinaries bool
	Protected    func(reaper.Process) bool

	without clause // left out of the rule, to see whether it ever decides
}

// reference is one question to the rule.
type reference struct {
	reaper.Picture
	lanes   []reaper.Lane
	wanted  map[string]bool
	options referenceOptions

	names, plain    []string // the family, with and without what lanes add
	member, wrapper map[int]bool
	tops            map[int]int // of every member, where it has one
	leaked          []int       // what leaked trees begin with
}

// referenceLeaked says which processes are to be ended, in ascending order. It
// is an error, and nobody is, when process 1 or our own is not in the picture.
func referenceLeaked(p reaper.Picture, lanes []reaper.Lane, wanted map[string]bool, o referenceOptions) (victims []int, err error) {
	for _, pid := range []int{1, p.Self} {
		if _, there := p.Processes[pid]; !there && o.without != clauseValid {
			return nil, fmt.Errorf("judge the picture: process %d is not in it", pid)
		}
	}
	r := &reference{Picture: p, lanes: lanes, wanted: wanted, options: o, names: o.Family,
		member: map[int]bool{}, wrapper: map[int]bool{}, tops: map[int]int{}}
	if o.Family == nil || o.without == clauseOwnFamily {
		r.names = referenceFamily()
	}
	r.plain = r.names
	for _, l := range lanes {
		r.names = slices.Concat(r.names, o.Tools[l.Name])
	}
	for pid, it := range p.Processes {
		r.member[pid] = r.isMember(it)
		r.wrapper[pid] = !r.member[pid] && r.may(clauseWrapper, r.isWrapper(it))
	}
	for pid := range p.Processes {
		if top, has := r.topOf(pid); has && r.must(clauseTrueMember, r.member[pid]) && r.kin(pid) {
			r.tops[pid] = top
		}
	}
	r.leaked = r.all(r.leakedTop)
	strays := r.all(func(pid int) bool { return r.leakedRun(pid) || r.leakedTestBinary(pid) })
	r.leaked = append(r.leaked, strays...)
	return r.all(r.victim), nil
}

// all are the processes of which something holds, in ascending order.
func (r *reference) all(holds func(pid int) bool) (out []int) {
	for pid := range r.Processes {
		if holds(pid) {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	return out
}

// must is a condition of the rule: leaving it out lets more through.
func (r *reference) must(c clause, holds bool) bool { return holds || r.options.without == c }

// may is something that the rule lets count: leaving it out lets less through.
func (r *reference) may(c clause, holds bool) bool { return holds && r.options.without != c }

// line is a process, its parent, that one's parent and so on.
//
// Reading: one that started later than its child bears a reused pid and is
// nobody's parent, here as in the rule's points 3 and 4.
func (r *reference) line(pid int) (out []int) {
	for range r.Processes {
		out = append(out, pid)
		it := r.Processes[pid]
		up, there := r.Processes[it.PPID]
		if !there || !r.must(clauseBelowReuse, up.Start <= it.Start) {
			break
		}
		pid = it.PPID
	}
	return out
}

// below says whether a process is the other one or descends from it.
func (r *reference) below(pid, top int) bool { return slices.Contains(r.line(pid), top) }

// kin says whether a process may stand in a chain.
func (r *reference) kin(pid int) bool { return r.member[pid] || r.wrapper[pid] }

// up is the member or wrapper that a chain goes on to above a process.
func (r *reference) up(pid int) (parent int, goesUp bool) {
	it := r.Processes[pid]
	above, there := r.Processes[it.PPID]
	return it.PPID, there && r.may(clauseChain, r.kin(it.PPID)) && r.must(clauseChainReuse, above.Start <= it.Start)
}

// topOf is the last one upwards from a member.
//
// Reading: parents that go round in a circle have no last one.
func (r *reference) topOf(pid int) (top int, has bool) {
	for range r.Processes {
		above, goesUp := r.up(pid)
		if !goesUp {
			return pid, true
		}
		pid = above
	}
	return 0, false
}

// membersOf are the members whose top the process is.
func (r *reference) membersOf(top int) (out []int) {
	for pid, its := range r.tops {
		if its == top {
			out = append(out, pid)
		}
	}
	return out
}

// leakedTop is point 8.
func (r *reference) leakedTop(pid int) bool {
	return len(r.membersOf(pid)) > 0 && r.loose(pid) && r.wants(r.treeOwner(pid)) && (!r.wrapper[pid] || r.runsTool(pid)) && r.must(clauseLaneTools, r.ownTools(pid))
}

// ownTools says whether the top of a tree, and a member of it, would be such if
// the tools of the tree's lane were all that is added to the family.
func (r *reference) ownTools(top int) bool {
	if r.options.Tools == nil {
		return true
	}
	less := *r
	less.names = slices.Concat(r.plain, r.options.Tools[r.treeOwner(top)])
	if !less.isMember(r.Processes[top]) && !less.isWrapper(r.Processes[top]) {
		return false
	}
	return slices.ContainsFunc(r.membersOf(top), func(pid int) bool { return less.isMember(r.Processes[pid]) })
}

// runsTool says whether an interpreter was given a script of a tool's name.
func (r *reference) runsTool(pid int) bool {
	script, known := r.Facts.Script(pid)
	return r.must(clauseScriptKnown, known) && r.must(clauseScript, r.familyName(script[strings.LastIndex(script, "/")+1:]))
}

// wants says whether a process of this owner may go; "" is nobody.
func (r *reference) wants(lane string) bool {
	return r.must(clauseOwned, lane != "") && r.must(clauseWanted, lane == "" || r.wanted[lane])
}
