package plot

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gpuci/gates/ab/judge"
)

// taken is a session of so many rounds on a machine with bursts, judged, in which the
// arm takes 5 % more.
func taken(t testing.TB, rounds int) Chart {
	t.Helper()
	coins := rand.New(rand.NewPCG(1, 2))
	s := judge.Session{Plan: judge.Plan{Control: "main", Arm: "fused", Seed: 4}}
	at := time.Date(2026, 12, 1, 14, 2, 11, 0, time.UTC)
	for n := range rounds {
		for _, place := range s.Plan.Round(n) {
			v := 1.3 * math.Exp(0.01*coins.NormFloat64())
			if place.Arm == "fused" {
				v *= 1.05
			}
			if coins.IntN(12) == 0 {
				v *= 1 + coins.ExpFloat64()
				s.Thrown = append(s.Thrown, judge.Thrown{Place: place, At: at, Why: "stalled"})
			}
			at = at.Add(time.Duration(v * float64(time.Second)))
			s.Samples = append(s.Samples, judge.Sample{Place: place, At: at, Values: map[string]float64{"time": v}})
		}
	}
	m := judge.Metric{Name: "time", Unit: "s", Better: judge.Lower}
	a, err := judge.Judge(s, m, judge.Rule{})
	if err != nil {
		t.Fatal(err)
	}
	return Chart{Session: s, Answer: a}
}
