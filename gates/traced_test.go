package gates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/trace"
)

const byLines = `
  [gate.trace]
  step = 'step (\d+)'
  warm = 1
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  max = 3
`

// The number is that of every warm step, and the worst decides; the recording stays with
// the run.
func TestTraced(t *testing.T) {
	s := newTracedStage(t, byLines)
	v := s.run(s.steps(9, 3, 3, 3))
	said(t, v, Green)
	if b := v.Bars[0]; b.Matches != 3 || b.Worst.Value != 3 || b.Worst.Unit != "count" || b.Worst.Series() != "stage=step" {
		t.Errorf("%+v", b)
	}
	if v.Trace == nil || v.Trace.Dir != filepath.Join(v.Dir, "trace") || v.Trace.Processes != 1 || v.Trace.Text != "1 process; 4 steps of step, the first set apart; 1 step of after the last step" {
		t.Errorf("%+v", v.Trace)
	}
	if m, err := trace.ReadMeta(v.Trace.Dir); err != nil || m.Ended.IsZero() || m.Lines != 4 || m.Pattern == "" {
		t.Errorf("%+v, %v", m, err)
	}
	if log, _ := os.ReadFile(v.Log); !strings.Contains(string(log), "step 3 own=3") {
		t.Errorf("the log is %q", log)
	}
	v = s.run(s.steps(9, 3, 4, 2))
	said(t, v, Red, "launches: 4 is above 3 (stage=step)")
	if b := v.Bars[0]; b.Matches != 3 || v.Metrics[0].Low.Value != 2 || v.Metrics[0].Series[0].Count != 3 {
		t.Errorf("%+v, %+v", b, v.Metrics)
	}
}

const byWhole = `
  [gate.trace]
  [[gate.metric]]
  metric = "fused"
  source = "trace"
  kernel = '^kda_fast_'
  [[gate.bar]]
  metric = "kept-bytes"
  source = "trace"
  max = 0
  [[gate.witness]]
  source = "trace"
  pattern = 'own=(?P<own>\d+)'
  holds = "fused == own && launches == 2 * fused && graph_launches == 0"
`

// What the atlas counts is held against what the program says of itself, over all of its
// processes; a relation of a metric, and of what has no metric.
func TestTracedWitness(t *testing.T) {
	s := newTracedStage(t, byWhole)
	one := s.play("init", "launch kda_fast_a 1 32", "launch other 1 32", "alloc a 64", "free a")
	v := s.run(one + "; " + one + "; echo own=2")
	said(t, v, Green)
	if w := v.Witnesses[0]; w.Matches != 1 || w.Counters["fused"] != "2" || w.Counters["own"] != "2" || v.Trace.Processes != 2 {
		t.Errorf("%+v, %+v", w, v.Trace)
	}
	said(t, s.run(one+"; echo own=2"), Red, "witness fused == own", "fused=1")
	said(t, s.run(s.play("init", "alloc a 64", "launch other 1 32", "launch kda_fast_a 1 32")+"; echo own=1"), Red, "kept-bytes: 64 is above 0")
	said(t, s.run(one), Broken, "no line of the output gave its counters")
	graphs := s.play("init", "begin s", "launch kda_fast_a 1 32 s", "finish s g", "instantiate g e", "replay e s")
	said(t, s.run(graphs+"; echo own=0"), Broken, "graphs were launched 1 times, whose kernels are no launches: graph-kernels counts these by name")
}

// Kernels of a graph are counted by name, where a capture made it.
func TestTracedGraphKernels(t *testing.T) {
	s := newTracedStage(t, `
  [gate.trace]
  [[gate.bar]]
  metric = "fused"
  source = "trace"
  measure = "graph-kernels"
  kernel = '^kda_fast_'
  min = 2
  max = 2
`)
	v := s.run(s.play("init", "begin s", "launch kda_fast_a 1 32 s", "launch other 1 32 s", "finish s g", "instantiate g e", "replay e s", "replay e s", "launch kda_fast_a 1 32"))
	said(t, v, Green)
	if got := v.Bars[0].Worst.Series(); got != "kernel=^kda_fast_ measure=graph-kernels" {
		t.Error(got)
	}
}

// Nothing that was not counted is a number: it is broken, with why and what to do. A
// program that used CUDA and launched nothing has 0.
func TestTracedNothing(t *testing.T) {
	s := newTracedStage(t, `
  [gate.trace]
  [[gate.bar]]
  metric = "launches"
  source = "trace"
  max = 9
  [[gate.bar]]
  metric = "syncs"
  source = "trace"
  max = 9
  [[gate.witness]]
  source = "trace"
  holds = "launches < 9"
`)
	said(t, s.run(s.play("init")), Green)
	v := s.run("true")
	said(t, v, Broken, "what it asks of CUDA was not counted: no process of it used CUDA", "gpuci doctor says whether there is a driver (libcuda.so.1)")
	if len(v.Findings) != 1 {
		t.Errorf("%v", v.Findings)
	}
	said(t, s.run("env -i "+strings.Join(s.box.Env(), " ")+" "+s.play("init", "launch k 1 1")), Broken, "no process of it used CUDA")
	said(t, s.run(s.play("subscribe", "init", "launch k 1 1")), Broken, "was not counted: another profiler", "let no other profiler run in the program")
	said(t, s.run(s.play("init", "launch k 1 1")+"; exit 3"), Red, "the command failed: exit status 3")
	v = s.run("exit 3")
	said(t, v, Red, "the command failed: exit status 3")
	if len(v.Findings) != 1 {
		t.Errorf("%v", v.Findings)
	}
	said(t, s.run(s.play("init", "launch k 1 1", "abort")), Red, "killed by SIGABRT")
}

// What a run is to load is looked for before anything is built.
func TestTracedNotReady(t *testing.T) {
	s := newTracedStage(t, `
build = "touch built"
  [gate.trace]
`)
	s.opt = func(o *Options) {
		o.TraceLibrary = func(ctx context.Context) (string, error) {
			return trace.Library(ctx, trace.LibraryOptions{Dir: t.TempDir(), CC: "nosuchcc"})
		}
	}
	said(t, s.run("true"), Refused, "nothing of it can be counted: ", "nosuchcc", "install a C compiler")
	s.opt = func(o *Options) { o.TraceLibrary = nil }
	said(t, s.run("true"), Refused, "there is no library for it")
	s.opt = func(o *Options) { o.Env = append(o.Env, "CUDA_INJECTION64_PATH=/opt/nsys/libToolsInjection64.so") }
	said(t, s.run("true"), Refused, "of Nsight Systems", "env -u CUDA_INJECTION64_PATH gpuci gate g")
	s.opt = func(o *Options) {
		o.Env = append(o.Env, "CUDA_INJECTION64_PATH=/x/libgpuci-trace.so", "NVTX_INJECTION64_PATH=/x/libgpuci-trace.so")
	}
	said(t, s.run("true"), Refused, "of a gpuci trace around this one", "env -u CUDA_INJECTION64_PATH -u NVTX_INJECTION64_PATH gpuci gate g")
	if isThere(filepath.Join(s.root, "built")) {
		t.Error("it was built")
	}
}

// Each run of a repeated gate has a recording of its own, and is judged by it.
func TestTracedRepeated(t *testing.T) {
	s := newTracedStage(t, "repeat = 2\nidentical = true\n"+byLines)
	few, many := s.steps(2, 2, 2), s.steps(2, 3, 3)
	v := s.run("if [ -e once ]; then " + few + "; else touch once; " + few + "; fi")
	said(t, v, Green)
	if !isThere(filepath.Join(v.Dir, "trace-2", "run.json")) || v.Trace.Dir != filepath.Join(v.Dir, "trace-2") {
		t.Errorf("%+v", v.Trace)
	}
	said(t, s.run("if [ -e twice ]; then rm twice; "+many+"; else touch twice; "+few+"; fi"), Red, "launches") // each run unlike the one before
}

// The newest recordings stay, and all outcomes.
func TestTracedPruned(t *testing.T) {
	s := newTracedStage(t, strings.NewReplacer(`step = 'step (\d+)'`, "", "warm = 1", "").Replace(byLines))
	var runs []string
	for i := range keptTraces + 2 {
		run := filepath.Join(s.state, "runs", fmt.Sprintf("20200101T0000%02dZ-00000000", i))
		if err := os.MkdirAll(filepath.Join(run, "trace"), 0o755); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	said(t, s.run(s.play("init", "launch k 1 1")), Green)
	for i, run := range runs {
		if kept := i > 2; isThere(filepath.Join(run, "trace")) != kept || !isThere(run) {
			t.Errorf("recording %d: kept %t, want %t", i, !kept, kept)
		}
	}
}
