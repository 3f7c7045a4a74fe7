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
	from := earliest(p, lines)
	for len(lines) > 0 && lines[0].since(p) < 0 {
		lines, from = lines[1:], from[1:] // steps in which the process was not there, or not on the card
	}
	s := &byLine{to: to, p: p, lines: lines, from: from}
	s.next(0)
	return s
}

// earliest is when each line may have been written at the earliest. Of lines that were kept
// back that is when those before them were read.
func earliest(p *Process, lines []Line) []time.Duration {
	from := make([]time.Duration, len(lines))
	for first := 0; first < len(lines); {
		last, least := first, lines[first].earliest(p)
		for last+1 < len(lines) && lines[last+1].read(p) == lines[first].read(p) {
			last++
			least = min(least, lines[last].earliest(p))
		}
		since := time.Duration(0)
		if first > 0 {
			since = lines[first-1].read(p)
		}
		kept := lines[first].Step != lines[last].Step && keptBack(since, least, lines[last].read(p), last-first+1)
		for i := first; i <= last; i++ {
			if from[i] = lines[i].earliest(p); kept {
				from[i] = min(from[i], since)
			}
		}
		first = last + 1
	}
	for i := len(from) - 2; i >= 0; i-- {
		from[i] = min(from[i], from[i+1])
	}
	return from
}

// keptBack says whether so many lines that end different steps, and came at once, cannot have
// been written one by one: the time in which they may have been is less than half a step for
// each. The program, or what its output goes through, has kept them back.
func keptBack(before, from, read time.Duration, lines int) bool {
	return read-from < rough || 2*time.Duration(lines)*(read-from) < read-before
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
