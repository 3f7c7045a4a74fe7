package gates

import (
	"fmt"
	"os"
	"path/filepath"
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
	alone := "env -u CUDA_INJECTION64_PATH " + s.play("init", "launch k 1 1", "say up", "sleep 3600000")
	said(t, s.run(one+"; "+alone+" > out3 & until grep -q up out3; do sleep 0.05; done"), Broken, "and not the environment of the run")
	// One that has the environment and comes to use CUDA later is in order.
	said(t, s.run(one+"; "+s.play("init", "launch k 1 1", "say up", "sleep 3600000")+" > out2 & until grep -q up out2; do sleep 0.05; done"), Green)
}

// One that takes the variables out of its own environment is found by what it has of CUDA.
func TestTracedSilent(t *testing.T) {
	s := newTracedStage(t, byLaunches)
	one := s.play("init", "launch k 1 1")
	for i, variable := range []string{"GPUCI_TRACE_DIR", "CUDA_INJECTION64_PATH"} {
		silent := s.play("unset "+variable, "init", "launch k 1 1", "say up", "sleep 3600000")
		v := s.run(fmt.Sprintf("%s; : > nvidia-uvm; %s > out%d 7< nvidia-uvm & until grep -q up out%d; do sleep 0.05; done", one, silent, i, i))
		said(t, v, Broken, "play (pid ", "used CUDA and has no file in the recording: what it asked for was not counted", "does it take CUDA_INJECTION64_PATH or GPUCI_TRACE_DIR out of its environment")
	}
	// One that was counted, and becomes another program without them.
	other := s.box.Script("init", "launch k 1 1", "say up", "sleep 3600000")
	becomes := s.play("init", "launch k 1 1", "sleep 1200", "unset CUDA_INJECTION64_PATH", "exec "+other)
	said(t, s.run(becomes+" > out4 & until grep -q up out4; do sleep 0.05; done"), Broken, "and not the environment of the run")
	// One that has the driver, and has not used it.
	idle := s.play("init", "launch k 1 1") + "; LD_PRELOAD=" + filepath.Join(s.box.Libraries(), "libcuda.so.1") + " " + s.play("say up", "sleep 3600000")
	said(t, s.run(idle+" > out & until grep -q up out; do sleep 0.05; done"), Green)
	// nvidia-smi has the driver and the file of a card open.
	smi := one + "; gcc -shared -o libnvidia-ml.so.1 -x c /dev/null && LD_PRELOAD=$PWD/libnvidia-ml.so.1:" + filepath.Join(s.box.Libraries(), "libcuda.so.1") + " " + s.play("say up", "sleep 3600000")
	said(t, s.run(smi+" > out5 7< nvidia-uvm & until grep -q up out5; do sleep 0.05; done"), Green)
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
	said(t, s.run(one+"; "+one+"; printf '%5000s' x > $GPUCI_TRACE_DIR/1-1.events"), Broken, "the recording of process 1 cannot be read: it begins with", "gpuci trace report counts the other processes")
	said(t, s.run(one+"; "+one+"; printf '1 a.out: Permission denied' | dd of=$GPUCI_TRACE_DIR/unmade conv=notrunc bs=64 seek=1 2>&1"), Broken, "process 1 a.out: Permission denied: it could make no file")
	if v := s.run(one + "; " + s.play("init", "launch k 1 1", "_exit 0")); v.Outcome != Green || !strings.Contains(v.Trace.Text, "2 processes, 1 of which did not come to an end of their own") {
		t.Errorf("%s, %s", v.Outcome, v.Trace.Text)
	}
}

// What a traced run leaves behind is ended with it, and what it did until then is counted.
func TestTracedEnded(t *testing.T) {
	s := newTracedStage(t, "  [gate.trace]\n  [[gate.bar]]\n  metric = \"launches\"\n  source = \"trace\"\n  min = 2\n  max = 2\n")
	v := s.run(s.play("init", "launch k 1 1", "launch k 1 1", "say done", "sleep 3600000") + " > out & echo $! > pid; until grep -q done out; do sleep 0.05; done")
	said(t, v, Green, "outlived its run and was ended: play (pid ")
	if pid, _ := os.ReadFile(filepath.Join(s.root, "pid")); len(pid) == 0 || isThere("/proc/"+strings.TrimSpace(string(pid))) {
		t.Errorf("process %s is still there", pid)
	}
}
