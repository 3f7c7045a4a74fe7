package trace

import (
	"cmp"
	"slices"
	"time"
)

// cards counts what the cards did, step by step. It is nil where no times were taken.
type cards struct {
	file    *workFile
	ties    ties
	busy    *busyUntil
	list    []uint16 // the cards, in the order of their numbers
	graphs  map[uint32]*tally
	early   time.Duration // the most that work began before its call
	untimed int64         // calls for which there is no work
	twice   time.Duration // what may have been counted twice, as its work came far out of order
}

// cardStep is a step of a cards' counting.
type cardStep struct {
	work    []cardWork // by card, as cards.list has them
	busy    []time.Duration
	window  time.Duration // all of its spans
	untimed int64
}

// cardWork is what a step has asked a card for.
type cardWork struct{ kernels, copies, all union }

// newCards opens what the cards did; nil where no times were taken.
func newCards(p *Process) (*cards, error) {
	w, err := p.works()
	if w == nil || err != nil {
		return nil, err
	}
	return &cards{file: w, ties: ties{from: w.byTie()}, busy: newBusyUntil(w), list: w.cards, graphs: map[uint32]*tally{}}, nil
}

func (c *cards) close() {
	if c != nil {
		c.file.close()
	}
}

// err is why not all of the file could be read.
func (c *cards) err() error {
	if c == nil {
		return nil
	}
	return cmp.Or(c.ties.from.err, c.busy.from.err)
}

func (c *cards) step(s *step) *cardStep {
	if s.cards == nil {
		s.cards = &cardStep{work: make([]cardWork, len(c.list)), busy: make([]time.Duration, len(c.list))}
	}
	return s.cards
}

// asks takes in a call that cards work for.
func (c *cards) asks(s *step, e *Event) {
	if c == nil || e.Kind > Set || e.Flags&(Failed|Captured) != 0 {
		return
	}
	now, work := c.step(s), []Work(nil)
	if e.Tie != 0 {
		work = c.ties.of(e.Tie)
	}
	took := c.takes(now, e, work, e.Kind)
	if took < 0 {
		took = c.takes(now, e, work, 0)
	}
	switch {
	case took < 0:
		c.untimed++
		now.untimed++
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
func (c *cards) takes(s *cardStep, e *Event, work []Work, kind Kind) time.Duration {
	took := time.Duration(-1)
	for i := range work {
		w := &work[i]
		if w.tied || kind != 0 && kind != w.Kind {
			continue
		}
		c.ties.take(w)
		c.early = max(c.early, e.At-w.Start)
		if w.Ended() {
			took = max(took, 0) + w.End - w.Start
			c.works(s, w, e.At)
		}
	}
	return took
}

// works takes in what a card did for a step.
func (c *cards) works(s *cardStep, w *Work, now time.Duration) {
	i, _ := slices.BinarySearch(c.list, w.Card)
	of, p := &s.work[i], period{w.Start, w.End}
	c.twice += of.all.add(p, now)
	if w.Kind == Copy || w.Kind == Set {
		of.copies.add(p, now)
	} else {
		of.kernels.add(p, now)
	}
}

// until is how long each card was at work up to now.
func (c *cards) until(now time.Duration) []time.Duration {
	if c == nil {
		return nil
	}
	return c.busy.until(now)
}

// window takes in a span of a step, which has just ended.
func (c *cards) window(s *step, w period, before []time.Duration) {
	if c == nil || w.to <= w.from {
		return
	}
	now := c.step(s)
	now.window += w.to - w.from
	for i, until := range c.busy.until(w.to) {
		now.busy[i] += max(0, until-before[i])
	}
}

// fold adds a step to its part.
func (c *cards) fold(s *step) {
	if c == nil || s.cards == nil {
		return
	}
	s.part.untimed += s.cards.untimed
	for i, card := range c.list {
		s.part.card(card).fold(s, &s.cards.work[i], s.cards.busy[i])
	}
	s.cards = nil
}
