package ab

import (
	"testing"

	"gpuci/gates"
	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
)

// What a comparison came to is an outcome of the gate that asked for it, and nothing of
// the bar is held where there is no answer.
func TestHeld(t *testing.T) {
	bars := []config.Bar{{Metric: "base-rate", AB: &config.Compared{Measure: "rate"}}}
	for state, want := range map[string]gates.Outcome{Owing: gates.Refused, Failed: gates.Broken, Stopped: gates.Broken, "": gates.Broken} {
		c := held(gates.Comparison{Outcome: gates.Green}, bars, &Report{End: End{State: state, Why: "so"}, Owed: &gates.Owed{Why: gates.OweCard}})
		if c.Outcome != want || c.Why == "" || len(c.Answers) > 0 || (c.Owed != nil) != (want == gates.Refused) {
			t.Errorf("%q: %+v", state, c)
		}
	}
}

// Of several series the worst decides, and of a rate less is worse.
func TestWorstAnswer(t *testing.T) {
	b := config.Bar{Metric: "base-rate", AB: &config.Compared{Measure: "rate"}}
	answer := func(name string, v judge.Verdict, ratio float64) judge.Answer {
		n := judge.Summary{Samples: 20}
		return judge.Answer{
			Metric: judge.Metric{Name: name, Better: judge.Higher}, Verdict: v, Ratio: ratio,
			Interval: judge.Interval{Low: ratio - 1.01, High: ratio - 0.99}, Floor: 0.002, Control: n, Arm: n,
		}
	}
	r := &Report{End: End{State: Answered}, Rule: Rule{Rule: judge.Rule{Least: 0.01}}}
	r.Judged.Answers = []judge.Answer{answer("rates", judge.Worse, 0.5), answer("rate n=1", judge.CannotSay, 0.99), answer("rate n=2", judge.Worse, 0.95), answer("rate n=3", judge.Tie, 1)}
	got := worstAnswer(b, r)
	if x, known := got.Times(); got.Measure != "rate n=2" || got.Verdict != gates.ComparedWorse || got.Worse < 0.049 || got.Low > got.Worse || got.High < got.Worse || got.Limit != 0.01 || !known || x < 4.9 {
		t.Errorf("%+v, %v", got, x)
	}
	r.Judged.Answers = r.Judged.Answers[:2]
	if got = worstAnswer(b, r); got.Verdict != gates.ComparedUnsaid {
		t.Errorf("%+v", got)
	}
	if _, known := got.Times(); known {
		t.Error("what cannot be said has a number")
	}
	r.Judged.Answers = []judge.Answer{answer("rate", judge.Tie, 0.985)}
	if x, known := worstAnswer(b, r).Times(); !known || x > 1 {
		t.Errorf("a tie is %v times its limit", x)
	}
	r.Judged.Answers = nil
	if got = worstAnswer(b, r); got.Verdict != gates.ComparedUnsaid || got.Why == "" {
		t.Errorf("%+v", got)
	}
}
