package judge

import (
	"errors"
	"math"
	"strconv"
	"testing"
)

// manyMetrics is a session of ten rounds, whose runs have so many metrics of the same
// values, and those metrics. Of its 20 pairs the arm takes less by 0.5 % to 10 %, but for
// the first against, in which it takes as much more.
func manyMetrics(against, count int) (s Session, ms []Metric) {
	s.Plan = Plan{Control: "base", Arm: "new", Seed: 5}
	pair := 0
	for n := range 10 {
		for slot, place := range s.Plan.Round(n) {
			if slot%2 == 0 {
				pair++
			}
			x := Sample{Place: place, Values: map[string]float64{}}
			for i := range count {
				v := 1.0
				if place.Arm == "new" {
					v = math.Exp(-0.005 * float64(pair))
					if pair <= against {
						v = 1 / v
					}
				}
				x.Values[strconv.Itoa(i)] = v
			}
			s.Samples = append(s.Samples, x)
		}
	}
	for i := range count {
		ms = append(ms, Metric{Name: strconv.Itoa(i), Better: Lower})
	}
	return s, ms
}

// TestAmong: what is just sure by one metric is not sure by one of twenty, of which each
// has a twentieth of the chance of error.
func TestAmong(t *testing.T) {
	verdict := func(against, count int) Verdict {
		s, ms := manyMetrics(against, count)
		c, err := Compare(s, ms, Rule{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Verdict
	}
	most := map[int]int{}
	for _, count := range []int{1, 20} {
		for verdict(most[count], count) == Win {
			most[count]++
		}
	}
	if most[20] < 1 || most[1] <= most[20] {
		t.Errorf("a win stands %d pairs that speak against it by one metric, and %d by twenty", most[1], most[20])
	}
}

// TestAmongFew: a rule whose first look is just sure by one metric takes more samples for
// many, and no more than it takes.
func TestAmongFew(t *testing.T) {
	few := Rule{Samples: 12, Most: 12}
	one, err := few.among(1)
	if err != nil || one.Samples != 12 || one.Confidence != 0.99 {
		t.Fatalf("%+v, %v", one, err)
	}
	many, err := few.among(100)
	if err != nil || many.Samples <= 12 || many.Samples > 20 || many.Most != many.Samples || critical(many.Samples-pairsARound, 1-many.Confidence) > 0 {
		t.Errorf("%+v, %v", many, err)
	}
	s, ms := manyMetrics(0, 100)
	if c, err := Compare(s, ms, few); err != nil || c.Verdict != Win {
		t.Errorf("%s, %v", c.Verdict, err)
	}
	if _, err := (Rule{Samples: 4, Most: 4}).among(2); !errors.Is(err, ErrRule) {
		t.Errorf("a rule that cannot be met: %v", err)
	}
}
