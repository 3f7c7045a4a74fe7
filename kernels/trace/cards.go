package trace

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// cards counts what the cards did, step by step. It is nil where no times were taken.
type cards struct {
	*worked
	busy    map[uint16]*busy // by card
	list    []uint16         // the cards, in the order of their numbers
	graphs  map[uint32]*tally
	open    int64         // work that had not ended
	early   time.Duration // the most that work began before its call
	untimed int64         // calls for which there is no work
}

// cardStep is a step of a cards' counting.
type cardStep struct {
	work    []int32 // that it asked for
	busy    []time.Duration
	window  time.Duration // all of its spans
	untimed int64
}

// newCards reads what the cards did; nil where no times were taken.
func newCards(p *Process) (*cards, error) {
	w, err := p.works()
	if w == nil || err != nil {
		return nil, err
	}
	c := &cards{worked: w, busy: map[uint16]*busy{}, graphs: map[uint32]*tally{}}
	periods := map[uint16][]period{}
	for i := range w.work {
		if one := &w.work[i]; one.Ended() {
			periods[one.Card] = append(periods[one.Card], period{one.Start, one.End})
		} else {
			c.open++
		}
	}
	for card, list := range periods {
		c.busy[card] = newBusy(list)
	}
	c.list = slices.Sorted(maps.Keys(c.busy))
	return c, nil
}

// of gives the work of a call, by its places in the list: that of the call's own kind where
// there is some, since calls within one of CUDA's runtime have one number. What was given
// once is not given again.
func (w *worked) of(e *Event) (from, to int) {
	from = w.find(e.Tie)
	for to = from; to < len(w.work) && w.work[to].Tie == e.Tie; to++ {
	}
	return from, to
}

// find is the first with a tie, or where it would be. Ties come nearly in their order: it
// looks near the last one first.
func (w *worked) find(tie uint32) int {
	low, high := 0, len(w.work)
	for step := 1; ; step *= 4 {
		if at := w.hint - step; at < low || w.work[at].Tie < tie {
			low = max(low, at)
			break
		}
	}
	for step := 1; ; step *= 4 {
		if at := w.hint + step; at >= high || w.work[at].Tie >= tie {
			high = min(high, at)
			break
		}
	}
	i, _ := slices.BinarySearchFunc(w.work[low:high], tie, func(one Work, tie uint32) int { return cmp.Compare(one.Tie, tie) })
	w.hint = low + i
	return w.hint
}

// asks takes in a call that cards work for.
func (c *cards) asks(s *step, e *Event) {
	if c == nil || e.Kind > Set || e.Flags&(Failed|Captured) != 0 {
		return
	}
	if s.cards == nil {
		s.cards = &cardStep{busy: make([]time.Duration, len(c.list))}
	}
	from, to := 0, 0
	if e.Tie != 0 {
		from, to = c.of(e)
	}
	took := c.takes(s, e, from, to, e.Kind)
	if took < 0 {
		took = c.takes(s, e, from, to, 0)
	}
	switch {
	case took < 0:
		c.untimed++
		s.cards.untimed++
	case e.Kind == Launch:
		s.part.onCard(e.Name, took)
	case e.Kind == GraphLaunch:
		if c.graphs[e.Name] == nil {
			c.graphs[e.Name] = &tally{}
		}
		c.graphs[e.Name].add(int64(took))
	}
}

// takes gives work of a kind, or of any, to a call, and says how long it was at it; below 0
// where there is none. What has not ended has no time.
func (c *cards) takes(s *step, e *Event, from, to int, kind Kind) time.Duration {
	took := time.Duration(-1)
	for i := from; i < to; i++ {
		w := &c.work[i]
		if w.tied || kind != 0 && kind != w.Kind {
			continue
		}
		w.tied = true
		c.early = max(c.early, e.At-w.Start)
		if w.Ended() {
			took = max(took, 0) + w.End - w.Start
			s.cards.work = append(s.cards.work, int32(i))
		}
	}
	return took
}

// window takes in a span of a step.
func (c *cards) window(s *step, w period) {
	if c == nil || w.to <= w.from {
		return
	}
	if s.cards == nil {
		s.cards = &cardStep{busy: make([]time.Duration, len(c.list))}
	}
	s.cards.window += w.to - w.from
	for i, card := range c.list {
		s.cards.busy[i] += c.busy[card].within(w)
	}
}

// fold adds a step to its part.
func (c *cards) fold(s *step) {
	if c == nil || s.cards == nil {
		return
	}
	s.part.untimed += s.cards.untimed
	by := map[uint16]*[2][]period{}
	for _, i := range s.cards.work {
		w := &c.work[i]
		if by[w.Card] == nil {
			by[w.Card] = &[2][]period{}
		}
		of := &by[w.Card][count(w.Kind == Copy || w.Kind == Set)]
		*of = append(*of, period{w.Start, w.End})
	}
	for i, card := range c.list {
		s.part.card(card).fold(s, by[card], s.cards.busy[i])
	}
	s.cards = nil
}
