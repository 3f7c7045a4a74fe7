package judge

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// clock is the step of the clock that values were read from, and how far it can put
// a difference off, as a part of the value.
//
// Readings are blurred by one step, each by a coin's choice within it, so that they
// lie as close as what they were rounded from. That is right where they spread over
// steps by themselves. Where they do not, all readings of an arm can be off by half
// a step on the same side; what is left of that with a normal spread is the first
// term of its Fourier series (Sheppard's corrections come from the same one).
func (m Metric) clock(control, arm []float64) (step, bias float64) {
	all := slices.Sorted(slices.Values(slices.Concat(control, arm)))
	if step = m.Step; step == 0 {
		step = stepOf(all)
	}
	if step == 0 {
		return 0, 0
	}
	for _, values := range [][]float64{control, arm} {
		spread := quartiles(values) / 1.349 // the middle half of a normal distribution
		centre := middle(slices.Sorted(slices.Values(values)))
		bias += step / 2 / centre * math.Exp(-2*math.Pi*math.Pi*spread*spread/(step*step))
	}
	return min(step, all[0]), bias // a blurred reading stays above 0
}

// stepOf finds the step in sorted values: 0 where there are hardly two alike. It is
// the smallest gap where all of them are multiples of it, and otherwise no finer
// than they were written.
func stepOf(sorted []float64) float64 {
	different, gap := 1, math.Inf(1)
	place := lastPlace(sorted[0])
	for i := 1; i < len(sorted); i++ {
		if d := sorted[i] - sorted[i-1]; d > 1e-9*sorted[i] {
			different++
			gap = min(gap, d)
			place = min(place, lastPlace(sorted[i]))
		}
	}
	switch {
	case different > len(sorted)/2:
		return 0
	case different > 1 && !slices.ContainsFunc(sorted, func(v float64) bool { return !isMultiple(v, gap) }):
		return gap
	}
	return place
}

func isMultiple(v, step float64) bool {
	n := v / step
	return math.Abs(n-math.Round(n)) < 1e-6*max(1, n) && n > 0.5
}

// lastPlace is one unit of the last place of a number that was written in decimal:
// 0.01 of 20.03. It is all that tells of a clock whose readings are all alike.
func lastPlace(v float64) float64 {
	text := strconv.FormatFloat(v, 'e', -1, 64)
	digits, exponent, _ := strings.Cut(text, "e")
	power, err := strconv.Atoi(exponent)
	if err != nil {
		return 0
	}
	_, behind, _ := strings.Cut(digits, ".")
	return math.Pow10(power - len(behind))
}
