package device

import (
	"fmt"
	"time"
)

// once counts somebody who was there in one look, and not in the next.
func (s *sight) once(k key, g Sighting) {
	if s.watching.Mine == nil || !s.watching.Mine(k.pid) {
		s.doubt(g.First, k, fmt.Sprintf("in one look, and not in the next: %s", g.Process))
	}
}

// stranger is a number that /proc has for another process than the driver's, which
// can be one that is about to end. Where it stays the lists tell nothing at all.
func (s *sight) stranger(at time.Time, k key, p Process, unknown map[key]int) {
	unknown[k] = s.odd[k] + 1
	why := fmt.Sprintf("pid %d: %s", p.PID, p.Why)
	if !s.ours(k) {
		s.doubt(at, k, why)
	}
	if unknown[k] >= inARow {
		s.lasting(at, k, why)
	}
}

// lasting makes more doubts than are forgiven of one that stays.
func (s *sight) lasting(at time.Time, k key, why string) {
	for i := range Forgiven + 1 {
		if id := (lasted{k.card, k.pid, i}); !s.lasted[id] {
			s.lasted[id] = true
			s.report.Doubts = append(s.report.Doubts, Doubt{At: at, Card: k.card, PID: max(0, k.pid), Why: why})
		}
	}
}

// stays is how long a process that has died may be listed; then its number is
// somebody's whom we cannot see.
const stays = 5 * time.Second

// vanished counts a process that was there and is not in /proc. One that is known
// to be ours is no doubt, unless it stays: that is a number of another namespace.
func (s *sight) vanished(at time.Time, k key, p Process) {
	first, listed := s.gone[k]
	if !listed {
		s.gone[k], first = at, at
	}
	if at.Sub(first) > stays {
		s.lasting(at, k, fmt.Sprintf("pid %d is listed for more than %s, and is not in /proc", k.pid, stays))
	}
	if s.ours(k) || s.named(k) {
		return
	}
	s.doubt(at, k, fmt.Sprintf("pid %d%s was on it, and was gone before anybody could see whose it is", p.PID, with(p.Memory)))
}

// ours says whether one that is gone was ours, by what was seen or by the caller.
func (s *sight) ours(k key) bool {
	for o := range s.own {
		if o.card == k.card && o.pid == k.pid {
			return true
		}
	}
	return s.watching.Mine != nil && s.watching.Mine(k.pid)
}

// named says whether that number is somebody's who was seen.
func (s *sight) named(k key) bool {
	for o := range s.seen {
		if o.card == k.card && o.pid == k.pid {
			return true
		}
	}
	return false
}

// inARow is how many looks one after the other a card has to be Unknown for what
// can be a matter of a moment: the driver tells lists and memory one after the other.
const inARow = 3

// dark counts a card that is Unknown for another reason than a process: memory
// without an owner, lists that are not told. Each time it begins anew counts.
func (s *sight) dark(at time.Time, c Seen) {
	if c.State != Unknown || len(c.Foreign) > 0 {
		s.unknown[c.UUID] = 0
		return
	}
	s.unknown[c.UUID]++
	if n := s.unknown[c.UUID]; n == inARow || n == 2*inARow {
		s.report.Doubts = append(s.report.Doubts, Doubt{At: at, Card: c.UUID, Why: c.Why})
	}
}

// doubt counts one for each number on a card, however it was noticed.
func (s *sight) doubt(at time.Time, k key, why string) {
	k.start = 0
	if !s.doubted[k] {
		s.doubted[k] = true
		s.report.Doubts = append(s.report.Doubts, Doubt{At: at, Card: k.card, PID: max(0, k.pid), Why: why})
	}
}

func (s *sight) elsewhere(at time.Time, c Seen) {
	for _, p := range c.Own {
		k := key{c.UUID, p.PID, p.Start}
		if s.away[k] == nil {
			s.away[k] = &Sighting{Process: p, Card: c.UUID, First: at}
		}
		s.away[k].again(at, p)
	}
}
