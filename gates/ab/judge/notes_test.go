package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestModes: two heaps of values are two modes, and one with a long tail is not.
func TestModes(t *testing.T) {
	coins := rand.New(rand.NewPCG(5, 5))
	heap := func(centre float64) float64 { return centre * math.Exp(0.01*coins.NormFloat64()) }
	tests := map[string]struct {
		draw func() float64
		n    int
		two  bool
	}{
		"one":            {func() float64 { return heap(1) }, 200, false},
		"a long tail":    {func() float64 { return heap(1) + 0.05*coins.ExpFloat64() }, 200, false},
		"even":           {coins.Float64, 200, false},
		"two":            {func() float64 { return heap(1 + 0.25*float64(coins.IntN(2))) }, 200, true},
		"three to one":   {func() float64 { return heap(1 + 0.25*float64(coins.IntN(4)/3)) }, 200, true},
		"two, and close": {func() float64 { return 1 + 1e-5*float64(coins.IntN(2)) }, 200, false},
		"few of two":     {func() float64 { return heap(1 + 0.25*float64(coins.IntN(2))) }, 30, false},
		"a few outliers": {func() float64 { return heap(1 + float64(coins.IntN(12)/11)) }, 200, false},
	}
	for name, test := range tests {
		var values []float64
		for range test.n {
			values = append(values, test.draw())
		}
		low, high, share, two := modes(values)
		if two != test.two || two && (math.Abs(low-1) > 0.02 || math.Abs(high-1.25) > 0.02 || share < 0.3 || share > 0.9) {
			t.Errorf("%s: %v and %v, %v in the first: %v", name, low, high, share, two)
		}
	}
}
