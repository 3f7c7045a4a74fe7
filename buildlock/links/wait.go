package links

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gpuci/buildlock"
)

// subject is what a line is about.
type subject int

const (
	aboutOthers   subject = iota + 1 // the wait is for somebody else's link
	aboutPressure                    // for the machine
	aboutOurs                        // for a link of the build's own
	aboutGate                        // to get in line
)

// tickets notes whether a link of ours waits for somebody else's, and tells it
// now and then; which of ours are at work, and whether others of ours have
// waited long for one.
func (w *Watch) tickets(ctx context.Context, now time.Time) {
	list, err := buildlock.Tickets(ctx, w.LockDir, buildlock.Link)
	if err != nil {
		return // the shims say what is wrong with it
	}
	w.follow(list, now)
	line, about := w.line(list, now)
	if about == 0 {
		line, about = w.atGate(list, now)
	}
	w.wait(about != 0, now)
	at := w.longest(list, now)
	switch {
	case about != 0 && line.String() != "":
		w.say(about, now, func() buildlock.Line { return line })
	case about == 0 && at != nil:
		w.say(aboutOurs, now, func() buildlock.Line { return w.behind(ctx, at, now) })
	}
}

// say tells a line, if it is not about the same as that of a moment ago.
func (w *Watch) say(about subject, now time.Time, line func() buildlock.Line) {
	soon := !w.said.IsZero() && now.Sub(w.said) < cmp.Or(w.Every, buildlock.RemindEvery)
	if w.Waiting == nil || soon && about == w.about {
		return
	}
	w.said, w.about = now, about
	w.Waiting(line())
}

// wait adds up the time that went by in waiting.
func (w *Watch) wait(waits bool, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case waits && w.since.IsZero():
		w.since = now
	case !waits && !w.since.IsZero():
		w.queued, w.since = w.queued+now.Sub(w.since), time.Time{}
	}
}

// Queued is the time in which the build's links waited for somebody else's and
// none of its own was at work: time that is not the build's to answer for.
func (w *Watch) Queued(now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.queued
	}
	return w.queued + now.Sub(w.since)
}

// Queueing says whether that is so now. A nil Watch never queues.
func (w *Watch) Queueing() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.since.IsZero()
}

// line is the place in line of our link that goes next, if all it waits for is
// somebody else's.
func (w *Watch) line(list []buildlock.Entry, now time.Time) (buildlock.Line, subject) {
	slots, err := buildlock.Links(w.LockDir)
	if err != nil {
		return buildlock.Line{}, 0
	}
	own := slots
	if w.Slots > 0 {
		own = min(slots, w.Slots)
	}
	ahead := 0
	for _, e := range list {
		switch {
		case e.State == buildlock.StateVoid:
		case e.Build != w.Build:
			ahead++
		case e.State == buildlock.StateWaits && e.Held != "":
			return buildlock.Line{Held: true, Note: "the next link is " + e.Held}, aboutPressure
		case e.State == buildlock.StateWaits && e.Looking:
			return buildlock.Line{}, aboutPressure // there is nothing to say yet
		case e.State != buildlock.StateWaits || ahead < own:
			return buildlock.Line{}, 0 // it moves on: one of ours is at work, or about to be
		default:
			l := buildlock.Queue{Lock: buildlock.Link, Slots: slots, Entries: list}.Line(e.Number)
			l.Waited, l.Limit = max(0, now.Sub(e.Since)), w.Limit
			return l, aboutOthers
		}
	}
	return buildlock.Line{}, 0
}

// gateWait is a wait for a number in the queue.
type gateWait struct {
	looked time.Time
	since  time.Time      // when one of ours was first seen in it; zero: none is
	gate   buildlock.Gate // as of the last look
}

// gateAfter is how long it lasts before it is one, and how often it is looked
// for: the gate is held for a fraction of a millisecond.
const gateAfter = time.Second

// atGate says who has the gate of the queue, if none of our links is in line
// because one of them has not got in for a while.
func (w *Watch) atGate(list []buildlock.Entry, now time.Time) (buildlock.Line, subject) {
	g := &w.gate
	if slices.ContainsFunc(list, func(e buildlock.Entry) bool { return e.Build == w.Build }) {
		*g = gateWait{}
		return buildlock.Line{}, 0
	}
	if now.Sub(g.looked) >= gateAfter {
		g.looked, g.gate = now, buildlock.GateOf(w.LockDir, buildlock.Link)
		switch ours := slices.ContainsFunc(g.gate.Waiters, func(pid int) bool { return w.pids[pid] }); {
		case !ours:
			g.since = time.Time{}
		case g.since.IsZero():
			g.since = now
		}
	}
	if g.since.IsZero() || now.Sub(g.since) < gateAfter {
		return buildlock.Line{}, 0
	}
	return buildlock.Line{Lock: buildlock.Link, Note: "links wait to get in line: the gate of the queue is held by " + g.gate.Holder}, aboutGate
}
