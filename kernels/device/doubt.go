package device

import (
	"fmt"
	"slices"
	"time"
)

// Moment is how long a doubt may be and still be a process that had just died as we
// looked, and how far apart two sights of one number may be and still be one doubt.
const Moment = 300 * time.Millisecond

// doubtsMax is how many doubts a report names: somebody who comes and goes all night
// makes a hundred thousand.
const doubtsMax = 50

// doubt notes that a number was on a card at some time and nobody could tell whose
// it is. The same number a moment later is the same doubt, longer; after that it is
// another one, however often.
func (s *sight) doubt(from, at time.Time, k key, why string) *Doubt {
	k.start = 0
	if d := s.doubted[k]; d != nil && from.Sub(d.Until) <= Moment {
		d.Looks++
		if at.After(d.Until) {
			d.Until = at
		}
		if from.Before(d.At) {
			d.At = from
		}
		d.Lasting = d.Lasting || d.Until.Sub(d.At) >= Moment
		return d
	}
	if len(s.doubted) >= peopleMax {
		clear(s.doubted)
	}
	d := &Doubt{At: from, Until: at, Card: k.card, PID: max(0, k.pid), Looks: 1, Why: why, Lasting: at.Sub(from) >= Moment}
	s.doubted[k] = d
	s.report.Doubted++
	if len(s.doubts) < doubtsMax {
		s.doubts = append(s.doubts, d)
	}
	return d
}

// once counts somebody who was there in one look, and not in the next. Should he come
// again he is no news.
func (s *sight) once(k key, g Sighting) {
	if len(s.before) >= peopleMax {
		clear(s.before)
	}
	s.before[k] = g
	if s.named(k) || s.watching.Mine != nil && s.watching.Mine(k.pid) {
		return
	}
	s.doubt(g.First, g.Last, k, fmt.Sprintf("in one look, and not in the next: %s", g.Process))
}

// inARow is how many looks one after the other it takes where the driver or /proc may
// be half way between two states.
const inARow = 3

// stranger is a number that /proc has for another process than the driver's. Of one
// of ours that can be one that is about to end; where it stays the lists tell nothing.
func (s *sight) stranger(at time.Time, k key, p Process, g *glance) {
	n := s.last.odd[k] + 1
	g.odd[k] = n
	why := fmt.Sprintf("pid %d: %s", p.PID, p.Why)
	if s.ours(k) && n < inARow {
		return
	}
	if d := s.doubt(at, at, k, why); n >= inARow {
		d.stay()
	}
}

// stays is how long a process of ours that has died may be listed; then its number is
// somebody's whom we cannot see.
const stays = 5 * time.Second

// vanished counts a process that was there and is not in /proc. One that is known
// to be ours is no doubt, unless it stays: that is a number of another namespace.
func (s *sight) vanished(at time.Time, k key, p Process, g *glance) {
	first, listed := s.last.gone[k]
	if !listed {
		first = at
	}
	g.gone[k] = first
	switch {
	case at.Sub(first) > stays:
		s.doubt(at, at, k, fmt.Sprintf("pid %d is listed for more than %s, and is not in /proc", k.pid, stays)).stay()
	case s.ours(k) || s.named(k):
	default:
		s.doubt(at, at, k, fmt.Sprintf("pid %d%s was on it, and was gone before anybody could see whose it is", p.PID, with(p.Memory)))
	}
}

// ours says whether one that is gone was ours, by what was seen or by the caller.
func (s *sight) ours(k key) bool {
	k.start = 0
	return s.own[k] || s.watching.Mine != nil && s.watching.Mine(k.pid)
}

// named says whether that number is somebody's who was seen, or who was there before.
func (s *sight) named(k key) bool {
	for o := range s.seen {
		if o.card == k.card && o.pid == k.pid {
			return true
		}
	}
	return slices.ContainsFunc(s.watching.Before, func(p Process) bool { return p.PID == k.pid && (k.start == 0 || p.Start == k.start) })
}

// settle leaves those doubts out of which the caller knows by now that they were his.
func (s *sight) settle() {
	for _, d := range s.doubts {
		if !d.stays && d.PID > 0 && s.ours(key{d.Card, d.PID, 0}) {
			s.report.Doubted--
			continue
		}
		s.report.Doubts = append(s.report.Doubts, *d)
	}
}

// pending says whether another look would tell more: somebody was there in the last
// one who may be gone in the next, and more than a moment of that is not forgiven.
func (s *sight) pending() bool {
	if len(s.last.suspects) > 0 || s.halfSeen() {
		return true
	}
	for _, n := range s.unknown {
		if n.looks > 0 && n.looks < 2*inARow {
			return true
		}
	}
	for _, d := range s.doubted {
		if !d.Lasting && !d.Until.Before(s.last.at) {
			return true
		}
	}
	return false
}
