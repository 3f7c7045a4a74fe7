package ci

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/ci/smalldisk"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// land lands a lane of the stage onto main.
func (s *laneStage) land(lane string, change ...func(*LandOptions)) (Landing, error) {
	s.t.Helper()
	n, said := s.options()
	of, err := worktrees.Find(context.Background(), s.root(lane))
	if err != nil {
		s.t.Fatal(err)
	}
	o := LandOptions{
		Here: n.Here, Config: n.Config, Lane: of, State: n.State, Prepare: n.Prepare, History: n.Past, Note: said.add,
		Queue: func(context.Context) (func(), error) { return func() {}, nil },
	}
	for _, c := range change {
		c(&o)
	}
	l, err := Land(context.Background(), o)
	s.clean()
	return l, err
}

// TestLandFullDisk: no room for the scratch lane, or for what a gate makes in it, is
// no fault of the lane; said is the directory that has none.
func TestLandFullDisk(t *testing.T) {
	dir := smalldisk.Run(t, "3m")
	if dir == "" {
		return
	}
	s := newStage(t, "[[gate]]\nname = 'unit'\nrun = 'head -c 9000000 /dev/zero > large'\nreader = 'none'\n")
	t.Setenv("XDG_CACHE_HOME", dir)
	s.lane("kda")
	s.commit("kda", "a", "a")
	full := func(when string) {
		t.Helper()
		l, err := s.land("kda")
		if err != nil || l.Outcome != Refused || l.Exit != gates.Refused.ExitCode() || !strings.Contains(l.Why, "no space left on the disk of "+dir) || len(l.Next) != 1 || !strings.Contains(l.Next[0], "scratch in [ci]") {
			t.Errorf("%s: %+v, %v", when, l, err)
		}
	}
	full("in the gate")
	for i := range 8 { // more than there is room for
		s.commit("kda", fmt.Sprintf("large-%d", i), strings.Repeat(fmt.Sprintln(time.Now().UnixNano()), 40<<10))
	}
	full("in the checkout")
}

// TestLandOfBase: the base's red is looked up where it was judged in a scratch lane,
// of its commit and nothing else; what a run by hand said stands for nothing.
func TestLandOfBase(t *testing.T) {
	s := newStage(t, "[[gate]]\nname = 'unit'\nrun = 'echo m=9'\nreader = 'none'\n[[gate.bar]]\nmetric = 'm'\npattern = 'm=(?P<value>\\d+)'\nmax = 5\n")
	s.lane("kda")
	s.commit("kda", "a", "a")
	ran := 0
	var l *landing
	note := func(o *LandOptions) {
		prepare := o.Prepare
		o.Prepare = func(lane worktrees.Lane, cfg *config.Config, g config.Gate) (gates.Options, error) {
			ran++
			return prepare(lane, cfg, g)
		}
		l = &landing{o: *o}
	}
	for when, want := range []int{2, 1} { // never run there, and then as the lane's own before it was landed
		ran = 0
		got, err := s.land("kda", note)
		if err != nil || got.Outcome != Landed || len(got.Gates) != 1 || !got.Gates[0].AsBase || ran != want {
			t.Fatalf("landing %d: %d runs, want %d: %+v, %v", when, ran, want, got, err)
		}
		l.Base = s.commit("kda", "b", "b")
	}
	l.scratchDir = filepath.Join(s.home, "cache")
	if err := os.MkdirAll(filepath.Join(s.home, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", l.scratchDir); err != nil {
		t.Fatal(err)
	}
	if l.readBase(context.Background()); l.baseCfg == nil {
		t.Fatalf("%+v", l.Landing)
	}
	id, _ := l.baseGate("unit")
	good := history.Result{Gate: "unit", Commit: l.Base, Config: id, Root: filepath.Join(s.home, "real", "x"), Marks: []string{"no cgroup"}}
	if !l.ofBase(good) {
		t.Error("a run in a scratch lane does not count")
	}
	for name, spoil := range map[string]func(*history.Result){
		"by hand":  func(r *history.Result) { r.Root = s.dir },
		"moved":    func(r *history.Result) { r.Marks = append(r.Marks, "the lane moved from 1 to 2 while the gate ran") },
		"part":     func(r *history.Result) { r.Partial = true },
		"settings": func(r *history.Result) { r.Config = "other" },
		"changes":  func(r *history.Result) { r.Changes = "x" },
		"commit":   func(r *history.Result) { r.Commit = "x" },
		"gate":     func(r *history.Result) { r.Gate = "x" },
	} {
		r := good
		if spoil(&r); l.ofBase(r) {
			t.Errorf("%s: it counts", name)
		}
	}
}
