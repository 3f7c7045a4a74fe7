package proc

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// group is what an ender ends: a command, or what a killed run left.
type group interface {
	members() ([]Stat, error)      // alive now, less those that may stay
	killLeaves(wait time.Duration) // has the kernel kill what is in leaves, and waits a little for it
}

// ender kills a group, and remembers whom it signalled, so that each is told
// once.
type ender struct {
	g     group
	boot  string
	lim   Limits
	hurry <-chan struct{}
	old   map[key]bool // had a SIGKILL pending when we came: waiting for these is vain
	seen  map[key]bool
	sent  []Stat
	left  []Stat // as of the last look
	err   error
}

func newEnder(g group, boot string, lim Limits, hurry <-chan struct{}) *ender {
	if lim.Kill == 0 {
		lim.Kill = defaultKill
	}
	return &ender{g: g, boot: boot, lim: lim, hurry: hurry, seen: make(map[key]bool)}
}

// kill kills until nobody is left, or the time is up. Where there was somebody
// it takes two looks in a row to believe it, for a member may have forked while
// we looked. The time runs from the first signal: until then nobody has had any.
func (e *ender) kill() {
	var deadline time.Time
	for empty := 0; ; time.Sleep(poll / 2) {
		e.left, e.err = e.g.members()
		if len(e.left) == 0 && e.err == nil {
			if empty++; empty == 2 || len(e.seen) == 0 {
				return
			}
			continue
		}
		empty = 0
		now := time.Now()
		switch { // the first time everybody gets a signal
		case deadline.IsZero():
			deadline = now.Add(e.lim.Kill)
		case now.After(deadline), e.vain(), e.err != nil && e.hurried():
			return
		}
		if e.hurried() && time.Until(deadline) > hurriedKill {
			deadline = now.Add(hurriedKill)
		}
		e.note(e.left)
		wait := min(e.lim.Kill, 20*poll)
		if e.vain() {
			wait = 0
		}
		e.g.killLeaves(wait)
		e.send(unix.SIGKILL, e.left)
	}
}

// vain says that all who are left had their SIGKILL before we came.
func (e *ender) vain() bool {
	return e.err == nil && !slices.ContainsFunc(e.left, func(s Stat) bool { return !e.old[s.key()] })
}

func (e *ender) hurried() bool {
	select {
	case <-e.hurry:
		return true
	default:
		return false
	}
}

// signal sends sig to every member.
func (e *ender) signal(sig unix.Signal) ([]Stat, error) {
	members, err := e.g.members()
	e.send(sig, members)
	return members, err
}

func (e *ender) send(sig unix.Signal, members []Stat) {
	for _, s := range members {
		if Real.Signal(s.Identity(e.boot), sig) == nil {
			e.note([]Stat{s})
		}
	}
}

func (e *ender) note(members []Stat) {
	for _, s := range members {
		if !e.seen[s.key()] {
			e.seen[s.key()] = true
			e.sent = append(e.sent, s)
		}
	}
}

// result tells those that are gone from those that are not.
func (e *ender) result() Result {
	r := Result{Stuck: stuck(e.left), Err: e.err}
	for _, s := range e.sent {
		if !slices.ContainsFunc(e.left, same(s)) {
			r.Ended = append(r.Ended, s)
		}
	}
	return r
}
