package judge

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// scale is that on which values are subtracted from one another: their logarithm,
// or, where one of them is 0, parts of their mean.
type scale struct {
	unit float64 // 0: the logarithm
}

func newScale(control, arm []float64) scale {
	if slices.Min(control) > 0 && slices.Min(arm) > 0 {
		return scale{}
	}
	var sum float64
	for _, v := range control {
		sum += v / float64(len(control))
	}
	for _, v := range arm {
		sum += v / float64(len(arm))
	}
	if sum == 0 {
		return scale{1} // all are 0, and so are their differences
	}
	return scale{max(sum/2, math.SmallestNonzeroFloat64)}
}

func (s scale) of(v float64) float64 {
	if s.unit == 0 {
		return math.Log(v)
	}
	return v / s.unit
}

// part is a difference on the scale as a part of the control's value, which JSON can
// write.
func (s scale) part(difference float64) float64 {
	if s.unit == 0 {
		difference = math.Expm1(difference)
	}
	return max(-math.MaxFloat64, min(math.MaxFloat64, difference))
}

// summarize describes an arm's values, as they were read.
func summarize(values []float64) Summary {
	if len(values) == 0 {
		return Summary{}
	}
	sorted := slices.Sorted(slices.Values(values))
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(sorted, &benchmath.DefaultThresholds), 0.95)
	sum := Summary{Samples: len(values), Median: s.Center,
		// Of few samples the interval has no end, which JSON cannot say.
		In: Interval{max(s.Lo, sorted[0]), min(s.Hi, sorted[len(sorted)-1])}}
	if s.Center > 0 {
		sum.Spread = min(quartiles(sorted)/s.Center, math.MaxFloat64)
	}
	return sum
}

// quartiles is how far they are apart.
func quartiles(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	last := float64(len(sorted) - 1)
	return sorted[int(0.75*last+0.5)] - sorted[int(0.25*last+0.5)]
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
