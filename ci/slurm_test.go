package ci

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/ci/slurm/slurmtest"
	"gpuci/gates"
)

// TestSlurm runs nights on one real Slurm of two nodes, without accounting.
func TestSlurm(t *testing.T) {
	rig := slurmtest.Start(t, slurmtest.Options{})
	gpuci := program(t)
	for name, test := range map[string]func(*slurmStage){
		"night": slurmNight, "kill": slurmKill, "stop": slurmStop, "cancel": slurmCancel, "many": slurmMany, "hand": slurmHand, "down": slurmDown,
	} {
		toml := map[string]string{"kill": slurmKillGates, "stop": slurmLong, "cancel": slurmLong, "down": slurmLong, "many": slurmMore(), "night": slurmGates, "hand": slurmGates}[name]
		t.Run(name, func(t *testing.T) { test(newSlurmStage(t, rig, gpuci, toml)) })
	}
}

const slurmGates = `
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
name = "numbers"
run = "echo numbers >> $LOG; echo 'gpuci:metric name=answer value=42'"
reader = "none"

  [[gate.bar]]
  metric = "answer"
  max = 41
`

// slurmNight: what comes of gates on nodes is in the history and the report as what comes
// of them here is, and stands the next night.
func slurmNight(s *slurmStage) {
	const dir, odd = "odd $(touch no) 'q\" name", "odd-$(touch-no)-'q\"-name" // as git calls it
	s.git(s.dir, "worktree", "add", "-q", "-b", "odd", s.root(dir))
	s.commit(dir, "bad", "")
	r := s.night()
	want := []string{
		"main after-unit: ran green", "main numbers: ran red", "main unit: ran green",
		odd + " after-unit: not run", odd + " numbers: ran red", odd + " unit: ran red",
	}
	if d := cmp.Diff(want, cells(r)); d != "" {
		s.t.Errorf("-want +got\n%s", d)
	}
	if c := mustCell(s.t, r, odd, "after-unit"); c.Why != "after unit, which is red" {
		s.t.Errorf("after a red: %q", c.Why)
	}
	s.isKept("main", "unit", gates.Green)
	s.isKept("main", "numbers", gates.Red)
	if ran := s.ran(); len(ran) != 5 {
		s.t.Errorf("ran %q", ran)
	}
	r = s.night()
	if got := cells(r); !slices.Contains(got, "main unit: stands green") || !slices.Contains(got, odd+" unit: stands red") {
		s.t.Errorf("the second night: %q", got)
	}
	if ran := s.ran(); len(ran) > 0 {
		s.t.Errorf("ran again: %q", ran)
	}
	s.closed()
}

// slurmHand: a lane as it is, with what is not committed, and each gate's output as it
// comes; without KeepGoing the first that is not green ends the rest.
func slurmHand(s *slurmStage) {
	s.write("main", "bad", "not committed")
	s.write("main", "name\nwith 'all' $(touch no)", "the same")
	o, said := s.options()
	o.onSlurm(s.program)
	h := HandOptions{
		Lane: o.Here, Config: o.Config, State: o.State, Past: o.Past, On: o.On, Open: o.Open, KeepGoing: true, Note: o.Note, Version: "test", Gates: o.Config.Gates,
	}
	came := make(map[string]gates.Verdict)
	h.Outcome = func(v gates.Verdict) { came[v.Gate] = v }
	notRun, err := Hand(context.Background(), h)
	if err != nil || len(notRun) > 0 {
		s.t.Fatalf("by hand: %v, not run: %q\n%s", err, notRun, said)
	}
	if v := came["unit"]; v.Outcome != gates.Red || v.Bound.Changes == "" || len(v.Bound.Changed) != 2 {
		s.t.Errorf("with what is not committed: %s, bound to %+v\n%s", v.Outcome, v.Bound, said)
	}
	if v := came["after-unit"]; v.Outcome != gates.Green {
		s.t.Errorf("by hand each gate is run: %s", v.Outcome)
	}
	s.closed()

	// With the environment of who ran it: that stands in no night.
	s.git(s.root("main"), "stash", "--include-untracked")
	if notRun, err = Hand(context.Background(), h); err != nil || len(notRun) > 0 || came["unit"].Outcome != gates.Green || came["unit"].Bound.Changes != "" {
		s.t.Fatalf("by hand, of the commit: %v, not run: %q, %+v\n%s", err, notRun, came["unit"].Outcome, said)
	}
	s.ran()
	if c := mustCell(s.t, s.night(), "main", "unit"); c.State != Ran || c.Outcome != gates.Green {
		s.t.Errorf("the night after it: %s %s", c.State, c.Outcome)
	}
	s.closed()
}
