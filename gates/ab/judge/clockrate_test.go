package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCoarseClock: the interval holds the effect where the clock's steps are as wide
// as the noise: what is read is only ever a multiple of them.
func TestCoarseClock(t *testing.T) {
	const step = 0.05
	n, held := many(40), 0
	for i := range uint64(n) {
		coins := rand.New(rand.NewPCG(6, i))
		at := coins.Float64() * step
		effect := 0.02 + 0.01*coins.Float64()
		a, _, err := stage{
			noise:  func() float64 { return at + 0.5*step*coins.NormFloat64() },
			effect: effect,
			rule:   Rule{Samples: 600, Most: 600, Confidence: 0.95},
			value:  func(v float64) float64 { return step * math.Round(v/step) },
		}.run(i)
		if err != nil {
			t.Fatal(err)
		}
		if e := math.Expm1(effect); e > a.Interval.Low && e < a.Interval.High {
			held++
		}
	}
	t.Logf("%d of %d", held, n)
	if 100*held < 90*n {
		t.Errorf("the interval has the effect in %d of %d", held, n)
	}
}
