package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// busyProcess is one that used processors during a look. What it used is in
// processors: one thread that never waits uses 1.
type busyProcess struct {
	proc.Stat
	uid   int     // who owns it, -1 when that cannot be told
	own   float64 // its own threads
	ended float64 // children that it saw the end of: a build is many short ones
	where seat
}

func (b busyProcess) used() float64 { return b.own + b.ended }

// leastBusy is what a process must use to be told of, in processors: less
// does not keep anybody else from one.
const leastBusy = 0.05

// busy lists the processes that used processors between the first look and the
// last, the busiest first. Threads of the kernel are among them.
func (s *sampling) busy() (out []busyProcess) {
	look := s.at.Sub(s.began)
	if look <= 0 {
		return nil
	}
	gone := s.endedBefore()
	for pid, now := range s.last.Table {
		before := s.first.Table[pid]
		if before.Start != now.Start {
			before = proc.Stat{} // it was started since: all of it is of this look
		}
		b := busyProcess{Stat: now, uid: -1, own: processors(now.CPU, before.CPU, look.Seconds())}
		b.ended = processors(now.Waited, before.Waited+gone[pid], look.Seconds())
		if b.used() < leastBusy || pid == os.Getpid() {
			continue
		}
		if uid, ok := s.last.UID[pid]; ok {
			b.uid = int(uid)
		}
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b busyProcess) int {
		return cmp.Or(cmp.Compare(b.used(), a.used()), a.PID-b.PID)
	})
	return out
}

// endedBefore is what children that ended during the look had used before it,
// in ticks, by their parent: the kernel adds all of that to the parent at their
// end. Of each the kernel cut a part of a tick off, user and system apart, which
// is one in the mean: of five hundred short ones that is more than they use.
func (s *sampling) endedBefore() map[int]uint64 {
	out := make(map[int]uint64)
	for pid, before := range s.first.Table {
		if now, ok := s.last.Table[pid]; !ok || now.Start != before.Start {
			out[before.PPID] += before.CPU + before.Waited + 1
		}
	}
	return out
}

// processors is a growth of ticks as a number of processors.
func processors(now, before uint64, seconds float64) float64 {
	if now <= before {
		return 0
	}
	return proc.CPUTime(now-before).Seconds() / seconds
}

// usedText is a number of processors in words.
func usedText(n float64) string {
	return fmt.Sprintf("%.0f%% of a processor", 100*n)
}

// busyGroup are processes of one name, user and place.
type busyGroup struct {
	busyProcess // the busiest of them
	count       int
	used        float64
}

// busyGroups groups processes, the busiest group first.
func busyGroups(list []busyProcess) (out []busyGroup) {
	for _, b := range list {
		at := slices.IndexFunc(out, func(g busyGroup) bool {
			return g.Comm == b.Comm && g.uid == b.uid && g.place() == b.place()
		})
		if at < 0 {
			at = len(out)
			out = append(out, busyGroup{busyProcess: b})
		}
		out[at].count++
		out[at].used += b.used()
	}
	slices.SortStableFunc(out, func(a, b busyGroup) int { return cmp.Compare(b.used, a.used) })
	return out
}

// maxBusy is how many groups a sentence names.
const maxBusy = 3

// busyWords says in a sentence who computes.
func busyWords(list []busyProcess) string {
	if len(list) == 0 {
		return "nobody is seen at work: who computes runs outside of this container, or is hidden, or is of many short processes"
	}
	var names []string
	groups := busyGroups(list)
	for _, g := range groups[:min(maxBusy, len(groups))] {
		who := fmt.Sprintf("%s (pid %d", g.Comm, g.PID)
		if g.count > 1 {
			who = fmt.Sprintf("%d %s (pid %d and others", g.count, g.Comm, g.PID)
		}
		names = append(names, fmt.Sprintf("%s%s, %s) %s", who, g.owner(), g.place(), usedText(g.used)))
	}
	text := "at work: " + strings.Join(names, ", ")
	if n := len(groups) - maxBusy; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return buildlock.Printable(text)
}

// owner is whose it is, behind a comma, as far as that is known.
func (b busyProcess) owner() string {
	if b.uid < 0 {
		return ""
	}
	return ", " + buildlock.UserName(b.uid)
}

// place is where it belongs, in words.
func (b busyProcess) place() string {
	if b.Kernel {
		return "of the kernel"
	}
	return b.where.brief()
}
