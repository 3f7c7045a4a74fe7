package trace

import "time"

// byLine goes by the program's output: what came behind a line, up to the next one, is
// the next one's step. What the program has written and not yet flushed smears this, and
// so does what it asks for while it writes.
type byLine struct {
	to    spans
	p     *Process
	lines []Line // that have not passed
	now   *span
}

func newByLine(to spans, p *Process, lines []Line) *byLine {
	for len(lines) > 0 && lines[0].since(p) < 0 {
		lines = lines[1:] // steps in which the process was not there, or not on the card
	}
	s := &byLine{to: to, p: p, lines: lines}
	s.next(0)
	return s
}

func (s *byLine) next(at time.Duration) {
	if s.now != nil {
		s.to.end(s.now, at)
		s.lines = s.lines[1:]
	}
	p := place{AfterLast, -1}
	if len(s.lines) > 0 {
		p = place{LineStep, s.lines[0].Step}
	}
	s.now = s.to.begin(p, at)
}

func (s *byLine) take(e *Event) {
	for len(s.lines) > 0 && s.lines[0].since(s.p) <= e.At {
		s.next(s.lines[0].since(s.p))
	}
}

func (s *byLine) of(*Event) *span { return s.now }

func (s *byLine) finish(at time.Duration) {
	if len(s.lines) > 0 {
		at = max(at, s.lines[0].since(s.p))
	}
	s.to.end(s.now, at)
}
