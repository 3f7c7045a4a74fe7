package reaper

import (
	"slices"
	"strings"
)

// others judges orphans that are not of the family: what gpuci started and did
// not live to end, and programs of a lane's target directory.
func (t *trial) others() {
	t.condemnTrees(func(top Process) bool { return top.PPID != 1 })
	var tops []int
	for _, pid := range t.strays() {
		p := t.Processes[pid]
		if s := t.stands(p); (s.leaked || s.young) && t.tryOther(p, s) {
			tops = append(tops, pid)
		}
	}
	for _, pid := range tops {
		t.condemn(t.Processes[pid])
	}
}

// strays are the orphans that may be such, in order.
func (t *trial) strays() (pids []int) {
	under := t.underLeaked()
	for pid, p := range t.Processes {
		if !p.Zombie() && !p.Kernel && t.tool[pid] == "" && !under[pid] && t.concerns(p) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// concerns says whether a process can be such an orphan at all, before anything
// is asked of it but the unit of a few.
func (t *trial) concerns(p Process) bool {
	if _, built := t.built(p); t.above[p.PID] || !built && !t.lost {
		return false
	}
	return t.ancestry(p).orphan()
}

// built is the lane in whose target directory a process's program is.
func (t *trial) built(p Process) (lane Lane, ok bool) {
	if !p.Exe.Known() {
		return Lane{}, false
	}
	return t.own.target(p.Exe.Path)
}

// underLeaked is everything below a leaked tree, whether it goes with it or not.
func (t *trial) underLeaked() map[int]bool {
	under := make(map[int]bool)
	queue := append([]int(nil), t.leaked...)
	for ; len(queue) > 0; queue = queue[1:] {
		if pid := queue[0]; !under[pid] {
			under[pid] = true
			queue = append(queue, t.children(pid)...)
		}
	}
	return under
}

// tryOther judges one orphan, and says whether it is leaked.
func (t *trial) tryOther(p Process, s standing) (leaked bool) {
	kind, lane := t.kindOf(p)
	if kind == "" {
		return false
	}
	own := t.own.of(p, deep)
	if kind == InTarget && !own.known() && own.against == "" { // its directory is in two lanes at once
		own = owner{Lane: lane.Name, Evidence: byExe}
	}
	j := t.say(p)
	j.Kind, j.Lane, j.Evidence = kind, own.Lane, own.Evidence
	leaked, j.Young, j.Why = t.verdict(s, own, own.how())
	if !leaked && !j.Young {
		return false
	}
	if against := t.against(p, kind, lane, leaked); against != "" {
		leaked, j.Young, j.Why = false, false, against
	}
	return leaked
}

// against says what keeps an orphan that is leaked by all else, or will be when
// it is older.
func (t *trial) against(p Process, kind Kind, lane Lane, leaked bool) string {
	if t.protected(p) {
		return "a protected run"
	}
	if kind == InTarget {
		if why := t.noTestBinary(p, lane); why != "" {
			return why
		}
	}
	return t.goesOn(p, leaked, true)
}

// kindOf says what an orphan is, "" when it is none of our business. lane is
// the one in whose target directory it is.
func (t *trial) kindOf(p Process) (kind Kind, lane Lane) {
	if t.started(p) {
		return Started, Lane{}
	}
	if lane, ok := t.built(p); ok {
		return InTarget, lane
	}
	return "", Lane{}
}

// started says whether all the runs that a process was started under are known
// and have lost their gpuci. Nobody is asked for its environment while no run
// has, nor where nothing could come of it: the process belongs to a lane that is
// not wanted, or only to those of lost runs, and they are not either.
func (t *trial) started(p Process) bool {
	if !t.lost {
		return false
	}
	if leaf, known := t.Facts.Leaf(p.PID); known && leaf != "" {
		return t.overRun(p)
	}
	own := t.own.of(p, shallow)
	if own.known() && !t.wanted(own.Lane) {
		return false
	}
	if _, built := t.built(p); !own.known() && !built && !t.lostHere {
		return false
	}
	return t.overRun(p)
}

// overRun says whether all that is known to have started a process are runs that
// are over: by its leaf, if it is in one, or else by its cookie.
func (t *trial) overRun(p Process) bool {
	if leaf, known := t.Facts.Leaf(p.PID); known && leaf != "" {
		run, ok := t.Runs[leaf]
		return ok && !run.Lives
	}
	runs, known := t.Facts.Cookie(p.PID)
	for _, id := range runs {
		if run, ok := t.Runs[id]; !ok || run.Lives {
			return false
		}
	}
	return known && len(runs) > 0
}

// noTestBinary says what speaks against an orphan in a lane's target directory:
// a trainer that was let go on purpose looks just like a test that was lost.
func (t *trial) noTestBinary(p Process, lane Lane) string {
	switch {
	case !t.rules.TestBinaries:
		return "an orphan in the target directory is only listed"
	case !t.wanted(lane.Name):
		return "in the target directory of lane " + lane.Name
	case !testBinary(p.Exe.Path[len(trim(lane.Target)):]):
		return "not named as a test binary is"
	case p.Session == p.PID:
		return "it leads its session: let go on purpose"
	}
	switch ignores, known := t.Facts.IgnoresHUP(p.PID); {
	case !known:
		return "whether it ignores SIGHUP is not known"
	case ignores:
		return "it ignores SIGHUP: let go on purpose"
	}
	return ""
}

// testBinary says whether a path in a target directory is named as Cargo names
// tests: /debug/deps/NAME-0123456789abcdef, or with the target's directory
// before.
func testBinary(path string) bool {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if n := len(parts); n != 3 && n != 4 || parts[n-2] != "deps" {
		return false
	}
	name := parts[len(parts)-1]
	i := strings.LastIndexByte(name, '-')
	return i > 0 && len(name)-i-1 == 16 && strings.Trim(name[i+1:], "0123456789abcdef") == ""
}
