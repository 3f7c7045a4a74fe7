package plot

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gpuci/gates/ab/judge"
)

// Chart is what is drawn: a session, and what it said of one metric.
type Chart struct {
	Title   string // empty: the arms and the verdict
	Session judge.Session
	Answer  judge.Answer
}

// side is one of the arms.
type side struct {
	name   string
	arm    bool // and not the control
	points []point
	sorted []float64
}

// point is a run: when it began, from the session's start, and its value.
type point struct{ at, value float64 }

// scene is a chart made ready to be drawn.
type scene struct {
	Chart
	sides   [2]side
	thrown  []float64 // when
	begin   time.Time // zero: the runs have no times, and are drawn by their number
	length  float64   // of the session, in seconds or runs
	low     float64   // of the values that the picture shows
	high    float64
	outside int // values above it or below
}

func newScene(c Chart) scene {
	s := scene{Chart: c, sides: [2]side{{name: c.Session.Plan.Control}, {name: c.Session.Plan.Arm, arm: true}}}
	samples := slices.DeleteFunc(slices.Clone(c.Session.Samples), func(one judge.Sample) bool {
		v, ok := one.Values[c.Answer.Metric.Name]
		return !ok || math.IsNaN(v) || math.IsInf(v, 0)
	})
	slices.SortStableFunc(samples, func(a, b judge.Sample) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Slot, b.Slot))
	})
	if len(samples) > 0 && !samples[0].At.IsZero() {
		s.begin = samples[0].At
	}
	for i, one := range samples {
		which := 0
		if one.Arm == s.sides[1].name {
			which = 1
		}
		v := one.Values[c.Answer.Metric.Name]
		s.sides[which].points = append(s.sides[which].points, point{s.since(one.At, i), v})
		s.sides[which].sorted = append(s.sides[which].sorted, v)
		s.length = max(s.length, s.since(one.At, i))
	}
	for i := range s.sides {
		slices.Sort(s.sides[i].sorted)
	}
	if !s.begin.IsZero() {
		for _, t := range c.Session.Thrown {
			if at := s.since(t.At, 0); at >= 0 && at <= s.length {
				s.thrown = append(s.thrown, at)
			}
		}
	}
	s.choose()
	return s
}

// since is when a run was, in seconds, or its number where there are no times.
func (s scene) since(at time.Time, number int) float64 {
	if s.begin.IsZero() {
		return float64(number)
	}
	return at.Sub(s.begin).Seconds()
}

// choose picks the values that the picture shows: all, or all but a tenth at most
// that are so far above the others that they would press them into a line.
func (s *scene) choose() {
	all := slices.Sorted(slices.Values(slices.Concat(s.sides[0].sorted, s.sides[1].sorted)))
	if len(all) == 0 {
		s.high = 1
		return
	}
	s.low, s.high = all[0], all[len(all)-1]
	cut := all[9*(len(all)-1)/10]
	for _, side := range s.sides {
		if n := len(side.sorted); n > 0 {
			low, high := side.sorted[n/4], side.sorted[n-1-n/4]
			cut = max(cut, high+3*(high-low))
		}
	}
	if cut > s.low {
		s.high = min(s.high, cut)
	}
	for _, v := range all {
		if v > s.high {
			s.outside++
		}
	}
	if s.high-s.low < 1e-9*math.Abs(s.high) || s.high == s.low {
		pad := max(0.01*math.Abs(s.high), 1e-9)
		s.low, s.high = s.low-pad, s.high+pad
	}
}

// share is where a value is between the lowest and the highest that are shown, 0 to 1.
func (s scene) share(v float64) float64 { return inside((v - s.low) / (s.high - s.low)) }

// when is where a moment is in the session, 0 to 1.
func (s scene) when(at float64) float64 {
	if s.length <= 0 {
		return 0
	}
	return inside(at / s.length)
}

// inside puts a share that is none, or of a number that is none, at the nearest edge.
func inside(share float64) float64 {
	if !(share > 0) {
		return 0
	}
	return min(1, share)
}

// histogram counts values in so many equal parts of what is shown. Those outside are
// in the last.
func (s scene) histogram(sorted []float64, parts int) []int {
	counts := make([]int, parts)
	for _, v := range sorted {
		counts[min(parts-1, int(s.share(v)*float64(parts)))]++
	}
	return counts
}
