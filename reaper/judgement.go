package reaper

import "slices"

// Kind says what a process is to the rule.
type Kind string

// The kinds of processes that are judged.
const (
	Member   Kind = "member"                  // runs a tool of the family
	Wrapper  Kind = "wrapper"                 // a script that stands in for one, in a chain with members
	Started  Kind = "started by gpuci"        // an orphan of a run or build whose gpuci is gone
	InTarget Kind = "in the target directory" // an orphan that runs a program of a lane's target directory
	Below    Kind = "below a leaked one"      // nothing of these, and goes with what it is below
)

// Judged is a process, and what the rule says of it.
type Judged struct {
	Process
	Kind     Kind
	Tool     string // the name in the family, "" for what is not of it
	Lane     string // whose it is, or its top; "" when that is not known
	Evidence string // cwd, exe, open file, leaf or cookie; "" when it is not known
	Top      int    // pid of the topmost process of its tree
	Leaked   bool   // a sweep ends it
	Young    bool   // it would be leaked if it were as old as the floor
	Shell    int    // pid of a shell above a top that is not leaked, which process 1 has taken over; 0 for none
	Served   bool   // it is not leaked because process 1 may have started it
	Parted   bool   // or because its parent may have, and have begun a session of its own since
	Spared   bool   // it is a top that would be leaked, and must not be ended: somebody sits before it, or a debugger holds it
	Claim    string // a lane whose leaked process it would be, but for a directory that is another repository's
	Why      string // for people
}

// Name is the tool, or what the process calls itself.
func (j Judged) Name() string {
	if j.Tool != "" {
		return j.Tool
	}
	return j.Comm
}

// Judgement is what the rule says of a picture.
type Judgement struct {
	Judged []Judged // tree by tree, parents before children
	leaked []int    // where the leaked ones stand in Judged, parents before children
}

// Victims are the processes that a sweep ends, parents before children.
func (j Judgement) Victims() []Process {
	out := make([]Process, 0, len(j.leaked))
	for _, i := range j.leaked {
		out = append(out, j.Judged[i].Process)
	}
	return out
}

// victims are the same with what was said of them.
func (j Judgement) victims() []Judged {
	out := make([]Judged, 0, len(j.leaked))
	for _, i := range j.leaked {
		out = append(out, j.Judged[i])
	}
	return out
}

// judgement puts what was said in order.
func (t *trial) judgement() Judgement {
	depth := make(map[int]int, len(t.said))
	var out Judgement
	for pid, said := range t.said {
		j := *said
		if why, spared := t.spare[pid]; spared {
			j.Leaked, j.Young, j.Why = false, false, why
			j.Spared = pid == j.Top
		}
		if up, ok := t.lostShell(j.Process); ok && !j.Leaked && pid == j.Top && j.Tool != "" {
			j.Shell = up.PID
		}
		if !j.Leaked && pid == j.Top {
			a := t.ancestry(j.Process)
			j.Served, j.Parted = a == served, a == parted
		}
		depth[pid] = t.depth(pid)
		out.Judged = append(out.Judged, j)
	}
	slices.SortFunc(out.Judged, func(a, b Judged) int {
		if a.Top != b.Top {
			return a.Top - b.Top
		}
		return order(depth, a, b)
	})
	for i, j := range out.Judged {
		if j.Leaked {
			out.leaked = append(out.leaked, i)
		}
	}
	// Trees can hang in trees, so that the whole list needs the depth alone.
	slices.SortFunc(out.leaked, func(a, b int) int { return order(depth, out.Judged[a], out.Judged[b]) })
	return out
}

func order(depth map[int]int, a, b Judged) int {
	if depth[a.PID] != depth[b.PID] {
		return depth[a.PID] - depth[b.PID]
	}
	return a.PID - b.PID
}

// depth is how many processes stand above one.
func (t *trial) depth(pid int) (n int) {
	seen := make(map[int]bool)
	for p, ok := t.Processes[pid]; ok && !seen[p.PID]; p, ok = t.Processes[p.PPID] {
		seen[p.PID] = true
		n++
	}
	return n
}
