package ci

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// TestStands: an outcome stands for the same content, settings and tools, and for
// nothing else. A gate that could not say, or was refused, is run again.
func TestStands(t *testing.T) {
	bin := t.TempDir()
	tool := func(version string) {
		t.Helper()
		text := "#!/bin/sh\necho Python " + version + "\n"
		if err := os.WriteFile(filepath.Join(bin, "python3"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	tool("3.1")
	gate := func(more string) string {
		return "[[gate]]\nname = \"unit\"\nrun = [\"python3\", \"-c\", \"\"]\nreader = \"none\"\n" + more
	}
	s := newStage(t, gate(""))
	expect := func(what string, state State, outcome gates.Outcome, change ...func(*Options)) {
		t.Helper()
		if c := mustCell(t, s.night(change...), "main", "unit"); c.State != state || c.Outcome != outcome {
			t.Errorf("%s: %s %s, want %s %s", what, c.State, c.Outcome, state, outcome)
		}
	}
	expect("at first", Ran, gates.Green)
	expect("with nothing changed", Stands, gates.Green)
	s.git(s.dir, "commit", "-q", "--allow-empty", "-m", "the same content")
	expect("at another commit", Stands, gates.Green)
	tool("3.2")
	expect("with another tool", Ran, gates.Green)
	expect("and again", Stands, gates.Green)
	tool("3.1")
	expect("with the first tool again", Stands, gates.Green)
	expect("by force", Ran, gates.Green, func(o *Options) { o.Force = true })
	s.commit("main", "gpuci.toml", gate("timeout = \"3m\"\n"))
	expect("with other settings", Ran, gates.Green)
	s.commit("main", "gpuci.toml", gate("needs = [\"gpu\"]\n"))
	expect("refused", Ran, gates.Refused)
	expect("refused before", Ran, gates.Refused)
	past := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	if err := os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\necho Python 3.1\ntest \"$1\" = --version\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.commit("main", "gpuci.toml", gate("expect = \"red\"\nowner = \"us\"\nuntil = \""+past+"\"\n"))
	expect("a known red", Ran, gates.KnownRed)
	expect("a known red", Stands, gates.KnownRed)
}

// TestByHand: what a person ran does not stand in the night, for it may have been
// green by what git ignores or by that person's environment; what a night ran does.
func TestByHand(t *testing.T) {
	s := newStage(t, oneGate)
	run := func() gates.Verdict {
		t.Helper()
		o, _ := s.options()
		opt, err := o.Prepare(o.Here, o.Config, o.Config.Gates[0])
		if err != nil {
			t.Fatal(err)
		}
		opt.Gate, opt.Root, opt.Lane = o.Config.Gates[0], s.dir, o.Here
		return gates.Run(context.Background(), opt)
	}
	s.write("main", "other", "not committed")
	if v := run(); v.Outcome != gates.Green {
		t.Fatalf("by hand: %s", v.Outcome)
	}
	if c := mustCell(t, s.night(), "main", "unit"); c.State != Ran {
		t.Errorf("after a run on changes: %s", c.State)
	}
	s.commit("main", "other", "committed")
	if v := run(); v.Outcome != gates.Green {
		t.Fatalf("by hand: %s", v.Outcome)
	}
	if c := mustCell(t, s.night(), "main", "unit"); c.State != Ran {
		t.Errorf("after a run on the commit: %s", c.State)
	}
	if c := mustCell(t, s.night(), "main", "unit"); c.State != Stands {
		t.Errorf("after a night: %s", c.State)
	}
}

// TestPace holds times against points by the rule, and a whole night against greens
// of the base branch.
func TestPace(t *testing.T) {
	points := []float64{10, 11, 12, 13, 14} // quartiles 11 and 13
	for _, c := range []struct {
		value       float64
		points      []float64
		slower, out bool
	}{
		{16, points, false, false}, {16.1, points, true, true}, {8, points, false, false}, {7.9, points, false, true},
		{100, points[:4], false, false}, {5.1, []float64{5, 5, 5, 5, 5}, true, true}, {5, []float64{5, 5, 5, 5, 5}, false, false},
	} {
		p, out := pace(c.value, c.points)
		if out != c.out || out && p.Slower != c.slower {
			t.Errorf("%g against %v: %+v, %v", c.value, c.points, p, out)
		}
	}
	s := newStage(t, "[[gate]]\nname = \"unit\"\nrun = \"echo gpuci:metric name=step value=$(cat step) unit=ms\"\nreader = \"none\"\n")
	s.commit("main", "step", "5")
	for i := range 5 {
		s.commit("main", "round", strings.Repeat("x", i))
		s.night()
	}
	s.commit("main", "step", "6")
	r := s.night()
	c := mustCell(t, r, "main", "unit")
	found := false
	for _, p := range c.Pace {
		if p.Metric == "step" {
			found = p.Slower && p.Value == 6 && p.Low == 5 && p.High == 5 && p.Points >= fewestPoints
		}
	}
	if !found {
		t.Errorf("a step of 6 ms after five of 5: %+v", c.Pace)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "step 6 ms, usually 5 to 5") {
		t.Errorf("%v\n%s", err, &text)
	}
}

// TestQuantile on a few by hand.
func TestQuantile(t *testing.T) {
	for q, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 4} {
		if got := quantile([]float64{4, 1, 3, 2}, q); got != want {
			t.Errorf("%g: %g, want %g", q, got, want)
		}
	}
}

// TestNoHistory: a night without one runs everything and is right.
func TestNoHistory(t *testing.T) {
	s := newStage(t, oneGate)
	o, said := s.options()
	o.Past = nil
	state := o.State
	o.Prepare = func(worktrees.Lane, *config.Config, config.Gate) (gates.Options, error) {
		return gates.Options{State: state}, nil
	}
	for range 2 {
		r, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if c := mustCell(t, r, "main", "unit"); c.State != Ran || c.Outcome != gates.Green {
			t.Errorf("got %s %s", c.State, c.Outcome)
		}
	}
	if !strings.Contains(said.String(), "not known") {
		t.Errorf("said:\n%s", said)
	}
}
