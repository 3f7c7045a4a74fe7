package ci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/gates"
)

// noted are a gate, another one that is red where there is no file "far", and what
// is said of the first.
func noted(condition string) string {
	return `
[[gate]]
name = "near"
run = "echo near >> $LOG"
reader = "none"

[[gate]]
name = "far"
run = "echo far >> $LOG; test -e far; sleep 0.2"
reader = "none"

[[note]]
text = "far is not reached"
owner = "kernels"
about = "near"
` + condition + "\n"
}

// later is a night some days from now.
func later(days int) func(*Options) {
	return func(o *Options) { o.Clock.Wall = func() time.Time { return time.Now().AddDate(0, 0, days) } }
}

// TestStandsWithNotes: an outcome stands only while the notes about its gate stand as
// they did in the run, whatever is unchanged; and no longer than it must.
func TestStandsWithNotes(t *testing.T) {
	s := logged(t, newStage(t, noted("until = \""+time.Now().AddDate(0, 0, 1).Format(time.DateOnly)+"\"")))
	s.commit("main", "far", "")
	expect := func(what string, state State, outcome gates.Outcome, change ...func(*Options)) Cell {
		t.Helper()
		c := mustCell(t, s.night(change...), "main", "near")
		if c.State != state || c.Outcome != outcome {
			t.Errorf("%s: %s %s, want %s %s: %s", what, c.State, c.Outcome, state, outcome, c.Why)
		}
		return c
	}
	expect("at first", Ran, gates.Green)
	expect("on its last day", Stands, gates.Green, later(1))
	expect("after its last day", Ran, gates.Green, later(2)) // the gate itself has our clock
	s.ran()

	s.commit("main", "gpuci.toml", noted("until = \"2020-01-01\""))
	c := expect("long after it", Ran, gates.Attention)
	if !strings.Contains(c.Why, "note is stale: \"far is not reached\" (kernels, gpuci.toml:") {
		t.Errorf("because %q", c.Why)
	}
	again := expect("and again", Stands, gates.Attention)
	if again.Why != c.Why {
		t.Errorf("when it stands it is because %q, and was because %q", again.Why, c.Why)
	}
}

// TestStandsWhileRed: what another gate comes to makes a note fall, in the same night
// and at another content; the other one goes first.
func TestStandsWhileRed(t *testing.T) {
	s := logged(t, newStage(t, noted("while-red = \"far\"")))
	cell := func(what, lane string, state State, outcome gates.Outcome, change ...func(*Options)) {
		t.Helper()
		c := mustCell(t, s.night(change...), lane, "near")
		if c.State != state || c.Outcome != outcome {
			t.Errorf("%s: %s %s, want %s %s: %s", what, c.State, c.Outcome, state, outcome, c.Why)
		}
	}
	cell("far is red", "main", Ran, gates.Green)
	if got := strings.Join(s.ran(), " "); got != "far near" {
		t.Errorf("ran %s", got)
	}
	cell("with nothing changed", "main", Stands, gates.Green)
	if ran := s.ran(); len(ran) > 0 {
		t.Errorf("ran again: %q", ran)
	}

	// Far turns green at another content, while near is left out of that night.
	s.commit("main", "far", "")
	s.night(func(o *Options) { o.Lanes, o.Gates = []string{"main"}, []string{"far"} })
	s.git(s.dir, "reset", "-q", "--hard", "HEAD^")
	cell("far is green elsewhere", "main", Ran, gates.Attention, func(o *Options) { o.Lanes, o.Gates = []string{"main"}, []string{"near"} })
	cell("and again", "main", Stands, gates.Attention)

	// Far runs again in the very night in which near would stand.
	s.ran()
	s.night(func(o *Options) { o.Lanes, o.Gates, o.Force = []string{"main"}, []string{"far"}, true })
	cell("far is red again", "main", Stands, gates.Green)
	if got := strings.Join(s.ran(), " "); got != "far" {
		t.Errorf("ran %s", got)
	}
}

// TestStandsLater: an outcome whose note waits for a gate that this night runs is held
// against what that gate comes to.
func TestStandsLater(t *testing.T) {
	tools := t.TempDir()
	tool := filepath.Join(tools, "reach")
	write := func(status string) {
		t.Helper()
		if err := os.WriteFile(tool, []byte("#!/bin/sh\nexit "+status+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	toml := strings.Replace(noted("while-red = \"far\""), "run = \"echo far >> $LOG; test -e far; sleep 0.2\"", "run = [\"reach\"]", 1)
	s := logged(t, newStage(t, toml))
	t.Setenv("PATH", tools+":"+os.Getenv("PATH"))
	write("1")
	for _, c := range []struct {
		far  string
		want gates.Outcome
		runs State
	}{{"", gates.Green, Ran}, {"", gates.Green, Stands}, {"0", gates.Attention, Ran}, {"", gates.Attention, Stands}, {"2", gates.Green, Stands}} {
		if c.far != "" {
			write(c.far)
		}
		if got := mustCell(t, s.night(), "main", "near"); got.Outcome != c.want || got.State != c.runs {
			t.Errorf("far ends with %q: near %s %s, want %s %s", c.far, got.State, got.Outcome, c.runs, c.want)
		}
	}
}

// TestKnownRedBeneath: a known red that also needs attention ends with its time, too.
func TestKnownRedBeneath(t *testing.T) {
	end := time.Now().Format(time.DateOnly)
	s := newStage(t, "[[gate]]\nname = \"unit\"\nrun = [\"false\"]\nreader = \"none\"\nexpect = \"red\"\nowner = \"us\"\nuntil = \""+end+"\"\n"+
		"[[note]]\ntext = \"n\"\nowner = \"us\"\nabout = \"unit\"\nuntil = \"2020-01-01\"\n")
	for _, c := range []struct {
		night []func(*Options)
		state State
	}{{nil, Ran}, {nil, Stands}, {[]func(*Options){later(1)}, Ran}} {
		if got := mustCell(t, s.night(c.night...), "main", "unit"); got.Outcome != gates.Attention || got.State != c.state || len(got.Reasons) != 2 {
			t.Errorf("%s %s, want %s: %q", got.State, got.Outcome, c.state, got.Reasons)
		}
	}
}
