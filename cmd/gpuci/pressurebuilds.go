package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// idleLimits say when a build has had no CPU for minutes.
type idleLimits struct {
	old   time.Duration // a link or compiler of that age at least
	share float64       // used no more than this part of its life
	tick  time.Duration // of CPU in a second of the look that is still none
}

// defaultIdle are the limits. A link or a compiler that gets to the disk and to
// a processor takes a tenth of its time at least, on the slowest of disks; the
// kernel counts CPU in hundredths of a second.
func defaultIdle() idleLimits {
	return idleLimits{old: 2 * time.Minute, share: 0.01, tick: 10 * time.Millisecond}
}

// idleBuild is a build that has had no CPU for minutes, and how it was judged.
type idleBuild struct {
	top     proc.Stat
	where   string // "lane kda"
	lane    string
	command string
	look    time.Duration
	used    time.Duration // CPU in the look, all of its processes
	oldest  proc.Stat     // of its links and compilers that had none
	age     time.Duration
	cpu     time.Duration // of the oldest, in all
	waits   string        // wait channel of it
	place   int           // in line for the link lock, 0 when it does not wait there
	held    string        // why it is held back though it is its turn
	stopped bool
}

// idleBuilds picks the builds out that used no CPU in the look and have links or
// compilers that had none for minutes. One that waits for the link lock is among
// them, and says so.
func idleBuilds(ctx context.Context, s *sampling, builds []runningBuild, queues []buildlock.Queue, lanes []worktrees.Tree, limits idleLimits) (out []idleBuild) {
	look := time.Since(s.began)
	for _, b := range builds {
		before := s.root.TreeUsage(s.first.Table, b.top.PID).CPU
		used := s.root.TreeUsage(s.last.Table, b.top.PID).CPU - before
		if used < 0 || used > time.Duration(float64(limits.tick)*max(1, look.Seconds())) {
			continue // below zero: some of it ended, and nobody waited for that
		}
		one := idleBuild{top: b.top, look: look, used: used, stopped: b.top.State == 'T'}
		if !one.judge(s.root, b.leaves, queues, limits) {
			continue
		}
		one.belong(ctx, s, queues, lanes)
		out = append(out, one)
	}
	return out
}

// judge looks for the oldest leaf without CPU; those that wait in line come
// after those that have no such excuse.
func (b *idleBuild) judge(root proc.Root, leaves []proc.Stat, queues []buildlock.Queue, limits idleLimits) (idle bool) {
	for _, s := range leaves {
		place, ticket := ticketOf(queues, s)
		age, cpu := root.Age(s), proc.CPUTime(s.CPU+s.Waited)
		if !ticket.Granted.IsZero() { // it was in line before
			age = min(age, time.Since(ticket.Granted))
		}
		waits, waiting := place > 0, b.place > 0
		switch {
		case age < limits.old, cpu.Seconds() > limits.share*age.Seconds():
			continue
		case idle && waits && !waiting, idle && waits == waiting && age <= b.age:
			continue
		}
		b.oldest, b.age, b.cpu, b.place, b.held, idle = s, age, cpu, place, ticket.Held, true
	}
	if idle {
		b.waits, _ = root.WaitChannel(b.oldest.PID)
		b.stopped = b.stopped || b.oldest.State == 'T'
	}
	return idle
}

// ticketOf is the ticket of a link that is a process's, and its place in line
// if it waits. Without one it is the zero ticket.
func ticketOf(queues []buildlock.Queue, s proc.Stat) (place int, ticket buildlock.Entry) {
	for _, q := range queues {
		for _, e := range q.Entries {
			if q.Lock == buildlock.Link && names(e, s) {
				return q.Place(e.Number), e
			}
		}
	}
	return 0, buildlock.Entry{}
}

// names says whether a ticket names a process.
func names(e buildlock.Entry, s proc.Stat) bool {
	return !e.Foreign && e.PID == s.PID && e.Start == s.Start
}

// belong finds whose build it is and what it was called: by a ticket of one of
// its processes, or of a gpuci above them, else by where it works.
func (b *idleBuild) belong(ctx context.Context, s *sampling, queues []buildlock.Queue, lanes []worktrees.Tree) {
	b.command = b.top.Comm
	tree := append(s.root.Lineage(b.top.PID), s.last.Table.Below(b.top.PID)...)
	for _, q := range queues {
		for _, e := range q.Entries {
			if e.Command == "" || !slices.ContainsFunc(tree, func(s proc.Stat) bool { return names(e, s) }) {
				continue
			}
			if b.command, b.lane = e.Command, e.Lane; e.Lane != "" {
				b.where = "of lane " + e.Lane
				return
			}
		}
	}
	found := seatsOf(ctx, s.root, []int{b.top.PID}, lanes)[0]
	b.lane, b.where = found.lane.Name, found.brief()
	if b.lane != "" {
		b.where = "of " + b.where
	}
}

// String says which build it is, and how it was judged.
func (b idleBuild) String() string {
	used := "no CPU"
	if b.used > 0 {
		used = fmt.Sprintf("%.2f s of CPU", b.used.Seconds())
	}
	text := fmt.Sprintf("build %s (pid %d, %s): %s in %s", b.where, b.top.PID, b.command, used, lookText(b.look))
	switch {
	case b.held != "":
		return text + fmt.Sprintf("; its next link has waited for %s: %s", buildlock.Round(b.age), b.held)
	case b.place > 0:
		return text + fmt.Sprintf("; its links wait for the link lock, the oldest for %s in place %d: gpuci lock status says behind whom", buildlock.Round(b.age), b.place)
	}
	text += fmt.Sprintf(", %.1f s in the %s its oldest link has run: %s (pid %d), state %c", b.cpu.Seconds(), buildlock.Round(b.age), b.oldest.Comm, b.oldest.PID, b.oldest.State)
	switch {
	case b.stopped:
		text += ", stopped: fg, or kill -CONT, lets it go on"
	case b.waits != "":
		text += ", waits in " + b.waits
	}
	return text
}

// lookText is the length of a look in words.
func lookText(d time.Duration) string {
	if d.Round(time.Second) == time.Second {
		return "this second"
	}
	return "these " + buildlock.Round(d).String()
}
