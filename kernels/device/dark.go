package device

import (
	"fmt"
	"slices"
	"time"
)

// darkness counts the looks in which a card is Unknown, and why.
type darkness struct {
	looks int       // in a row
	since time.Time // of the first of these
	first time.Time // of all
	last  time.Time
	alone int // in all, while nothing of ours was near
	among int // in all, while something was: lists and memory of one that begins or ends do not fit
	why   string
}

// cause is what makes a card Unknown.
type cause uint8

const (
	causeOther  cause = iota
	causeMemory       // it has memory in use without an owner
	causeHidden       // it computes, and only its device file tells who may
	causeGone         // it lists processes that /proc has no more, and no others
)

// traces are what our own processes left on a card: the driver takes a large context
// down seconds after its process, and tells of the last second what a card did.
type traces struct {
	at  time.Time // when one was seen there last
	had []amount  // bytes that they had in the last takedown, falling: the most, to what they have
}

// amount is how many bytes ours had, and when they had that many last.
type amount struct {
	at    time.Time
	bytes int64
}

// gone is how many bytes fewer they have than they had. What is theirs now explains
// nothing: it has an owner.
func (t traces) gone() int64 {
	if len(t.had) == 0 {
		return 0
	}
	return t.had[0].bytes - t.had[len(t.had)-1].bytes
}

const (
	// takedown is for how long memory of ours may outlive its process.
	takedown = 5 * time.Second
	// utilLag is for how long a card's utilization may be that of a process of ours
	// that has ended: two of the driver's longest periods.
	utilLag = 2 * time.Second
)

// left takes in what of ours is on a card.
func (s *sight) left(at time.Time, c Seen) {
	t := s.traces[c.UUID]
	bytes, here := int64(0), len(c.Own) > 0
	for _, p := range c.Own {
		bytes += p.Memory.Or(0)
	}
	for _, p := range c.Foreign {
		if p.Why == whyGone && s.ours(key{c.UUID, p.PID, 0}) {
			bytes += p.Memory.Or(0)
			here = true
		}
	}
	if here {
		t.at = at
		s.of(c.UUID).summary.OwnLooks++
	}
	past := func(a amount) bool { return a.bytes <= bytes || at.Sub(a.at) > takedown }
	t.had = append(slices.DeleteFunc(t.had, past), amount{at, bytes})
	s.traces[c.UUID] = t
}

// explained says whether what is dark is what our own processes left.
func (s *sight) explained(at time.Time, c Seen) bool {
	t := s.traces[c.UUID]
	switch c.cause {
	case causeMemory:
		return c.Unowned.Or(0) <= t.gone()+Allowance
	case causeHidden:
		return at.Sub(t.at) <= utilLag
	}
	return false
}

// oursAlone says whether a card is Unknown for nothing but what our own processes left:
// also one that is listed still, which has its memory in use for as long.
func (s *sight) oursAlone(at time.Time, c Seen) bool {
	if c.State != Unknown {
		return false
	}
	if c.cause != causeGone {
		return s.explained(at, c)
	}
	for _, p := range c.Foreign {
		k := key{c.UUID, p.PID, p.Start}
		if first, listed := s.last.gone[k]; !s.ours(k) || listed && at.Sub(first) > stays {
			return false
		}
	}
	return c.Unowned.Or(0) <= s.traces[c.UUID].gone()+Allowance
}

// dark counts a card that is Unknown for another reason than a process: memory
// without an owner, lists that are not told. A quick look does not see who has the
// device file open: what two full looks in a row found of that stands until the next
// one. A single one may have met a stray number of the last second.
func (s *sight) dark(l Look, c Seen) {
	at := l.At
	s.left(at, c)
	if !l.quick {
		s.hides(c.UUID, c.Why, c.State == Unknown && c.cause == causeHidden && !s.explained(at, c))
	}
	n := s.unknown[c.UUID]
	if n == nil {
		n = &darkness{}
		s.unknown[c.UUID] = n
	}
	why, is := c.Why, c.State == Unknown && len(c.Foreign) == 0 && !s.explained(at, c)
	if hidden := s.hidden[c.UUID]; hidden != "" && c.State == Quiet && len(c.Own) == 0 {
		why, is = hidden, true
	}
	if !is {
		n.looks = 0
		return
	}
	if n.looks == 0 {
		n.since = at
	}
	if n.first.IsZero() {
		n.first = at
	}
	n.last = at
	n.looks++
	n.why = why
	if s.near(at, c.UUID) {
		n.among++
	} else {
		n.alone++
	}
	if n.looks >= inARow {
		s.doubt(n.since, at, key{card: c.UUID}, why)
	}
}

// hides takes in what a full look found of somebody who hides.
func (s *sight) hides(uuid, why string, is bool) {
	again := s.glimpsed[uuid]
	delete(s.hidden, uuid)
	delete(s.glimpsed, uuid)
	if is && again {
		s.hidden[uuid] = why
	}
	if is {
		s.glimpsed[uuid] = true
	}
}

// halfSeen says whether a full look found somebody who hides, and the one before did not.
func (s *sight) halfSeen() bool { return len(s.glimpsed) > len(s.hidden) }

// near says whether something of ours was on a card just now.
func (s *sight) near(at time.Time, uuid string) bool {
	t := s.traces[uuid]
	return !t.at.IsZero() && at.Sub(t.at) <= takedown
}

// amongShare is of how many looks one may be dark while something of ours is on the
// card: memory is told a tenth of a millisecond after the lists, so that one that takes
// and gives back without end is between the two in a few of a hundred.
const amongShare = 20

// flickers makes a doubt of what was dark too often, though never for long.
func (s *sight) flickers() {
	for uuid, n := range s.unknown {
		if n.alone >= inARow || n.among > max(inARow, s.report.Looks/amongShare) {
			s.doubt(n.first, n.last, key{card: uuid}, fmt.Sprintf("in %d of %d looks: %s", n.alone+n.among, s.report.Looks, n.why)).stay()
		}
	}
}
