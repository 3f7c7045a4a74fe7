package ab

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/gates/ab/judge"
)

// Of several arms each has rounds of its own with the base, and an answer from those alone,
// at its part of the chance of error. What is resumed goes on where each of them was.
func TestSeveral(t *testing.T) {
	l := Log{Session: someSession(), Metrics: []Metric{{judge.Metric{Name: "ms", Better: judge.Lower}, true}}}
	l.Arms = append(l.Arms, Arm{Name: "c"})
	l.Rule.Rule = judge.Rule{Samples: 40, Most: 40}
	l.Built = []Built{{Arm: "a"}, {Arm: "a", Twin: true}, {Arm: "b"}, {Arm: "c"}}
	for arm, factor := range map[string]float64{"b": 1, "c": 0.9} {
		plan := l.plan(arm)
		for n := range 20 {
			for i, p := range plan.Round(n) {
				v := 1 + 0.001*float64((n*7+i*3)%5)
				if p.Arm != "a" {
					v *= factor
				}
				x := sampleAt(p, v)
				x.Of = arm
				l.Samples = append(l.Samples, *x)
			}
		}
	}
	if l.plan("b") != l.Plan || l.plan("b").Seed == l.plan("c").Seed {
		t.Errorf("plans %+v and %+v", l.plan("b"), l.plan("c"))
	}
	r := ReportOf(l)
	if len(r.Each) != 2 || len(r.Judged.Answers) > 0 {
		t.Fatalf("%+v", r)
	}
	for i, want := range []judge.Verdict{judge.Tie, judge.Win} {
		one := r.Each[i]
		if one.Judged.Verdict != want || one.Arms[0].Name != "a" || len(one.Arms) != 2 || one.Rule.Among != 2 {
			t.Errorf("%+v", one)
		}
	}
	both := l.Beside("c")
	alone := both
	alone.Rule.Among = 0
	wide, err := compareLog(both)
	narrow, err2 := compareLog(alone)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if w, n := wide.Answers[0].Interval, narrow.Answers[0].Interval; w.High-w.Low <= n.High-n.Low {
		t.Errorf("beside another arm the interval is %v, and alone %v", w, n)
	}
	l.Samples = slices.DeleteFunc(l.Samples, func(x Sample) bool { return x.Of == "c" && x.Round > 4 })
	s := &session{journal: &Journal{Log: l}}
	turns := s.turns()
	if turns[0].next != 20 || turns[1].next != 5 || s.has(turns[1], l.plan("c").Round(5)[0]) || !s.has(turns[1], l.plan("c").Round(4)[3]) {
		t.Errorf("%+v, %+v", turns[0], turns[1])
	}
}

// How long it takes still is told by what the rounds so far took.
func TestTellText(t *testing.T) {
	turns := []*turn{{arm: "b", next: 4, ask: 10}, {arm: "c", next: 4, ask: 8}, {arm: "d", next: 9, ask: 9, over: true}}
	got := tellText(turns, []Sample{{Thrown: Stalled}}, 16*time.Second, 8)
	if want := "arm b: round 5 of 10 before it is looked at again; arm c: round 5 of 8 before it is looked at again; in about 20s; thrown out 1"; got != want {
		t.Errorf("%s", got)
	}
	if got := tellText(turns[:1], nil, time.Second, 0); strings.Contains(got, "about") || strings.Contains(got, "arm b") {
		t.Errorf("%s", got)
	}
}

// What was marked of an arm is the report's of that arm, and of the base's of all; where an
// arm's runs find what others left, several arms are not even.
func TestMarks(t *testing.T) {
	l := Log{Session: someSession(), Marks: []Mark{{Arm: "a", Text: "of a"}, {Arm: "c", Text: "of c", Uneven: true}}}
	for _, arms := range []string{"ab", "abc"} {
		l.Arms = nil
		for _, name := range arms {
			l.Arms = append(l.Arms, Arm{Name: string(name)})
		}
		for _, arm := range l.Others() {
			one := ReportOf(l.Beside(arm))
			if got := strings.Join(one.Marks, ", "); arm == "b" && arms == "abc" && got != "of a" || arm == "c" && got != "of a, of c" {
				t.Errorf("%s of %s: %s", arm, arms, got)
			}
			if one.Uneven != (arm == "c") {
				t.Errorf("%s of %s: uneven %v", arm, arms, one.Uneven)
			}
		}
	}
}
