package gates

import (
	"fmt"
	"strings"
	"testing"
)

// A relation must hold in every warm step, not in the sum of them.
func TestTracedWitnessSteps(t *testing.T) {
	s := newTracedStage(t, `
  [gate.trace]
  step = 'step (\d+)'
  warm = 0
  [[gate.witness]]
  source = "trace"
  holds = "launches == 2 || launches == 4"
`)
	said(t, s.run(s.steps(2, 4, 2)), Green)
	said(t, s.run(s.steps(2, 3, 4)), Red, "the relation does not hold (launches=3)")
}

// A stage that is not there, and steps of which none is warm, are broken; with arguments
// the first is not covered by them.
func TestTracedStages(t *testing.T) {
	s := newTracedStage(t, `
  [gate.trace]
  warm = 4
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  stage = "fwd"
  max = 9
  [[gate.witness]]
  source = "trace"
  stage = "fwd"
  holds = "copies == 0"
`)
	said(t, s.run(s.play("init", "launch k 1 1")), Broken, `launches, witness copies == 0: find the stage "fwd": there is none; there are "(outside)"`, "gpuci trace report ")
	v := s.run(s.play("init", "launch k 1 1")+` "$@"`, "x")
	if v.Outcome != Green || !strings.Contains(fmt.Sprint(v.Marks), "not covered by these arguments: launches not covered by these arguments: witness copies == 0") {
		t.Errorf("%s %v %v", v.Outcome, v.Findings, v.Marks)
	}
	s.toml = strings.Replace(byLines, "warm = 1", "warm = 4", 1)
	said(t, s.run(s.steps(1, 1, 1)), Broken, `launches: "step" has 3 steps, and the first 4 are set apart: no step is warm`)
	said(t, s.run(s.play("init", "launch k 1 1")), Broken, "no line of its output fits the pattern of a step")
	s.toml = strings.Replace(byLines, "max = 3", "max = 3\nmin-matches = 5", 1)
	said(t, s.run(s.steps(1, 1, 1)), Broken, "2 of at least 5")
}

// Lines of two programs at one time make no steps; steps that smear and hold in the mean
// are red with what to do; a number that is of something else is of another series; a bar
// on kernels that are not there is marked.
func TestTracedSteps(t *testing.T) {
	s := newTracedStage(t, `
  [gate.trace]
  step = 'step (\d+)'
  warm = 0
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  max = 3
  [[gate.bar]]
  metric = "waits"
  source = "trace"
  measure = "waiting-calls"
  max = 1
  [[gate.bar]]
  metric = "slow"
  source = "trace"
  kernel = '^kda slow'
  max = 3
`)
	v := s.run(s.steps(3, 3))
	said(t, v, Green)
	if got := v.Bars[1].Worst.Series() + ", " + v.Bars[2].Worst.Series(); got != `measure=waiting-calls stage=step, kernel="^kda slow" stage=step` {
		t.Error(got)
	}
	if want := `slow: of no kernel that was launched the name fits "^kda slow"`; !strings.Contains(fmt.Sprint(v.Marks), want) {
		t.Errorf("%v, want %s", v.Marks, want)
	}
	said(t, s.run(s.steps(2, 4)), Red, "launches: 4 is above 3", "launches is 3 in the mean of its steps, and that holds")
	if v = s.run(s.steps(3, 4)); v.Outcome != Red || strings.Contains(fmt.Sprint(v.Next), "in the mean") {
		t.Errorf("%s: %v", v.Outcome, v.Next)
	}
	said(t, s.run(s.play("init", "launch k 1 1", "say step 1", "say step 2", "say step 0", "say step 1", "say step 0", "launch k 1 1")+"; echo step 3; echo step 2"), Broken, "its steps go back from 3 to 2")
}
