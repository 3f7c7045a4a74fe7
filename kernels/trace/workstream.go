package trace

import (
	"cmp"
	"math"
	"slices"
)

// workStream gives all work of a file in an order. It is a merge of runs: one is read when
// its first could be next.
type workStream struct {
	file  *workFile
	ties  bool       // in the order of ties
	left  []*workRun // to be read, in the order of their first
	first Work       // what none of these comes before
	open  []*openRun // a heap
	spare [][]Work
	raw   []byte
	err   error
}

// openRun is a run that has been read.
type openRun struct {
	ready []Work // what is left of it
	held  []Work // the room for it
}

// byTie is the order of the calls that asked, and byStart that in which it began.
func (w *workFile) byTie() *workStream {
	return w.stream(true, func(a, b *workRun) int { return cmp.Compare(a.tie, b.tie) })
}

func (w *workFile) byStart() *workStream {
	return w.stream(false, func(a, b *workRun) int { return cmp.Compare(a.start, b.start) })
}

func (w *workFile) stream(ties bool, order func(a, b *workRun) int) *workStream {
	s := &workStream{file: w, ties: ties, raw: make([]byte, runSize*workSize)}
	for i := range w.runs {
		s.left = append(s.left, &w.runs[i])
	}
	slices.SortStableFunc(s.left, order)
	s.settle()
	return s
}

// settle finds out what is first of what is left.
func (s *workStream) settle() {
	switch {
	case len(s.left) == 0:
	case s.ties:
		s.first = Work{Tie: s.left[0].tie, Start: math.MinInt64}
	default:
		s.first = Work{Start: s.file.clock.host(s.left[0].start)}
	}
}

func compareTies(a, b Work) int {
	return cmp.Or(cmp.Compare(a.Tie, b.Tie), cmp.Compare(a.Start, b.Start))
}
func compareStarts(a, b Work) int { return cmp.Compare(a.Start, b.Start) }

// comes says whether one comes before another.
func (s *workStream) comes(a, b *Work) bool {
	if s.ties && a.Tie != b.Tie {
		return a.Tie < b.Tie
	}
	return a.Start < b.Start
}

// next is what comes next, which the next drop takes away; nil at the end.
func (s *workStream) next() *Work {
	for len(s.left) > 0 && s.err == nil && (len(s.open) == 0 || !s.comes(&s.open[0].ready[0], &s.first)) {
		s.load()
	}
	if len(s.open) == 0 || s.err != nil {
		return nil
	}
	return &s.open[0].ready[0]
}

func (s *workStream) load() {
	var room []Work
	if n := len(s.spare); n > 0 {
		room, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	list, err := s.file.read(s.left[0], s.raw, slices.Grow(room[:0], s.left[0].size/workSize))
	s.left = s.left[1:]
	s.settle()
	if err != nil || len(list) == 0 {
		s.err = err
		return
	}
	s.sort(list)
	s.open = append(s.open, &openRun{list, list})
	for at := len(s.open) - 1; at > 0 && s.before(at, (at-1)/2); at = (at - 1) / 2 {
		s.open[at], s.open[(at-1)/2] = s.open[(at-1)/2], s.open[at]
	}
}

// sort moves each to its place, which is near in a file as programs leave it, and takes the
// long way where it is not.
func (s *workStream) sort(list []Work) {
	moves := 16 * len(list)
	for i := 1; i < len(list); i++ {
		one, at := list[i], i
		for ; at > 0 && s.comes(&one, &list[at-1]); at-- {
			list[at] = list[at-1]
		}
		list[at] = one
		if moves -= i - at; moves < 0 {
			slices.SortFunc(list, map[bool]func(a, b Work) int{true: compareTies, false: compareStarts}[s.ties])
			return
		}
	}
}

// drop takes the next one away.
func (s *workStream) drop() {
	run := s.open[0]
	if run.ready = run.ready[1:]; len(run.ready) == 0 {
		last := len(s.open) - 1
		s.open[0], s.open = s.open[last], s.open[:last]
		s.spare = append(s.spare, run.held)
	}
	for at := 0; ; {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(s.open); child++ {
			if s.before(child, least) {
				least = child
			}
		}
		if least == at {
			return
		}
		s.open[at], s.open[least] = s.open[least], s.open[at]
		at = least
	}
}

func (s *workStream) before(i, j int) bool {
	return s.comes(&s.open[i].ready[0], &s.open[j].ready[0])
}
