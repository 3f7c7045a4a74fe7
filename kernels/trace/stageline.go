package trace

import "time"

// byLine goes by the program's output: what came behind a line, up to the next one, is
// the next one's step. What the program has written and not yet flushed smears this, and
// so does what it asks for while it writes. A line of which it is not known when it was
// written leaves open whose the calls are that came meanwhile: the steps on both sides of
// it are blurred where there are any.
type byLine struct {
	to    spans
	p     *Process
	lines []Line // that have not passed
	now   *span
	from  []time.Duration // when each of lines may have been written at the earliest
	blur  int             // how many of lines are blurred, from the first one on
}

func newByLine(to spans, p *Process, lines []Line) *byLine {
	for len(lines) > 0 && lines[0].since(p) < 0 {
		lines = lines[1:] // steps in which the process was not there, or not on the card
	}
	s := &byLine{to: to, p: p, lines: lines}
	s.from = make([]time.Duration, len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		s.from[i] = lines[i].earliest(p)
		if i+1 < len(lines) {
			s.from[i] = min(s.from[i], s.from[i+1])
		}
	}
	s.next(0)
	return s
}

func (s *byLine) next(at time.Duration) {
	if s.now != nil {
		s.to.end(s.now, at)
		s.lines, s.from = s.lines[1:], s.from[1:]
	}
	p := place{AfterLast, -1}
	if len(s.lines) > 0 {
		p = place{LineStep, s.lines[0].Step}
	}
	s.now = s.to.begin(p, at)
	if s.blur > 0 {
		s.now.step.blurred = true
		s.blur--
	}
}

func (s *byLine) take(e *Event) {
	for len(s.lines) > 0 && s.lines[0].since(s.p) <= e.At {
		s.next(s.lines[0].since(s.p))
	}
	if e.Kind > Handle { // it is not counted
		return
	}
	for s.blur < len(s.from) && s.from[s.blur] <= e.At {
		s.now.step.blurred = true
		s.blur++
	}
}

func (s *byLine) of(*Event) *span { return s.now }

func (s *byLine) finish(at time.Duration) {
	if len(s.lines) > 0 {
		at = max(at, s.lines[0].since(s.p))
	}
	s.to.end(s.now, at)
}
