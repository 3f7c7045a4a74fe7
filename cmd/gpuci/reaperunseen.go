package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gpuci/buildlock"
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// unseenByReaper lists what a look at all processes could not see: what others'
// run, and in which lane. Their names can be seen, and are told; nothing is
// judged by a name.
func unseenByReaper(p reaper.Picture) (out []unseen) {
	c := closedTo(p)
	for _, u := range []struct {
		list []reaper.Process
		of   string
	}{{c.theirs, "of other users run, and in which lane"}, {c.ours, "of this user run, which may not be looked into"}} {
		if len(u.list) > 0 {
			out = append(out, unseen{"what " + count(len(u.list), "process", "processes") + " " + u.of, rootCan})
		}
	}
	out = append(out, c.named()...)
	if ns, err := proc.Real.Namespaces(os.Getpid()); err == nil && ns.PID != firstPIDNamespace {
		out = append(out, unseen{"processes outside of this pid namespace", "who looks from outside of this container"})
	}
	return out
}

// closed are processes whose program is not ours to see.
type closed struct{ theirs, ours, tools []reaper.Process }

// closedTo finds them. Process 1 and the kernel's are never judged.
func closedTo(p reaper.Picture) (c closed) {
	table := make(proc.Table, len(p.Processes))
	for pid, x := range p.Processes {
		table[pid] = x.Stat
	}
	for pid, x := range p.Processes {
		if x.Exe.Answer != proc.Unknown || x.Kernel || x.Zombie() || pid == 1 {
			continue
		}
		if st, err := proc.Real.Status(pid); err == nil { // the picture need not have it
			x.UID, x.UIDKnown = uint32(st.EUID), true
		}
		if x.UIDKnown && x.UID == p.UID {
			c.ours = append(c.ours, x)
		} else {
			c.theirs = append(c.theirs, x)
		}
		if isFamily(table, x.Stat) {
			c.tools = append(c.tools, x)
		}
	}
	slices.SortFunc(c.tools, func(x, y reaper.Process) int { return x.PID - y.PID })
	return c
}

// named tells of those that compile or link by their names: the first few, for a
// build has dozens.
func (c closed) named() []unseen {
	const most = 5
	if len(c.tools) == 0 {
		return nil
	}
	var names []string
	for _, x := range c.tools[:min(most, len(c.tools))] {
		names = append(names, fmt.Sprintf("%s (%s)", x.Comm, suspect{Judged: reaper.Judged{Process: x}}.who()))
	}
	if n := len(c.tools) - most; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	text := "whose are these, which compile or link by their names: " + strings.Join(names, ", ")
	return []unseen{{buildlock.Printable(text), rootCan + ", or their user,"}}
}
