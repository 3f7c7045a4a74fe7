package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestStepOf finds the clock's step in what a program printed.
func TestStepOf(t *testing.T) {
	tests := map[string]struct {
		values []float64
		want   float64
	}{
		"milliseconds":          {[]float64{0.02, 0.02, 0.021, 0.021, 0.023, 0.023}, 0.001},
		"ticks of 4 ms":         {[]float64{0.012, 0.012, 0.016, 0.016, 0.024, 0.024, 0.012}, 0.004},
		"all alike":             {[]float64{0.02, 0.02, 0.02, 0.02}, 0.01},
		"all alike, whole":      {[]float64{20, 20, 20, 20}, 10},
		"all alike, fine":       {[]float64{20.03, 20.03, 20.03, 20.03}, 0.01},
		"two, and no clock":     {[]float64{1, 1, 1, 20.125, 20.125, 20.125}, 0.001},
		"hardly two alike":      {[]float64{0.0201, 0.0213, 0.0213, 0.0255, 0.027}, 0},
		"nanoseconds, as s":     {[]float64{0.013927074, 0.013927111, 0.0142, 0.015}, 0},
		"a clock of 1/3, by it": {[]float64{1. / 3, 1. / 3, 2. / 3, 2. / 3, 1, 1}, 1. / 3},
	}
	for name, test := range tests {
		if got := stepOf(test.values); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: the step is %v, not %v", name, got, test.want)
		}
	}
}

// TestClockBias holds what a clock is said to put a difference off by against what
// it does, for every place of the times between two steps and noise of all sizes.
func TestClockBias(t *testing.T) {
	const step = 1.0
	m := Metric{Unit: "s", Step: step}
	coins := rand.New(rand.NewPCG(4, 4))
	for _, spread := range []float64{0, 0.05, 0.2, 0.3, 0.5, 1} {
		var worst, said float64
		for at := 10.0; at < 11; at += 0.09 {
			var mean float64
			var values []float64
			const n = 4000
			for range n {
				v := math.Round(at + spread*coins.NormFloat64())
				values = append(values, v)
				mean += v / n
			}
			worst = max(worst, math.Abs(mean-at)/at)
			_, bias := m.clock(values, values)
			said = max(said, bias/2) // of one arm
		}
		if chance := 4 * (spread + 0.3) / math.Sqrt(4000) / 10; worst > said+chance {
			t.Errorf("noise of %v steps: the mean is off by %v, and %v is said", spread, worst, said)
		}
	}
}
