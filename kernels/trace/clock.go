package trace

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"
)

// Clock says how the times of the card come to stand on the host's clock. CUPTI turns what
// the card's own counter says into times of the clock that our library gives it; where it
// takes none, its clock and ours are read together all along, and held against each other.
type Clock struct {
	Pairs int `json:"pairs"` // how often both were read, as far as it is held
	// Within is how far the two may be apart that were read together, and between: half of
	// the longest reading, and how far the readings stray from a straight line.
	Within time.Duration `json:"within-ns"`
	Drift  time.Duration `json:"drift-ns"` // from the first reading to the last, of CUPTI's clock against ours
	pairs  []clockPair
	next   int // of them, behind the last time that was asked for
}

// clockPair is CUPTI's clock between two times of ours, since the process began.
type clockPair struct {
	before, after, theirs int64
	offset                int64 // what to add to theirs
}

// pairsMost is how many are held, those of nine hours: of more each second one is let go.
const pairsMost = 1 << 16

func fewer(pairs []clockPair) []clockPair {
	if len(pairs) < pairsMost {
		return pairs
	}
	for i := range pairs[:len(pairs)/2] {
		pairs[i] = pairs[2*i]
	}
	return pairs[:len(pairs)/2]
}

func pairOf(b []byte) clockPair {
	le := binary.LittleEndian
	return clockPair{before: int64(le.Uint64(b)), after: int64(le.Uint64(b[8:])), theirs: int64(le.Uint64(b[16:]))}
}

func newClock(pairs []clockPair, began uint64) Clock {
	c := Clock{Pairs: len(pairs), pairs: pairs}
	slices.SortFunc(pairs, func(a, b clockPair) int { return cmp.Compare(a.theirs, b.theirs) })
	for i := range pairs {
		p := &pairs[i]
		p.before, p.after = p.before-int64(began), p.after-int64(began)
		p.offset = p.before + (p.after-p.before)/2 - p.theirs
		c.Within = max(c.Within, time.Duration(p.after-p.before+1)/2)
	}
	for i := 1; i+1 < len(pairs); i++ {
		stray := pairs[i].offset - offsetBetween(pairs[i-1], pairs[i+1], pairs[i].theirs)
		c.Within = max(c.Within, time.Duration(max(stray, -stray)))
	}
	if len(pairs) > 0 {
		c.Drift = time.Duration(pairs[len(pairs)-1].offset - pairs[0].offset)
	} else {
		c.pairs = []clockPair{{offset: -int64(began)}} // killed before the first: the clock is ours, or nobody's
	}
	return c
}

// offsetBetween is that of a time between two readings.
func offsetBetween(a, b clockPair, theirs int64) int64 {
	if b.theirs == a.theirs {
		return a.offset
	}
	return a.offset + int64(float64(b.offset-a.offset)*float64(theirs-a.theirs)/float64(b.theirs-a.theirs))
}

// host is a time of CUPTI's on our clock, since the process began.
func (c *Clock) host(theirs time.Duration) time.Duration {
	at, next := int64(theirs), c.next
	if next > 0 && c.pairs[next-1].theirs >= at || next < len(c.pairs) && c.pairs[next].theirs < at {
		next, _ = slices.BinarySearchFunc(c.pairs, at, func(p clockPair, at int64) int { return cmp.Compare(p.theirs, at) })
		c.next = next
	}
	switch {
	case next == 0:
		return time.Duration(at + c.pairs[0].offset)
	case next == len(c.pairs):
		return time.Duration(at + c.pairs[next-1].offset)
	}
	return time.Duration(at + offsetBetween(c.pairs[next-1], c.pairs[next], at))
}
