package ci

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
	"gpuci/gates/history"
)

// severalGates are of every kind that a night tells apart. Each says that it ran.
const severalGates = `
[[gate]]
name = "slow"
run = "echo slow >> $LOG; sleep 1"
reader = "none"

[[gate]]
name = "unit"
run = "echo unit >> $LOG; test ! -e bad"
reader = "none"

[[gate]]
name = "after-unit"
run = "echo after-unit >> $LOG"
reader = "none"
after = ["unit"]

[[gate]]
name = "by-day"
run = "echo by-day >> $LOG"
reader = "none"
nightly = false

[[gate]]
name = "card"
run = ["true"]
reader = "none"
needs = ["gpu"]
`

// ran gives what the gates have written since the last time.
func (s *laneStage) ran() []string {
	s.t.Helper()
	data, _ := os.ReadFile(os.Getenv("LOG"))
	_ = os.Remove(os.Getenv("LOG"))
	return strings.Fields(string(data))
}

func logged(t *testing.T, s *laneStage) *laneStage {
	t.Setenv("LOG", filepath.Join(s.home, "log"))
	return s
}

// TestNight: each content is tested once, lanes without committed changes share a
// run, and a lane that is broken in any way stops none of the rest. In the second
// night nothing is run again but what was refused.
func TestNight(t *testing.T) {
	s := logged(t, newStage(t, severalGates))
	for _, name := range []string{"kda", "same", "wrong", "empty", "gone"} {
		s.lane(name)
	}
	s.commit("kda", "bad", "")
	s.write("kda", "more", "not committed")
	s.commit("wrong", "gpuci.toml", "links = nothing")
	s.git(s.root("empty"), "rm", "-q", "gpuci.toml")
	s.git(s.root("empty"), "commit", "-q", "-m", "none")
	if err := os.RemoveAll(s.root("gone")); err != nil {
		t.Fatal(err)
	}
	r := s.night()
	want := []string{
		"kda after-unit: not run", "kda card: ran refused", "kda slow: ran green", "kda unit: ran red",
		"main after-unit: ran green", "main card: ran refused", "main slow: ran green", "main unit: ran green",
		"same after-unit: ran green", "same card: ran refused", "same slow: ran green", "same unit: ran green",
	}
	if d := cmp.Diff(want, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got := strings.Join(s.ran(), " "); got != "slow unit after-unit slow unit" {
		t.Errorf("the gates ran in the order %s", got)
	}
	for lane, why := range map[string]string{
		"wrong": "its gpuci.toml is wrong: line 1: ", "empty": "it has no gpuci.toml", "gone": "its directory was removed", "kda": "",
	} {
		if l := mustLane(t, r, lane); !strings.HasPrefix(l.Why, why) || (l.Exit != 0) != (lane == "wrong") {
			t.Errorf("lane %s: %q, exit %d", lane, l.Why, l.Exit)
		}
	}
	if l := mustLane(t, r, "kda"); l.Changed != 1 {
		t.Errorf("of kda %d files are said to be left out, want 1", l.Changed)
	}
	if l := mustLane(t, r, "same"); l.As != "main" {
		t.Errorf("same shares the run of %q, want main", l.As)
	}
	if c := mustCell(t, r, "kda", "after-unit"); c.Why != "after unit, which is red" {
		t.Errorf("after a red: %q", c.Why)
	}
	if r.Exit != gates.ExitConfig {
		t.Errorf("exit %d, want that of the wrong configuration", r.Exit)
	}
	s.isKept("main", "unit", gates.Green)
	s.isKept("kda", "unit", gates.Red)

	second := s.night()
	if ran := s.ran(); len(ran) > 0 {
		t.Errorf("ran again: %q", ran)
	}
	if got := cells(second)[3]; got != "kda unit: stands red" {
		t.Errorf("the second night: %s", got)
	}
	s.night(func(o *Options) { o.Force = true })
	if got := strings.Join(s.ran(), " "); got != "unit slow after-unit unit slow" && got != "unit after-unit slow unit slow" {
		t.Errorf("by force, with the cheap ones first, ran %s", got)
	}
}

// isKept holds the history against what a lane's gate came to: under the name of
// the lane and its branch, and of its commit with nothing changed.
func (s *laneStage) isKept(lane, gate string, want gates.Outcome) {
	s.t.Helper()
	o, _ := s.options()
	store, err := o.Past.Store()
	if err != nil {
		s.t.Fatal(err)
	}
	found := 0
	for r, err := range store.Results(context.Background(), history.Query{Lane: lane, Gate: gate}) {
		if err != nil {
			s.t.Fatal(err)
		}
		found++
		if r.Outcome != string(want) || r.Branch != lane || r.Changes != "" || r.Commit != s.git(s.dir, "rev-parse", lane) || r.Tree != s.git(s.dir, "rev-parse", lane+"^{tree}") {
			s.t.Errorf("the history has of %s in %s: %s, branch %q, commit %s, changes %q, tree %s", gate, lane, r.Outcome, r.Branch, r.Commit, r.Changes, r.Tree)
		}
	}
	if found == 0 {
		s.t.Errorf("the history has nothing of %s in %s", gate, lane)
	}
}

// TestChanges: what a night tells of a lane is held against the night before and
// against what was run by hand.
func TestChanges(t *testing.T) {
	s := newStage(t, oneGate)
	s.lane("kda")
	s.lane("follows") // shares main's content, and so its runs
	if c := mustCell(t, s.night(), "kda", "unit"); c.Change != "" {
		t.Errorf("the first night: %q", c.Change)
	}
	first := s.commit("kda", "bad", "")
	if c := mustCell(t, s.night(), "kda", "unit"); c.Change != NewlyRed || !strings.HasPrefix(c.Before, "green on ") {
		t.Errorf("the first red: %q, before %q", c.Change, c.Before)
	}
	s.commit("kda", "worse", "")
	s.commit("main", "bad", "another content")
	s.git(s.root("follows"), "reset", "-q", "--hard", "main")
	r := s.night()
	if c := mustCell(t, r, "kda", "unit"); c.Change != StillRed || c.From != first || c.State != Ran {
		t.Errorf("the second red: %q since %s, want since %s", c.Change, c.From, first)
	}
	if c := mustCell(t, r, "follows", "unit"); c.Change != NewlyRed || c.Of != "main" {
		t.Errorf("a lane that shares a run: %q of %s", c.Change, c.Of)
	}
	r = s.night()
	if c := mustCell(t, r, "kda", "unit"); c.Change != StillRed || c.From != first || c.State != Stands {
		t.Errorf("a red that stands: %q since %s, want since %s", c.Change, c.From, first)
	}
	if c := mustCell(t, r, "follows", "unit"); c.Change != StillRed {
		t.Errorf("a red that stands, of another lane: %q", c.Change)
	}
	s.git(s.root("kda"), "rm", "-q", "bad")
	s.commit("kda", "mended", "")
	if c := mustCell(t, s.night(), "kda", "unit"); c.Change != NewlyGreen {
		t.Errorf("mended: %q", c.Change)
	}
}

// TestSelection: named lanes, branches without a lane, named gates, patterns.
func TestSelection(t *testing.T) {
	s := logged(t, newStage(t, severalGates))
	s.lane("kda")
	s.commit("kda", "own", "")
	s.git(s.dir, "branch", "rel/1")
	r := s.night(func(o *Options) { o.Branches, o.Gates = []string{"rel/1", "kda"}, []string{"by-day"} })
	if d := cmp.Diff([]string{"branch/rel/1 by-day: ran green", "kda by-day: ran green"}, cells(r)); d != "" {
		t.Errorf("branches: -want +got\n%s", d)
	}
	r = s.night(func(o *Options) { o.Lanes, o.Gates = []string{"kda"}, []string{"by-day", "after-unit"} })
	if d := cmp.Diff([]string{"kda after-unit: ran green", "kda by-day: stands green"}, cells(r)); d != "" {
		t.Errorf("a lane: -want +got\n%s", d)
	}
	r = s.night(func(o *Options) { o.Config.CI.Lanes = []string{"k*"} })
	if len(r.Lanes) != 1 || r.Lanes[0].Lane != "kda" {
		t.Errorf("by a pattern: %+v", r.Lanes)
	}
	for _, wrong := range []func(*Options){
		func(o *Options) { o.Lanes = []string{"kad"} },
		func(o *Options) { o.Branches = []string{"kad"} },
		func(o *Options) { o.Lanes, o.Gates = []string{"kda"}, []string{"unti"} },
	} {
		o, _ := s.options()
		wrong(&o)
		_, err := Run(context.Background(), o)
		_ = as[*UnknownError](t, err)
	}
	s.clean()
}
