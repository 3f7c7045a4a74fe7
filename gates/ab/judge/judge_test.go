package judge

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// calm is a machine with a tremble of 1 %.
func calm(seed uint64) noise {
	coins := rand.New(rand.NewPCG(seed, 3))
	return func() float64 { return 0.01 * coins.NormFloat64() }
}

// silent is a machine that always takes the same.
func silent() float64 { return 0 }

// must runs a stage.
func must(t *testing.T, g stage) (Answer, Session) {
	t.Helper()
	a, s, err := g.run(5)
	if err != nil {
		t.Fatal(err)
	}
	return a, s
}

// TestVerdicts walks through what an answer can be, and what it says of itself.
func TestVerdicts(t *testing.T) {
	coarse := func(step float64) func(float64) float64 {
		return func(v float64) float64 { return step * math.Round(v/step) }
	}
	tests := map[string]struct {
		stage
		want      Verdict
		ratio, by float64 // by: how far off it may be; 0: not looked at
		why, note string
	}{
		"faster":          {stage{noise: calm(1), effect: -0.05}, Win, 0.951, 0.01, "time is -4.", ""},
		"slower":          {stage{noise: calm(1), effect: 0.05}, Worse, 1.051, 0.01, "beyond the floor", ""},
		"more is better":  {stage{noise: calm(1), effect: 0.05, metric: Metric{Name: "rate", Better: Higher}}, Win, 1.051, 0.01, "rate is +", ""},
		"less is worse":   {stage{noise: calm(1), effect: -0.05, metric: Metric{Name: "rate", Better: Higher}}, Worse, 0.951, 0.01, "rate is -", ""},
		"the same":        {stage{noise: calm(1)}, Tie, 1, 0.02, "differs by less than 3 %", ""},
		"below the least": {stage{noise: func() float64 { return 0 }, effect: 0.004, metric: Metric{Name: "steps", Better: Lower}}, Tie, 1.004, 1e-4, "less than", ""},
		"sure, and below a least of 10 %": {stage{noise: calm(1), effect: 0.05, rule: Rule{Least: 0.1, Seek: 0.11}},
			Tie, 1.051, 0.01, "less than the 10 %", ""},
		"all equal":       {stage{noise: silent, metric: Metric{Name: "launches", Better: Lower}}, Tie, 1, 1e-9, "the same in every run", ""},
		"exact and fewer": {stage{noise: silent, effect: math.Log(0.8), metric: Metric{Name: "launches", Better: Lower}}, Win, 0.8, 1e-9, "-20 %, between -20 % and -20 %", ""},
		"a known floor":   {stage{noise: calm(1), effect: -0.05, metric: Metric{Name: "time", Unit: "s", Better: Lower, Floor: 0.08}}, Tie, 0.951, 0.01, "differs by less than 9.1 %", ""},
		"the twin differs as much": {stage{noise: calm(1), effect: 0.05, twin: 0.06}, Tie, 0, 0, "inside the floor of",
			"the control differs from itself"},
		"beyond a twin that differs": {stage{noise: calm(1), effect: -0.2, twin: 0.06}, Win, 0, 0, "beyond the floor", ""},
		"a clock without a step":     {stage{noise: silent, value: coarse(0.05)}, CannotSay, 1, 0.05, "in steps of 1 s, which can put a difference off by 100 %: no number of samples", ""},
		"a step that looks like a difference": {stage{noise: func() float64 { return math.Log(1.12) }, effect: 0.03, value: coarse(0.25),
			metric: Metric{Name: "time", Unit: "s", Better: Lower, Step: 0.25}}, CannotSay, 1.25, 0.1, "in steps of 0.25 s", ""},
		"a clock that hides it": {stage{noise: calm(1), effect: 0.03, value: coarse(0.25), metric: Metric{Name: "time", Unit: "s", Better: Lower, Step: 0.25}}, CannotSay, 0, 0, "no number of samples", ""},
		"a clock that the noise reads between": {stage{noise: func() noise {
			n := calm(1)
			return func() float64 { return 10 * n() }
		}(), effect: 0.08, value: coarse(0.05)}, Worse, 1.083, 0.05, "beyond", ""},
		"two modes": {stage{noise: clocks(rand.New(rand.NewPCG(1, 1))), effect: -0.03}, Win, 0.97, 0.02, "", "has two modes"},
		"thrown out as often as not": {stage{noise: calm(1), thrown: func() func() bool {
			coins := rand.New(rand.NewPCG(9, 9))
			return func() bool { return coins.IntN(3) > 0 }
		}()}, CannotSay, 0, 0, "stalled): the machine is not fit", ""},
		"more than the rule has": {stage{noise: wild(rand.New(rand.NewPCG(3, 3))), rule: Rule{Most: 40, Least: 0.001}},
			CannotSay, 0, 0, "more than the rule's 40", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, _ := must(t, test.stage)
			if a.Verdict != test.want || !strings.Contains(a.Why, test.why) || !strings.Contains(strings.Join(a.Notes, "\n"), test.note) {
				t.Errorf("%s, because %s; notes %q", a.Verdict, a.Why, a.Notes)
			}
			if test.by > 0 && math.Abs(a.Ratio-test.ratio) > test.by {
				t.Errorf("the ratio is %v", a.Ratio)
			}
			if _, err := json.Marshal(a); err != nil {
				t.Error(err)
			}
			if a.Look > 0 && a.Visible < a.Floor {
				t.Errorf("a difference of %v would have been seen, inside the floor of %v", a.Visible, a.Floor)
			}
			if a.Verdict == CannotSay && a.More == 0 && a.TooMany {
				t.Error("it would take too many, and none")
			}
			if a.Coarse && (a.More > 0 || a.next > 0 || a.Rounds != 10) {
				t.Errorf("no number of samples will do, and it asks for %d more after %d rounds", a.More, a.Rounds)
			}
		})
	}
}

// TestOneOutlier: a run that took a thousand times as long changes nothing.
func TestOneOutlier(t *testing.T) {
	run := 0
	calm := calm(1)
	outlier := func() float64 {
		if run++; run == 7 {
			return math.Log(1000)
		}
		return calm()
	}
	a, _ := must(t, stage{noise: outlier, effect: -0.03})
	if a.Verdict != Win || math.Abs(a.Ratio-0.97) > 0.01 {
		t.Errorf("%s, %v, because %s", a.Verdict, a.Ratio, a.Why)
	}
}

// TestAskingChangesNothing asks after each sample: what is decided once stays, and
// is what those are told who ask at the looks only.
func TestAskingChangesNothing(t *testing.T) {
	for seed := range uint64(6) {
		effect := 0.01 * float64(seed)
		machine := neighbours(rand.New(rand.NewPCG(2, seed)))
		want, s, err := stage{noise: machine, effect: effect}.run(seed)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			stage{noise: machine, effect: effect}.round(&s)
		}
		var first Verdict
		for n := range s.Samples {
			part := Session{Plan: s.Plan, Samples: s.Samples[:n+1]}
			got, err := Judge(part, simulated, Rule{})
			if err != nil {
				t.Fatal(err)
			}
			if first == "" && got.next == 0 {
				first = got.Verdict
			}
			if first != "" && (got.Verdict != first || got.Rounds != want.Rounds) {
				t.Fatalf("seed %d: after %d samples it is %s of %d rounds, and was %s of %d", seed, n+1, got.Verdict, got.Rounds, first, want.Rounds)
			}
		}
		if first != want.Verdict {
			t.Errorf("seed %d: asked each time %s, asked at the looks %s", seed, first, want.Verdict)
		}
		coins := rand.New(rand.NewPCG(1, seed))
		coins.Shuffle(len(s.Samples), func(i, j int) { s.Samples[i], s.Samples[j] = s.Samples[j], s.Samples[i] })
		again, err := Judge(s, simulated, Rule{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, again, cmpopts.IgnoreUnexported(Answer{})); diff != "" {
			t.Errorf("seed %d: the order of the file matters: %s", seed, diff)
		}
	}
}

// TestLeftovers: samples of a round that is not complete are counted and not used,
// wherever it is.
func TestLeftovers(t *testing.T) {
	want, s := must(t, stage{noise: calm(1), effect: -0.05})
	next := s.Plan.Round(len(s.Samples) / Slots)
	for _, place := range next[:3] {
		s.Samples = append(s.Samples, Sample{Place: place, Values: map[string]float64{"time": 900}})
	}
	got, err := Judge(s, simulated, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Left != 3 || got.Ratio != want.Ratio || got.Verdict != want.Verdict {
		t.Errorf("left out %d, %s %v in place of %s %v", got.Left, got.Verdict, got.Ratio, want.Verdict, want.Ratio)
	}
	s.Samples = slices.Delete(s.Samples, 5, 6) // of the second round
	if got, err = Judge(s, simulated, Rule{}); err != nil {
		t.Fatal(err)
	}
	if got.Left != 6 || got.Look != 0 || got.Verdict != CannotSay || got.More != 2 {
		t.Errorf("a hole in round 1: left out %d, look %d, %s, more %d", got.Left, got.Look, got.Verdict, got.More)
	}
}

// TestFewSamples: nothing is said of the difference before the rule has its samples.
func TestFewSamples(t *testing.T) {
	g := stage{noise: silent, effect: 3}
	s := Session{Plan: Plan{Control: "base", Arm: "new"}}
	for n := range 10 {
		a, err := Judge(s, simulated, Rule{})
		if err != nil {
			t.Fatal(err)
		}
		if a.Verdict != CannotSay || a.Ratio != 0 || a.More != 20-2*n || a.next != 10-n || a.Arm.Samples != 2*n {
			t.Errorf("after %d rounds: %+v", n, a)
		}
		g.round(&s)
	}
	a, err := Judge(s, simulated, Rule{})
	if err != nil || a.Verdict != Worse {
		t.Errorf("after 10 rounds: %s, %v", a.Verdict, err)
	}
}

// TestLopsidedThrows: runs of one arm that were thrown out far more often than the
// other's are said.
func TestLopsidedThrows(t *testing.T) {
	_, s := must(t, stage{noise: calm(1)})
	for range 12 {
		s.Thrown = append(s.Thrown, Thrown{Place: Place{Arm: "new"}, Why: "contended"})
	}
	a, err := Judge(s, simulated, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Thrown["contended"] != 12 || !strings.Contains(strings.Join(a.Notes, "\n"), "0 runs of base were thrown out and 12 of new") {
		t.Errorf("thrown %v, notes %q", a.Thrown, a.Notes)
	}
}
