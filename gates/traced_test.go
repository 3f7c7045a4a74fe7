package gates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gpuci/gates/config"
	"gpuci/kernels/trace"
	"gpuci/kernels/trace/tracetest"
)

// injected is the library that traced runs load, compiled once in these tests.
var injected = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "gpuci-traced-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := trace.Library(context.Background(), trace.LibraryOptions{Dir: dir})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// tracedStage is a machine with a CUDA that is not there, and gates that are counted on it.
// It shows nothing of NVIDIA's.
type tracedStage struct {
	t     *testing.T
	box   *tracetest.Box
	root  string
	state string
	toml  string // of the gate, without its name and run
	opt   func(*Options)

	library string
}

func newTracedStage(t *testing.T, toml string) *tracedStage {
	s := &tracedStage{t: t, box: tracetest.Start(t, tracetest.Options{}), root: t.TempDir(), state: t.TempDir(), toml: toml}
	data, err := injected()
	if err != nil {
		t.Fatal(err)
	}
	s.library = filepath.Join(t.TempDir(), trace.LibraryName)
	if err := os.WriteFile(s.library, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// said checks an outcome of which nothing is owed, and texts in what the verdict says.
func said(t *testing.T, v Verdict, o Outcome, texts ...string) {
	t.Helper()
	wants(t, v, o, "", texts...)
}

// gate reads the gate as a user writes it, with a command of a shell.
func (s *tracedStage) gate(run string) config.Gate {
	s.t.Helper()
	path := filepath.Join(s.root, config.FileName)
	text := fmt.Sprintf("[[gate]]\nname = \"g\"\nreader = \"none\"\ngrace = \"1s\"\nrun = '''%s'''\n%s", run, s.toml)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	c, err := config.Load(config.Sources{Workspace: path, Machine: filepath.Join(s.root, "none"), Personal: filepath.Join(s.root, "none")})
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Gates[0]
}

// run runs commands of a shell in which play SCRIPT plays lines of the stand-in's.
func (s *tracedStage) run(text string, args ...string) Verdict {
	s.t.Helper()
	opt := Options{
		Gate: s.gate(text), Root: s.root, State: s.state, Version: "test", Args: args, Env: s.box.Env(),
		TraceLibrary: func(context.Context) (string, error) { return s.library, nil },
	}
	if s.opt != nil {
		s.opt(&opt)
	}
	return Run(s.t.Context(), opt)
}

// play is a command that plays lines.
func (s *tracedStage) play(lines ...string) string {
	s.t.Helper()
	return s.box.Program() + " " + s.box.Script(lines...)
}

// steps is a command that launches so many kernels in each of its steps, and goes on from
// one to the next when the line that ends it has been noted: on a busy machine a pause
// would not do.
func (s *tracedStage) steps(launches ...int) string {
	s.t.Helper()
	var each [][]string
	for _, n := range launches {
		each = append(each, slices.Repeat([]string{"launch kda_fast_forward 1 32"}, n))
	}
	return s.stepsOf(each...)
}

func (s *tracedStage) stepsOf(each ...[]string) string {
	s.t.Helper()
	lines := []string{"init"}
	for i, step := range each {
		lines = append(append(lines, step...), "sync", fmt.Sprintf("say step %d own=%d", i, len(step)), "await")
	}
	const noted = `for i in $(seq 0 %d); do for n in $(seq 2000); do if grep -qs "\"step\":$i[,}]" $GPUCI_TRACE_DIR/steps.jsonl; then break; fi; sleep 0.02; done; echo; done | %s`
	return fmt.Sprintf(noted, len(each)-1, s.play(append(lines, "launch after 1 1")...))
}

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
	said(t, s.run(graphs+"; echo own=0"), Broken, "of the kernels in a graph it is known how many there are, and not which")
}

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
	said(t, s.run(s.play("init", "launch k 1 1")), Broken, `launches: find the stage "fwd": there is none; there are "(outside)"`, "gpuci trace report ")
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

// Each run of a repeated gate has a recording of its own, and is judged by it.
func TestTracedRepeated(t *testing.T) {
	s := newTracedStage(t, "repeat = 2\nidentical = true\n"+byLines)
	few, many := s.steps(2, 2, 2), s.steps(2, 3, 3)
	v := s.run("if [ -e once ]; then " + few + "; else touch once; " + few + "; fi")
	said(t, v, Green)
	if !isThere(filepath.Join(v.Dir, "trace-2", "run.json")) || v.Trace.Dir != filepath.Join(v.Dir, "trace-2") {
		t.Errorf("%+v", v.Trace)
	}
	said(t, s.run("if [ -e twice ]; then "+many+"; else touch twice; "+few+"; fi"), Red, "launches")
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

// The newest recordings stay, and all outcomes.
func TestTracedPruned(t *testing.T) {
	s := newTracedStage(t, byLines)
	var runs []string
	for i := range keptTraces + 2 {
		run := filepath.Join(s.state, "runs", fmt.Sprintf("20200101T0000%02dZ-00000000", i))
		if err := os.MkdirAll(filepath.Join(run, "trace"), 0o755); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	said(t, s.run(s.steps(1, 1, 1)), Green)
	for i, run := range runs {
		if kept := i > 2; isThere(filepath.Join(run, "trace")) != kept || !isThere(run) {
			t.Errorf("recording %d: kept %t, want %t", i, !kept, kept)
		}
	}
}
