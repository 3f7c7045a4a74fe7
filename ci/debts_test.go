package ci

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

const owedGates = `
[[gate]]
name = "cheap"
run = "echo cheap >> $LOG"
reader = "none"

[[gate]]
name = "first"
run = "echo first >> $LOG; test ! -e bad"
reader = "none"

[[gate]]
name = "time"
run = "echo time >> $LOG"
reader = "none"
after = ["first"]
`

// refuse runs a gate by hand in a lane, on a machine whose pressure nobody can tell.
func (s *laneStage) refuse(lane, gate string) {
	s.t.Helper()
	o, _ := s.options()
	defer o.Past.Close()
	l, err := worktrees.Find(context.Background(), s.root(lane))
	if err != nil {
		s.t.Fatal(err)
	}
	g, _ := o.Config.Gate(gate)
	rule := gates.RuleOf(config.Pressure{Unknown: config.UnknownRefuse})
	rule.Root = filepath.Join(s.home, "none")
	v := gates.Run(context.Background(), gates.Options{
		Gate: *g, Root: l.Root, Lane: l, State: o.State, History: o.Past, Version: "test",
		Pressure: &gates.Pressure{Rule: rule},
	})
	if v.Outcome != gates.Refused || v.Owed == nil {
		s.t.Fatalf("%s, owed %v: %v", v.Outcome, v.Owed, v.Findings)
	}
}

// debtsOf says what a night made of what was owed.
func debtsOf(r Report) (list []string) {
	for _, d := range r.Debts {
		text := d.Name() + " " + string(d.Outcome)
		if d.Paid {
			text += " paid"
		}
		list = append(list, strings.TrimSpace(text+" "+d.Left))
	}
	return list
}

// A night pays before all else, the lane with the oldest debt first, each gate behind
// those it comes after; also what it had judged before it was refused. Lanes with the
// same commit owe it once.
func TestNightPays(t *testing.T) {
	s := logged(t, newStage(t, owedGates))
	s.lane("twin")
	s.lane("kda")
	s.commit("kda", "other", "")
	s.lane("old")
	s.refuse("old", "first")
	s.commit("old", "bad", "")
	if diff := cmp.Diff([]string{"old first red paid"}, debtsOf(s.night())); diff != "" {
		t.Error(diff) // the lane has gone on, and owes for what it is at
	}
	s.ran()
	if r := s.night(); len(s.ran()) > 0 || len(r.Debts) > 0 {
		t.Errorf("%v", debtsOf(r)) // all stands, and what a lane has gone on from is not owed
	}
	s.refuse("kda", "time")
	s.refuse("main", "cheap")
	s.refuse("twin", "cheap")
	s.refuse("old", "time")
	r := s.night()
	if diff := cmp.Diff("time cheap", strings.Join(s.ran(), " ")); diff != "" {
		t.Error(diff)
	}
	want := []string{"kda time green paid", "main cheap green paid", "twin cheap green paid", "old time  it was not run: after first, which is red"}
	if diff := cmp.Diff(want, debtsOf(r)); diff != "" {
		t.Error(diff)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "debts paid\n  kda time: green; it was owed since ") || !strings.Contains(text.String(), "owed still\n  old time: owed since ") {
		t.Error(err, text.String())
	}
	if diff := cmp.Diff([]string{"old time  it was not run: after first, which is red"}, debtsOf(s.night())); diff != "" {
		t.Error(diff)
	}
}

// A night that was killed when it had paid half of them has the same debts to tell of.
func TestNightPaysResumed(t *testing.T) {
	s := logged(t, newStage(t, owedGates))
	s.refuse("main", "cheap")
	s.refuse("main", "time")
	ctx, stop := context.WithCancel(context.Background())
	o, said := s.options()
	o.Note = func(text string) {
		said.add(text)
		if strings.HasPrefix(text, "main cheap: ") {
			stop()
		}
	}
	if _, err := Run(ctx, o); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	_ = o.Past.Close()
	r := s.night(func(o *Options) { o.Resume = true })
	if diff := cmp.Diff([]string{"main cheap green paid", "main time green paid"}, debtsOf(r)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("cheap first time", strings.Join(s.ran(), " ")); diff != "" {
		t.Error(diff)
	}
}
