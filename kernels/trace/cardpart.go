package trace

import "time"

// cardPart is what one card did for some steps of a stage: a time of each step.
type cardPart struct {
	busy, kernels, copies, overlap, late, idle tally
	shares                                     tally // of the step that the card was idle, in 1/10000
}

// ofShare is a whole in `shares`.
const ofShare = 10_000

// fold takes a step in: its kernels and graphs, its copies and sets, and how long the card
// was at work for whomever while the step went on.
func (p *cardPart) fold(s *step, work *cardWork, busy time.Duration) {
	k, c, a := work.kernels.length(), work.copies.length(), work.all.length()
	p.kernels.add(int64(k))
	p.copies.add(int64(c))
	p.busy.add(int64(a))
	p.overlap.add(int64(k + c - a))
	p.late.add(int64(work.all.after(s.over)))
	if s.cards.window > 0 {
		idle := max(0, s.cards.window-busy)
		p.idle.add(int64(idle))
		p.shares.add(int64(float64(idle) / float64(s.cards.window) * ofShare)) // of ten days a product has no room
	}
}

func (p *cardPart) merge(o *cardPart) {
	for i, t := range o.tallies() {
		p.tallies()[i].merge(t)
	}
}

func (p *cardPart) tallies() []*tally {
	return []*tally{&p.busy, &p.kernels, &p.copies, &p.overlap, &p.late, &p.idle, &p.shares}
}

// timing is what cards did for some steps.
type timing struct {
	cards   map[uint16]*cardPart
	kernels map[uint32]*tally // by number: times of launches
	untimed int64             // calls for which there is no time
}

func (t *timing) card(n uint16) *cardPart {
	if t.cards == nil {
		t.cards = map[uint16]*cardPart{}
	}
	if t.cards[n] == nil {
		t.cards[n] = &cardPart{}
	}
	return t.cards[n]
}

func (t *timing) onCard(kernel uint32, took time.Duration) {
	t.kernel(kernel).add(rounded(int64(took)))
}

func (t *timing) kernel(n uint32) *tally {
	if t.kernels == nil {
		t.kernels = map[uint32]*tally{}
	}
	if t.kernels[n] == nil {
		t.kernels[n] = &tally{}
	}
	return t.kernels[n]
}

func (t *timing) merge(o *timing) {
	t.untimed += o.untimed
	for n, p := range o.cards {
		t.card(n).merge(p)
	}
	for n, k := range o.kernels {
		t.kernel(n).merge(k)
	}
}
