package ab

import (
	"strings"
	"testing"

	"gpuci/gates/ab/judge"
)

// answeredLog is a comparison with an answer, of an arm that takes so many times what the
// base does.
func answeredLog(id string, times float64) Log {
	l := Log{Session: someSession(), Metrics: []Metric{{judge.Metric{Name: "ms", Better: judge.Lower}, true}}}
	l.ID, l.Rule.Rule, l.End = id, judge.Rule{Samples: 20, Most: 20}, &End{State: Answered}
	l.Arms = []Arm{{Name: "a"}, {Name: "b", Env: []string{"X=1", "Y=2"}}}
	l.Built = []Built{{Arm: "a", Tree: "t"}, {Arm: "b", Tree: "t"}}
	for n := range 10 {
		for i, p := range l.Plan.Round(n) {
			v := 1 + 0.001*float64((n*7+i*3)%5)
			if p.Arm == "b" {
				v *= times
			}
			l.Samples = append(l.Samples, *sampleAt(p, v))
		}
	}
	return l
}

// A win of arms that were compared otherwise, too, is said to be one of several answers.
func TestOtherAnswers(t *testing.T) {
	win := answeredLog("1", 0.9)
	for name, c := range map[string]struct {
		change func(*Log)
		want   string
	}{
		"a tie":               {func(l *Log) { l.Arms[1].Env = []string{"Y=2", "X=1"}; l.Arms[1].Name, l.Built[1].Arm = "b", "b" }, "have 2 answers by ms, and not all are a win (tie in 2)"},
		"not ended":           {func(l *Log) { l.End = nil }, ""},
		"another variable":    {func(l *Log) { l.Arms[1].Env = []string{"X=2", "Y=2"} }, ""},
		"another tree":        {func(l *Log) { l.Built[0].Tree = "u" }, ""},
		"trees not known":     {func(l *Log) { l.Built = nil }, ""},
		"other settings":      {func(l *Log) { l.Settings = "s" }, ""},
		"another gate":        {func(l *Log) { l.Gate = "g" }, ""},
		"by something else":   {func(l *Log) { l.Metrics[0].Name = "s"; l.Samples = nil }, ""},
		"of a larger effect":  {func(l *Log) { l.Rule.Least, l.Rule.Seek = 0.2, 0.3 }, ""},
		"the same comparison": {func(l *Log) { l.ID = "1" }, ""},
	} {
		other := answeredLog("2", 1)
		c.change(&other)
		r := ReportOf(win)
		r.otherAnswers(win, []Log{other, win})
		if got := strings.Join(r.Marks, "\n"); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := ReportOf(win)
	r.otherAnswers(win, []Log{win, answeredLog("2", 0.9)})
	if r.Judged.Verdict != judge.Win || len(r.Marks) > 0 {
		t.Errorf("two wins: %s, %q", r.Judged.Verdict, r.Marks)
	}
	tie := ReportOf(answeredLog("2", 1))
	marks := len(tie.Marks)
	tie.otherAnswers(answeredLog("2", 1), []Log{win})
	if len(tie.Marks) != marks {
		t.Errorf("a tie is not chosen: %q", tie.Marks)
	}
}
