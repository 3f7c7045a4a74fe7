package device

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// uses takes in the driver's samples of who used a card: they also have who came
// and went between two looks.
func (s *sight) uses(l Look) {
	for _, c := range l.Raw.Cards {
		if c.MIG {
			continue // of which there are none
		}
		seen, _ := l.Find(c.UUID)
		known, newest := max(s.newest[c.UUID], s.report.Began.Add(period).UnixMicro()), int64(0)
		for _, u := range c.Samples {
			newest = max(newest, u.At)
			if u.At > known && u.SM.Or(0)+u.Mem.Or(0) > 0 && !seen.lists(u.PID) {
				s.use(l.At, c.UUID, u)
			}
		}
		s.newest[c.UUID] = max(known, newest)
	}
	if len(s.newest) > 0 {
		s.since = max(s.since, slices.Min(slices.Collect(maps.Values(s.newest))))
	}
}

// lists says whether a process is in the lists of this look.
func (c Seen) lists(pid int) bool {
	is := func(p Process) bool { return p.PID == pid }
	return slices.ContainsFunc(c.Own, is) || slices.ContainsFunc(c.Foreign, is)
}

// use counts somebody who used the card and is not listed now. Whom we saw while
// he was there is no news, on a card that is ours.
func (s *sight) use(now time.Time, card string, u RawUse) {
	k, at := key{card, u.PID, 0}, time.UnixMicro(u.At)
	switch ours := s.ours(k); {
	case !slices.Contains(s.watching.Cards, card):
		if ours && s.away[k] == nil && !s.wasAway(k) {
			s.away[k] = &Sighting{Process: Process{PID: u.PID, UID: -1, Why: "by the driver's samples of who used it"}, Card: card, First: at, Last: at, Looks: 1}
		}
	case ours:
		s.of(card).summary.OwnLooks++
		t := s.traces[card]
		t.at = now
		s.traces[card] = t
	case !s.named(k):
		s.doubt(at, at, k, fmt.Sprintf("pid %d used it, by the driver's samples, and is not listed", u.PID))
	}
}

// wasAway says whether one of ours was seen on another card while he lived.
func (s *sight) wasAway(k key) bool {
	for o := range s.away {
		if o.card == k.card && o.pid == k.pid {
			return true
		}
	}
	return false
}

// elsewhere names those of ours that are on a card that is not; one that is listed
// there and has ended is one of ours by the caller's word.
func (s *sight) elsewhere(at time.Time, c Seen) {
	for _, p := range slices.Concat(c.Own, c.Foreign) {
		k := key{c.UUID, p.PID, p.Start}
		if !p.Valid && (p.Why != whyGone || !s.ours(k) || s.wasAway(k)) || p.Valid && !slices.ContainsFunc(c.Own, func(o Process) bool { return o.PID == p.PID }) {
			continue
		}
		if s.away[k] == nil {
			s.away[k] = &Sighting{Process: p, Card: c.UUID, First: at}
		}
		s.away[k].again(at, p)
	}
}

// memory keeps the peaks.
func (s *sight) memory(c Seen) {
	n := s.of(c.UUID)
	n.summary.Card = c.Card
	if c.Free.Known && c.Free.Value < n.summary.LeastFree.Or(c.Free.Value+1) {
		n.summary.LeastFree = c.Free
	}
	n.summary.PeakUsed = most(n.summary.PeakUsed, c.Used)
	var own Reading
	for _, p := range c.Own {
		own = Told(own.Value + p.Memory.Or(0))
	}
	n.summary.PeakOwn = most(n.summary.PeakOwn, own)
}

func most(a, b Reading) Reading {
	if b.Known && b.Value > a.Or(-1) {
		return b
	}
	return a
}

func (s *sight) of(uuid string) *numbers {
	if s.numbers[uuid] == nil {
		s.numbers[uuid] = &numbers{}
	}
	return s.numbers[uuid]
}

// sample takes in what a card did.
func (s *sight) sample(c Seen) {
	n := s.of(c.UUID)
	for _, x := range []struct {
		into *[]float64
		r    Reading
	}{
		{&n.util, c.Sample.Util}, {&n.sm, c.Sample.SM}, {&n.mem, c.Sample.Mem},
		{&n.temperature, c.Sample.Temperature}, {&n.power, c.Sample.Power},
	} {
		if x.r.Known {
			*x.into = append(*x.into, float64(x.r.Value))
		}
	}
	n.summary.SMMax = most(n.summary.SMMax, c.Sample.SMMax)
	for _, w := range c.Sample.Throttle {
		if !slices.Contains(n.summary.Throttle, w) {
			n.summary.Throttle = append(n.summary.Throttle, w)
		}
	}
}

// end makes the report whole.
func (s *sight) end(now time.Time) {
	s.gap(now)
	r := &s.report
	r.Ended = now
	for k, g := range s.last.suspects {
		s.once(k, g)
	}
	s.flickers()
	s.settle()
	for k := range s.seen {
		if s.watching.Mine != nil && s.watching.Mine(k.pid) {
			delete(s.seen, k) // a child of which the caller learnt late
		}
	}
	r.Foreign, r.Elsewhere = inOrder(s.seen), inOrder(s.away)
	for _, uuid := range s.watching.Cards {
		n := s.of(uuid)
		n.summary.Card.UUID = uuid
		n.summary.Util, n.summary.SM, n.summary.Mem = summarize(n.util), summarize(n.sm), summarize(n.mem)
		n.summary.Temperature, n.summary.Power = summarize(n.temperature), summarize(n.power)
		r.Cards = append(r.Cards, n.summary)
	}
}

func inOrder(of map[key]*Sighting) (list []Sighting) {
	for _, g := range of {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Sighting) int {
		if c := a.First.Compare(b.First); c != 0 {
			return c
		}
		return strings.Compare(fmt.Sprint(a.Card, a.PID), fmt.Sprint(b.Card, b.PID))
	})
	return list
}
