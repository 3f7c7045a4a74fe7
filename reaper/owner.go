package reaper

import (
	"strings"
)

// What shows whose a process is, strongest first.
const (
	byCwd    = "cwd"
	byExe    = "exe"
	byFile   = "open file"
	byLeaf   = "leaf"
	byCookie = "cookie"
)

// owner is the lane a process belongs to, and by what. The zero owner is none.
type owner struct {
	Lane, Evidence string

	against string // why it is nobody's of ours, whatever else may say; then it has no lane
	claim   string // and the lane that it would be but for that
}

func (o owner) known() bool { return o.Evidence != "" }

// how says by what for people.
func (o owner) how() string {
	if o.Evidence == byFile {
		return "an open file"
	}
	return "its " + o.Evidence
}

// owners says whose processes are, each asked once.
type owners struct {
	lanes []Lane
	facts Facts
	runs  map[string]Run
	seen  map[asked]owner
}

// depth is what may be asked to find an owner.
type depth uint8

const (
	shallow  depth = iota // nothing that could block: for people, and to begin with
	grounded              // and the file system, for another repository's directories
	deep                  // and the environment, which is only read when it must be
)

// asked is one question.
type asked struct {
	pid int
	how depth
}

// of is whose a process is, by the first thing that tells, or what deeper asking
// has said.
func (o *owners) of(p Process, how depth) owner {
	for d := deep; d >= how && d <= deep; d-- {
		if own, ok := o.seen[asked{p.PID, d}]; ok {
			return own
		}
	}
	own := o.find(p, how)
	o.seen[asked{p.PID, how}] = own
	return own
}

func (o *owners) find(p Process, how depth) owner {
	p = whole(o.facts, p)
	l, own, told := o.byCwd(p)
	if how > shallow && p.Cwd.Known() && (!told || own.known()) {
		if why := o.foreign(p, l); why != "" {
			if !told {
				own, _ = o.byTarget(p)
			}
			return owner{against: why, claim: own.Lane}
		}
	}
	if told {
		return own
	}
	if own, told := o.byTarget(p); told {
		return own
	}
	if len(o.runs) == 0 {
		return owner{} // neither leaf nor cookie could tell
	}
	if run, known := o.facts.Leaf(p.PID); known && o.runs[run].Lane != "" {
		return owner{Lane: o.runs[run].Lane, Evidence: byLeaf}
	}
	if how == deep {
		return o.byCookie(p.PID)
	}
	return owner{}
}

// byTarget is told by a program or open files in a target directory.
func (o *owners) byTarget(p Process) (own owner, told bool) {
	if p.Exe.Known() {
		if lane, ok := o.target(p.Exe.Path); ok {
			return owner{Lane: lane.Name, Evidence: byExe}, true
		}
	}
	return o.byFiles(p.PID)
}

// byFiles is told by files open in one lane's target directory; in those of two
// lanes they tell that it is nobody's.
func (o *owners) byFiles(pid int) (own owner, told bool) {
	if len(o.lanes) == 0 {
		return owner{}, false
	}
	files, known := o.facts.Files(pid)
	if !known {
		return owner{}, false
	}
	for _, path := range files {
		lane, ok := o.target(path)
		switch {
		case !ok:
		case told && own.Lane != lane.Name:
			return owner{}, true
		default:
			own, told = owner{Lane: lane.Name, Evidence: byFile}, true
		}
	}
	return own, told
}

// byCookie is told by the runs in the environment, if they are all known and
// all of one lane.
func (o *owners) byCookie(pid int) owner {
	runs, known := o.facts.Cookie(pid)
	if !known || len(runs) == 0 {
		return owner{}
	}
	lane := o.runs[runs[0]].Lane
	for _, run := range runs {
		if lane == "" || o.runs[run].Lane != lane {
			return owner{}
		}
	}
	return owner{Lane: lane, Evidence: byCookie}
}

// target is the lane in whose target directory a path lies: the innermost one.
// One that two lanes share is neither's, and one of a removed lane nobody's.
func (o *owners) target(path string) (lane Lane, ok bool) {
	var found string
	for _, l := range o.lanes {
		if !inside(path, l.Target) {
			continue
		}
		switch dir := trim(l.Target); {
		case len(dir) > len(found):
			found, lane, ok = dir, l, !l.Removed
		case dir == found:
			ok = false
		}
	}
	return lane, ok
}

// inside says whether a path is a directory or lies in it, part by part: wt/kda2
// is not in wt/kda. In no directory, and in the root of everything, is nothing.
func inside(path, dir string) bool {
	dir = trim(dir)
	return dir != "" && strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

func trim(dir string) string { return strings.TrimRight(dir, "/") }
