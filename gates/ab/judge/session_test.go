package judge

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNotNumbers: what is no value of the metric is an error that names the run.
func TestNotNumbers(t *testing.T) {
	_, good := must(t, stage{noise: calm(1)})
	for name, v := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1), "1e+305": 1e305, "-1": -1, "is 0": 0} {
		s := good
		s.Samples = slices.Clone(good.Samples)
		s.Samples[9].Values = map[string]float64{"time": v}
		if _, err := Judge(s, simulated, Rule{}); !errors.Is(err, ErrSample) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "round 2, slot 1") {
			t.Errorf("%v: %v", v, err)
		}
		late := good
		late.Samples = slices.Clone(good.Samples)
		for _, place := range late.Plan.Round(len(good.Samples) / Slots) { // and behind the last one
			late.Samples = append(late.Samples, Sample{Place: place, Values: map[string]float64{"time": v}})
		}
		if _, err := Judge(late, simulated, Rule{}); !errors.Is(err, ErrSample) {
			t.Errorf("%v, late: %v", v, err)
		}
		s.Samples = s.Samples[8:12] // before the first look too
		if _, err := Judge(s, simulated, Rule{}); !errors.Is(err, ErrSample) {
			t.Errorf("%v, early: %v", v, err)
		}
	}
	if _, err := Judge(good, Metric{Name: "loss", Better: Lower}, Rule{}); !errors.Is(err, ErrSample) || !strings.Contains(err.Error(), "has no loss") {
		t.Errorf("a metric that no run has: %v", err)
	}
	for _, m := range []Metric{{Name: "time"}, {Name: "time", Better: Lower, Floor: -1}, {Name: "time", Better: Lower, Floor: math.NaN()}} {
		if _, err := Judge(good, m, Rule{}); !errors.Is(err, ErrRule) {
			t.Errorf("%+v is judged: %v", m, err)
		}
	}
}

// TestNotOfThePlan: samples that another plan made, or that are there twice.
func TestNotOfThePlan(t *testing.T) {
	_, good := must(t, stage{noise: calm(1)})
	bad := map[string]func(*Session){
		"another seed":  func(s *Session) { s.Plan.Seed++ },
		"another arm":   func(s *Session) { s.Samples[3].Arm = "other" },
		"another place": func(s *Session) { s.Samples[3].Slot = 7 },
		"twice":         func(s *Session) { s.Samples = append(s.Samples, s.Samples[6]) },
		"before all":    func(s *Session) { s.Samples[0].Round = -1 },
		"one name":      func(s *Session) { s.Plan.Arm = s.Plan.Control },
	}
	for name, spoil := range bad {
		s := good
		s.Samples = slices.Clone(good.Samples)
		spoil(&s)
		if _, err := Judge(s, simulated, Rule{}); !errors.Is(err, ErrSample) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzJudge: whatever the runs gave, the answer is one that can be written down, or an
// error.
func FuzzJudge(f *testing.F) {
	f.Add(1.0, 2.0, 0.5, 3.0, true, "s")
	f.Add(0.0, 5e-324, 1e299, 1e-300, true, "")
	f.Add(0.02, 0.02, 0.02, 0.021, false, "ms")
	f.Fuzz(func(t *testing.T, a, b, c, d float64, quality bool, unit string) {
		s := Session{Plan: Plan{Control: "base", Arm: "new", Seed: 3}}
		values := []float64{a, b, c, d, a, a, b, d}
		for n := range 16 {
			for _, place := range s.Plan.Round(n) {
				v := values[(n*3+place.Slot)%len(values)]
				s.Samples = append(s.Samples, Sample{Place: place, Values: map[string]float64{"x": v}})
			}
		}
		got, err := Compare(s, []Metric{{Name: "x", Unit: unit, Better: Lower, Quality: quality}}, Rule{})
		if err != nil {
			if !errors.Is(err, ErrSample) {
				t.Fatal(err)
			}
			return
		}
		if _, err := json.Marshal(got); err != nil {
			t.Fatalf("%v: %+v", err, got)
		}
		if x := got.Answers[0]; x.Interval.Low > x.Interval.High || x.Look == 0 || x.Floor < 0 || got.Why == "" {
			t.Fatalf("%+v", x)
		}
	})
}
