package gates

import (
	"fmt"
	"strings"
	"testing"
)

const byLaunches = `
  [gate.trace]
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  max = 9
`

// Beside a process that was counted, one that lost the environment makes the run broken:
// what it launched is in no number.
func TestTracedAstray(t *testing.T) {
	s := newTracedStage(t, byLaunches)
	one := s.play("init", "launch k 1 1")
	astray := "env -i " + strings.Join(s.box.Env(), " ") + " " + s.play("init", "launch k 1 1", "say up", "sleep 3600000")
	v := s.run(one + "; " + astray + " > out & until grep -q up out; do sleep 0.05; done")
	said(t, v, Broken, "play (pid ", "had the driver of CUDA and not the environment of the run (sudo, env -i, a gpuci trace within it): what it asked for was not counted", "let what starts it pass the environment on")
	elsewhere := "GPUCI_TRACE_DIR=$PWD " + s.play("init", "launch k 1 1", "say up", "sleep 3600000")
	said(t, s.run(one+"; "+elsewhere+" > out1 & until grep -q up out1; do sleep 0.05; done"), Broken, "what it asked for was not counted")
	// One that has the environment and comes to use CUDA later is in order.
	said(t, s.run(one+"; "+s.play("init", "launch k 1 1", "say up", "sleep 3600000")+" > out2 & until grep -q up out2; do sleep 0.05; done"), Green)
}

func TestTracedLacks(t *testing.T) {
	for env, want := range map[string]bool{
		"": true, "A=1\x00": true, "A=1\x00B=2\x00C=": true, "A=1\x00V=x\x00": false,
		"ray::worker\x00\x00\x00": false, "\x00\x00\x00": false, "A=1\x00title\x00": false,
	} {
		if got := lacks([]byte(env), "V=x"); got != want {
			t.Errorf("%q lacks it: %t", env, got)
		}
	}
}

// A process that could not make its file is no process that did nothing; how many there
// must be may be said.
func TestTracedProcesses(t *testing.T) {
	s := newTracedStage(t, byLaunches+`
  [[gate.witness]]
  source = "trace"
  holds = "processes == 2"
`)
	one := s.play("init", "launch k 1 1")
	said(t, s.run(one+"; "+one), Green)
	said(t, s.run(one), Red, "witness processes == 2: the relation does not hold (processes=1)")
	said(t, s.run(one+"; "+one+"; : > $GPUCI_TRACE_DIR/1-1.events"), Broken, "1 process made a file and recorded nothing")
	if v := s.run(one + "; " + s.play("init", "launch k 1 1", "_exit 0")); v.Outcome != Green || !strings.Contains(v.Trace.Text, "2 processes, 1 of which did not come to an end of their own") {
		t.Errorf("%s, %s", v.Outcome, v.Trace.Text)
	}
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
