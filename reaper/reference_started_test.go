package reaper_test

import (
	"regexp"
	"slices"
	"strings"
)

// leakedRun is point 10a: an orphan that a gpuci started which is gone.
func (r *reference) leakedRun(pid int) bool {
	return r.stray(pid) && r.ofDeadRun(pid) && !r.protected(pid) && r.wants(r.owner(pid))
}

// stray says whether a process is one that point 10 speaks of. It is below a
// leaked tree by a reused pid too.
func (r *reference) stray(pid int) bool {
	it := r.Processes[pid]
	for _, up := range r.anyLine(clauseStrayReuse, pid) {
		if slices.Contains(r.leaked, up) {
			return false
		}
	}
	return r.must(clauseStrayKin, !r.kin(pid)) && r.loose(pid) &&
		r.must(clauseStrayZombie, !it.Zombie()) && r.must(clauseSpareKernel, !it.Kernel)
}

// ofDeadRun says whether gpuci started a process for something that is over.
func (r *reference) ofDeadRun(pid int) bool {
	leaf, known := r.Facts.Leaf(pid)
	if known && leaf != "" && r.may(clauseLeafFirst, true) {
		run, there := r.Runs[leaf]
		return r.may(clauseLeafDead, r.must(clauseLeafRun, there) && !run.Lives)
	}
	cookie, known := r.Facts.Cookie(pid)
	if !r.must(clauseDeadCookieKnown, known) || len(cookie) == 0 {
		return false
	}
	for _, id := range cookie {
		run, there := r.Runs[id]
		if !r.must(clauseCookieRun, there) || run.Lives {
			return false
		}
	}
	return r.may(clauseCookieDead, true)
}

var referenceTestBinary = regexp.MustCompile(`^[^/]+(/[^/]+)?/deps/[^/]+-[0-9a-f]{16}$`)

// leakedTestBinary is point 10b, with the option that lets it end anything.
//
// Both the lane whose target directory it is in and the one whose the process is
// by point 7, if there is one, must be wanted.
//
// Reading: what 10a speaks of and keeps does not go by 10b.
func (r *reference) leakedTestBinary(pid int) bool {
	it := r.Processes[pid]
	lane, in := r.targetOf(it.Exe.Path)
	if !r.must(clauseTestOption, r.options.TestBinaries) || !in || !r.must(clauseTestKnown, it.Exe.Known()) {
		return false
	}
	owner := r.owner(pid)
	name := strings.TrimPrefix(it.Exe.Path, lane.Target+"/")
	ignores, known := r.Facts.IgnoresHUP(pid)
	return r.stray(pid) && r.must(clauseTestElse, !r.ofDeadRun(pid)) &&
		r.may(clauseTest, r.must(clauseTestName, referenceTestBinary.MatchString(name))) &&
		r.must(clauseHUPKnown, known) && r.must(clauseHUP, !ignores) &&
		r.must(clauseTestLeader, it.Session != it.PID) && !r.protected(pid) &&
		r.must(clauseTestWanted, r.wanted[lane.Name]) &&
		(r.may(clauseTestNobody, owner == "" && !r.foreign(pid)) || r.wants(owner))
}
