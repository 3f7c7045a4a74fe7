package trace

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// numbered is a range's text with a number at its end, and separators are what may stand
// before that.
var numbered = regexp.MustCompile(`^(.*?)[\s:#=_/-]*(\d+)$`)

const separators = " \t:#=_/-"

// place is a stage by name, and the number of a step of it; -1: it has none.
type place struct {
	stage string
	step  int
}

func placeOf(text string) place {
	if m := numbered.FindStringSubmatch(text); m != nil && m[1] != "" {
		if n, err := strconv.Atoi(m[2]); err == nil {
			return place{m[1], n}
		}
	}
	return place{text, -1}
}

// Names of stages that no program gave.
const (
	Outside   = ""                        // of all ranges: the whole process where there are none
	AfterLast = "after the last step"     // of the lines
	LineStep  = "step"                    // of the lines
	Further   = "(further ranges)"        // that were too many to hold one by one
	Unnamed   = "(ranges without a name)" // the program gave none, or there were too many to note
)

// span is one range from its beginning to its end. Those of a stage that bear the same
// number, one after the other, are one step.
type span struct {
	place
	began time.Duration
	step  *step
	// before is how long each card was at work when it began; nil where that is not counted.
	before []time.Duration
}

// stages says in which span each event is, as they come.
type stages interface {
	// take takes an event in, before it is counted.
	take(e *Event)
	// of is the span of an event; nil is outside of all.
	of(e *Event) *span
	// finish ends what is open: the last call was over then.
	finish(at time.Duration)
}

// spans is what begins and ends them.
type spans interface {
	begin(p place, at time.Duration) *span
	end(s *span, at time.Duration)
}

// byRange goes by NVTX. A range is of the thread that pushed it, or of the process where it
// was opened; a thread that has none of its own, as PyTorch's for the backward pass, is in
// the one of the thread that pushed first. The outermost range is the step, or the one
// that was asked for by name.
type byRange struct {
	to     spans
	want   string
	names  *Names
	places map[uint32]place
	stacks []stack // by thread
	open   map[uint64]*span
	last   *span // opened
	first  int   // thread that pushed first
	inner  map[uint32]inner
}

// inner are nested ranges of one name.
type inner struct {
	n     int
	place place // of the last one
}

// stack are the ranges of a thread.
type stack struct {
	depth int
	span  *span // of the one at depth `at`
	at    int
}

func newByRange(to spans, names *Names, want string) *byRange {
	return &byRange{to: to, want: want, names: names, places: map[uint32]place{}, open: map[uint64]*span{}, inner: map[uint32]inner{}}
}

// place is where a range is. The number at a text's end is noted apart from it.
func (s *byRange) place(e *Event) place {
	p, ok := s.places[e.Name]
	if !ok {
		text := cmp.Or(s.names.Texts[e.Name], Unnamed)
		p = placeOf(text)
		if e.Other > 0 {
			p = place{strings.TrimRight(text, separators), -1}
		}
		s.places[e.Name] = p
	}
	switch {
	case e.Other > 0 && p.stage != "":
		p.step = int(e.Other - 1)
	case e.Other > 0:
		p = place{s.names.Text(e), -1}
	}
	return p
}

func (s *byRange) wanted(p place) bool { return s.want == "" || p.stage == s.want }

func (s *byRange) take(e *Event) {
	switch e.Kind {
	case Push:
		s.push(e)
	case Pop:
		if e.Thread < len(s.stacks) {
			s.pop(&s.stacks[e.Thread], e)
		}
	case Open:
		if p := s.place(e); s.wanted(p) {
			s.last = s.to.begin(p, e.At)
			s.open[e.Value] = s.last
		} else {
			s.inner[e.Name] = inner{s.inner[e.Name].n + 1, p}
		}
	case Close:
		s.close(e)
	}
}

func (s *byRange) push(e *Event) {
	for len(s.stacks) <= e.Thread {
		s.stacks = append(s.stacks, stack{})
	}
	t := &s.stacks[e.Thread]
	t.depth++
	if t.span == nil && s.wanted(s.place(e)) {
		if s.first == 0 {
			s.first = e.Thread
		}
		t.span, t.at = s.to.begin(s.place(e), e.At), t.depth
	} else if t.span == nil || t.depth == t.at+1 {
		s.inner[e.Name] = inner{s.inner[e.Name].n + 1, s.place(e)}
	}
}

func (s *byRange) pop(t *stack, e *Event) {
	if t.span != nil && t.depth == t.at {
		s.to.end(t.span, e.At)
		t.span = nil
	}
	t.depth = max(0, t.depth-1)
}

// close ends a range of the process. Of those that stay open any may be the innermost.
func (s *byRange) close(e *Event) {
	it := s.open[e.Value]
	if it == nil {
		return
	}
	s.to.end(it, e.At)
	delete(s.open, e.Value)
	if s.last != it {
		return
	}
	s.last = nil
	for _, other := range s.open {
		if s.last == nil || other.began > s.last.began {
			s.last = other
		}
	}
}

func (s *byRange) of(e *Event) *span {
	for _, thread := range [2]int{e.Thread, s.first} {
		if thread < len(s.stacks) && s.stacks[thread].span != nil {
			return s.stacks[thread].span
		}
	}
	return s.last
}

func (s *byRange) finish(at time.Duration) {
	for i := range s.stacks {
		if s.stacks[i].span != nil {
			s.to.end(s.stacks[i].span, at)
		}
	}
	for _, open := range s.open {
		s.to.end(open, at)
	}
}
