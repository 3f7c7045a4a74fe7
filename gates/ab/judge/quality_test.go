package judge

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// trained is a session of runs that have a time and a loss. What the loss is depends
// on the seed, and a little on the run.
type trained struct {
	time, loss float64 // the arm's effects, on the logarithm
	seeds      float64 // how far seeds spread the loss
	again      float64 // how far runs of one seed do
	zero       bool    // the loss of all is 0, but for the arm's effect
}

var loss = Metric{Name: "loss", Better: Lower, Quality: true}

func (tr trained) run(t *testing.T, rule Rule) Comparison {
	t.Helper()
	s := Session{Plan: Plan{Control: "base", Arm: "new", Seed: 8}}
	coins := rand.New(rand.NewPCG(1, 8))
	for {
		c, err := Compare(s, []Metric{loss, simulated}, rule)
		if err != nil {
			t.Fatal(err)
		}
		if c.More == 0 {
			return c
		}
		for range c.More {
			places := s.Plan.Round(len(s.Samples) / Slots)
			ofSeed := tr.seeds * rand.New(rand.NewPCG(places[0].Seed, 0)).NormFloat64()
			for _, place := range places {
				time, l := 0.01*coins.NormFloat64(), ofSeed+tr.again*coins.NormFloat64()
				if place.Arm == "new" {
					time, l = time+tr.time, l+tr.loss
				}
				values := map[string]float64{"time": math.Exp(time), "loss": 2 * math.Exp(l)}
				if tr.zero {
					values["loss"] = 0
					if place.Arm == "new" {
						values["loss"] = tr.loss
					}
				}
				s.Samples = append(s.Samples, Sample{Place: place, Values: values})
			}
		}
	}
}

// TestQuality: what a time says, with what a loss says.
func TestQuality(t *testing.T) {
	tests := map[string]struct {
		trained
		rule Rule
		want Verdict
		why  string
	}{
		"faster, and the same loss":     {trained{time: -0.05, seeds: 0.02}, Rule{}, Win, "time is -"},
		"faster, and loses":             {trained{time: -0.05, loss: 0.05, seeds: 0.02, again: 0.005}, Rule{}, WinLosesQuality, "loss is +"},
		"no faster, and loses":          {trained{loss: 0.05, seeds: 0.02, again: 0.005}, Rule{}, Worse, "loss is +"},
		"no faster, and better":         {trained{loss: -0.05, seeds: 0.02, again: 0.005}, Rule{}, Win, "loss is -"},
		"slower, and better":            {trained{time: 0.05, loss: -0.05, again: 0.005}, Rule{}, Worse, "loss is -"},
		"faster, less than seeds make":  {trained{time: -0.05, loss: 0.012, seeds: 0.08}, Rule{}, Win, "time is -"},
		"faster, bits apart":            {trained{time: -0.05, loss: 1e-7}, Rule{}, Win, "time is -"},
		"faster, and the loss unknown":  {trained{time: -0.05, again: 0.5}, Rule{Most: 60}, CannotSay, "loss is between"},
		"faster, with too few seeds":    {trained{time: -0.05, seeds: 0.02}, Rule{Most: 40, Seeds: 30}, CannotSay, "the rule asks for 30"},
		"faster, with enough seeds":     {trained{time: -0.05, seeds: 0.02}, Rule{Seeds: 30}, Win, "time is -"},
		"faster, without any error":     {trained{time: -0.05, zero: true}, Rule{}, Win, "time is -"},
		"faster, with errors only here": {trained{time: -0.05, zero: true, loss: 1e-9}, Rule{}, WinLosesQuality, "loss is +"},
	}
	for name, test := range tests {
		c := test.run(t, test.rule)
		if c.Verdict != test.want || !strings.Contains(c.Why, test.why) {
			t.Errorf("%s: %s, because %s", name, c.Verdict, c.Why)
		}
	}
}

// TestSecondTime: another time beside the leading one is said where it is worse, and
// no samples are taken for it.
func TestSecondTime(t *testing.T) {
	s := Session{Plan: Plan{Control: "base", Arm: "new"}}
	coins := rand.New(rand.NewPCG(1, 2))
	for n := range 10 {
		for _, place := range s.Plan.Round(n) {
			v := map[string]float64{"time": 1 + 0.001*coins.Float64(), "memory": 100, "jitter": 1 + coins.ExpFloat64()}
			if place.Arm == "new" {
				v["time"], v["memory"] = 0.9*v["time"], 130
			}
			s.Samples = append(s.Samples, Sample{Place: place, Values: v})
		}
	}
	c, err := Compare(s, []Metric{simulated, {Name: "memory", Unit: "MiB", Better: Lower}, {Name: "jitter", Better: Lower}}, Rule{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Verdict != Win || c.More != 0 || !strings.Contains(c.Why, "memory is +30 %") || strings.Contains(c.Why, "jitter") {
		t.Errorf("%s, more %d, because %s", c.Verdict, c.More, c.Why)
	}
	if len(c.Answers) != 3 || c.Answers[2].Verdict != CannotSay {
		t.Errorf("answers: %+v", c.Answers)
	}
	if _, err := Compare(s, nil, Rule{}); err == nil {
		t.Error("arms are compared by nothing")
	}
}
