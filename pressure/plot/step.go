package plot

import (
	"math"
	"slices"
	"time"

	"gpuci/pressure"
)

// level is what a curve shows from one place to another, 0 to 1.
type level struct {
	from, to, value float64
	brief           bool // too short to be called a peak
}

// brief is the length below which a step's share is no peak, as it is in
// pressure.Timeline.Summary: the last step of a run can be a few milliseconds,
// of which all or nothing is waited.
const brief = 200 * time.Millisecond

// step is a point of the timeline with its place on the page.
type step struct {
	from, to float64
	point    pressure.Point
}

// newSteps places the points in the frame, in order and without overlap.
func newSteps(points pressure.Timeline, f frame) []step {
	points = slices.Clone(points)
	for i := range points {
		points[i].Time = points[i].Time.Round(0)
	}
	slices.SortStableFunc(points, func(a, b pressure.Point) int { return a.Time.Compare(b.Time) })
	var steps []step
	var end time.Time // of the step before
	for _, p := range points {
		if p.Length <= 0 {
			continue
		}
		from, to := p.Time.Add(-p.Length), p.Time
		// A step that begins a hair after the one before it is next to it:
		// lengths are rounded where they are written.
		if from.Sub(end) < p.Length/20 && !end.IsZero() {
			from = end
		}
		end = to
		if s := (step{f.x(from), f.x(to), p}); s.from < s.to {
			steps = append(steps, s)
		}
	}
	return steps
}

// levelsOf are the steps where a share is known.
func levelsOf(steps []step, share func(pressure.Point) pressure.Share) []level {
	var ls []level
	for _, s := range steps {
		if v := share(s.point); isKnown(v) {
			ls = append(ls, level{s.from, s.to, min(1, v.Value), s.point.Length < brief})
		}
	}
	return ls
}

// isKnown believes no share that is none: NaN, infinite, below 0.
func isKnown(v pressure.Share) bool {
	return v.Known && v.Value >= 0 && !math.IsInf(v.Value, 1)
}

// buckets is how many levels a curve has at most. An area has four corners for
// a level that stands alone and two for one with neighbours, which makes 1402
// at most.
const buckets = 700

// thin makes a long curve short. Each bucket has the maximum of what touches
// it, so that no peak is lost; one that nothing touches stays unknown.
func thin(ls []level) []level {
	if len(ls) <= buckets/2 {
		return ls
	}
	const wide = float64(plotWidth) / buckets
	const hair = 1e-6 // of a bucket: an end that is a bucket's edge does not touch the next one
	highest := make([]float64, buckets)
	for i := range highest {
		highest[i] = -1
	}
	for _, l := range ls {
		first := int((l.from-plotLeft)/wide + hair)
		last := int(math.Ceil((l.to-plotLeft)/wide-hair)) - 1
		for i := max(0, first); i <= min(buckets-1, max(first, last)); i++ {
			highest[i] = max(highest[i], l.value)
		}
	}
	var thinned []level
	for i, v := range highest {
		if v >= 0 {
			thinned = append(thinned, level{from: plotLeft + float64(i)*wide, to: plotLeft + float64(i+1)*wide, value: v})
		}
	}
	return thinned
}

// runs cuts levels where there is nothing between two of them.
func runs(ls []level) [][]level {
	var out [][]level
	start := 0
	for i := range ls {
		if i+1 == len(ls) || ls[i+1].from-ls[i].to > 1e-6 {
			out = append(out, ls[start:i+1])
			start = i + 1
		}
	}
	return out
}

// visible is a run at least a pixel wide: a second of ten hours is less.
func visible(run []level) []level {
	last := len(run) - 1
	if run[last].to-run[0].from >= 1 {
		return run
	}
	run = slices.Clone(run)
	run[0].from = min(run[0].from, plotRight-1)
	run[last].to = run[0].from + 1
	return run
}
