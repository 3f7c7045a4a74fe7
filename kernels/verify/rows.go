package verify

import (
	"math"

	"gpuci/kernels/kda"
)

// rowwise compares got and want, rows of equal length, each row relative to a scale of
// its own: where rows differ by powers of ten, the largest would hide the others. A
// difference from a scale of 0 is infinitely large. Where the report says the worst is,
// are the row and the place in it.
func rowwise(term string, got, want []float64, cols int, scales []float64) kda.Report {
	r := kda.Report{Term: term, Compared: len(want)}
	squares, reference, top := 0.0, 0.0, -1.0
	for i, w := range want {
		diff := math.Abs(got[i] - w)
		rel := diff / scales[i/cols]
		switch {
		case !finite(got[i]) || !finite(w):
			r.NaNs++
			rel = math.Inf(1)
		case diff == 0:
			rel = 0
		}
		if rel > top {
			top = rel
			r.Worst, r.Got, r.Want, r.Scale = [4]int{0, 0, i / cols, i % cols}, got[i], w, scales[i/cols]
		}
		squares += diff * diff
		reference += w * w
	}
	r.MaxRel, r.RMSRel = top, 0
	if squares != 0 {
		r.RMSRel = math.Sqrt(squares / reference)
	}
	if r.NaNs > 0 {
		r.MaxRel, r.RMSRel = math.NaN(), math.NaN()
	}
	return r
}

// largest is the largest magnitude of each row of values.
func largest(values []float64, cols int) []float64 {
	tops := make([]float64, len(values)/cols)
	for i, x := range values {
		tops[i/cols] = max(tops[i/cols], math.Abs(x))
	}
	return tops
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
