package trace

// A stage is counted in parts, as only at its end it is known how many of its first steps
// are to be set apart: the first step, the others of those that may be, and the rest.
const (
	firstPart = iota
	earlyPart
	restPart
	parts
)

// few is how many steps a stage may have of which only the first one is set apart; of
// more it is the first early ones.
const few, early = 10, 5

// partOf is the part of a step, the first one being 0.
func partOf(step, warm int) int {
	switch {
	case warm != 0 && step < warm:
		return firstPart
	case warm != 0 || step >= early:
		return restPart
	case step == 0:
		return firstPart
	}
	return earlyPart
}

// setApart says which part is the first that is warm, and how many steps are not. Where
// all would be set apart, none is.
func setApart(steps, warm int) (part, apart int) {
	switch {
	case warm < 0 || steps == 1 || steps <= warm:
		return firstPart, 0
	case warm > 0:
		return restPart, warm
	case steps <= few:
		return earlyPart, 1
	}
	return restPart, early
}

// part is what some steps of a stage come to.
type part struct {
	counts [quantities]tally
	took   tally
	gap    times
	inCall times
	calls  map[uint32]*Calls
	tape   []Launched
	taped  *step // the one that is on tape
	cut    bool
	timing
}

// call notes one.
func (p *part) call(e *Event) {
	if p.calls == nil {
		p.calls = map[uint32]*Calls{}
	}
	c := p.calls[e.Name]
	if c == nil {
		c = &Calls{Kind: e.Kind}
		p.calls[e.Name] = c
	}
	c.N++
	c.Took += e.Took
	c.Longest = max(c.Longest, e.Took)
	if (e.Kind == Copy || e.Kind == Set || e.Kind == Alloc || e.Kind == Release) && e.Flags&Unsized == 0 {
		c.Bytes += int64(e.Value)
	}
}

func (p *part) fold(s *step) {
	for q := range p.counts {
		p.counts[q].add(s.counts[q])
	}
	p.took.add(int64(s.took))
}

// merge takes in a later one. The tape stays the first that there is.
func (p *part) merge(o *part) {
	for q := range p.counts {
		p.counts[q].merge(&o.counts[q])
	}
	p.took.merge(&o.took)
	p.gap.merge(o.gap)
	p.inCall.merge(o.inCall)
	p.timing.merge(&o.timing)
	for id, c := range o.calls {
		if p.calls == nil {
			p.calls = map[uint32]*Calls{}
		}
		if p.calls[id] == nil {
			p.calls[id] = &Calls{}
		}
		p.calls[id].plus(c)
	}
	if p.taped == nil {
		p.tape, p.taped, p.cut = o.tape, o.taped, o.cut
	}
}
