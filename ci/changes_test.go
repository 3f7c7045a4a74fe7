package ci

import (
	"context"
	"gpuci/gates"
	"gpuci/gates/history"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// byHand runs a gate where a person would, in the lane itself.
func (s *laneStage) byHand(gate string, want gates.Outcome) {
	s.t.Helper()
	o, _ := s.options()
	g, _ := o.Config.Gate(gate)
	opt, err := o.Prepare(o.Here, o.Config, *g)
	if err != nil {
		s.t.Fatal(err)
	}
	opt.Gate, opt.Root, opt.Lane = *g, s.dir, o.Here
	if v := gates.Run(context.Background(), opt); v.Outcome != want {
		s.t.Fatalf("%s by hand is %s, want %s", gate, v.Outcome, want)
	}
}

// TestChangesInTime: what stands from before is not new against what was tried out
// later, and what was never committed says nothing of a commit.
func TestChangesInTime(t *testing.T) {
	s := newStage(t, "[[gate]]\nname = \"unit\"\nrun = \"test ! -e bad -a ! -e ignored\"\nreader = \"none\"\n")
	s.write("main", ".gitignore", "/ignored\n")
	first := s.commit("main", "bad", "")
	s.night()
	if err := os.Remove(filepath.Join(s.dir, "bad")); err != nil {
		t.Fatal(err)
	}
	s.byHand("unit", gates.Green) // with a change that is not committed
	r := s.night()
	if c := mustCell(t, r, "main", "unit"); c.State != Stands || c.Change != StillRed || c.From != first {
		t.Errorf("red before and now: %s, %q, since %s", c.State, c.Change, c.From)
	}
	s.git(s.dir, "commit", "-q", "-a", "-m", "mended")
	if c := mustCell(t, s.night(), "main", "unit"); c.Change != NewlyGreen {
		t.Errorf("mended: %q", c.Change)
	}
	s.write("main", "ignored", "")
	s.byHand("unit", gates.Red) // at the very commit, by what git ignores
	if c := mustCell(t, s.night(), "main", "unit"); c.State != Stands || c.Change != "" {
		t.Errorf("green before and now: %s, %q, was %s", c.State, c.Change, c.Before)
	}

	// Without a night before, only what is older than the run counts.
	s.lane("kda")
	if c := mustCell(t, s.night(), "kda", "unit"); c.State != Stands || c.Change != "" {
		t.Errorf("a lane that shares main's: %s, %q", c.State, c.Change)
	}
}

// TestPreviousOf holds a cell that stands against results of its lane before and after
// its run.
func TestPreviousOf(t *testing.T) {
	began := time.Date(2026, 11, 30, 2, 0, 0, 0, time.UTC)
	at := func(hours int, o gates.Outcome, changes string) history.Result {
		return history.Result{Gate: "unit", Lane: "main", Root: "/repo", Outcome: string(o), Started: began.Add(time.Duration(-hours) * time.Hour), Changes: changes}
	}
	p := &past{plan: Plan{Began: began}, scratch: "/scratch"}
	run := func(hours int) Cell { return Cell{Gate: "unit", State: Stands, Started: at(hours, "", "").Started} }
	for name, c := range map[string]struct {
		now  Cell
		runs []history.Result
		want gates.Outcome
	}{
		"later":        {run(3), []history.Result{at(1, gates.Green, "")}, ""},
		"earlier":      {run(3), []history.Result{at(1, gates.Red, ""), at(4, gates.Green, "")}, gates.Green},
		"uncommitted":  {run(3), []history.Result{at(4, gates.Green, "x")}, ""},
		"of a new run": {Cell{Gate: "unit", State: Ran, Started: began.Add(time.Minute)}, []history.Result{at(1, gates.Green, ""), at(3, gates.Red, "")}, gates.Green},
	} {
		p.runs = map[string][]history.Result{"unit": c.runs}
		if got, ok := p.previous(context.Background(), "main", c.now); got.outcome != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, want %q", name, got.outcome, c.want)
		}
	}
}

// TestReasons: one order, whichever way an outcome came; that a known red is over is
// said first, and nothing is lost.
func TestReasons(t *testing.T) {
	red := func(text string) gates.Finding { return gates.Finding{Outcome: gates.Red, Text: text} }
	look := func(text string) gates.Finding { return gates.Finding{Outcome: gates.Attention, Text: text} }
	const over = "it was a known red of us until 2026-11-30, and that is over"
	for _, c := range []struct {
		outcome gates.Outcome
		list    []gates.Finding
		want    []string
	}{
		{gates.Red, []gates.Finding{red("1 failed"), red(over), look("note")}, []string{over, "1 failed", "note"}},
		{gates.Attention, []gates.Finding{red("1 failed"), look("note"), look("fault"), look("note")}, []string{"note", "fault", "1 failed"}},
		{gates.KnownRed, []gates.Finding{red("1 failed")}, []string{"1 failed"}},
		{gates.Green, nil, nil},
	} {
		ran := cellOf(gates.Verdict{Gate: "unit", Outcome: c.outcome, Findings: c.list})
		var kept []history.Finding
		for _, f := range c.list {
			kept = append(kept, history.Finding{Outcome: string(f.Outcome), Text: f.Text})
		}
		stands := (&past{}).cellOf(history.Result{Gate: "unit", Outcome: string(c.outcome), Findings: kept})
		if !slices.Equal(ran.Reasons, c.want) || !slices.Equal(stands.Reasons, c.want) || ran.Why != firstOf(c.want) || stands.reason() != ran.reason() {
			t.Errorf("%s: ran %q, stands %q, want %q", c.outcome, ran.Reasons, stands.Reasons, c.want)
		}
	}
}
