package gates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/buildlock/shim"
	"gpuci/gates/config"
	"gpuci/gates/reader"
	"gpuci/kernels/trace"
)

// Trace is what the atlas counted of a run, as the verdict has it.
type Trace struct {
	Dir       string          `json:"dir"`             // of the recording
	Processes int             `json:"processes"`       // that used CUDA
	Stages    []trace.Stepped `json:"stages"`          // by name
	CUPTI     int             `json:"cupti,omitempty"` // its version, 130001 for 13.0.1
	Text      string          `json:"text"`            // the same in words
}

// tracing is a run that is counted by the atlas.
type tracing struct {
	library string
	pattern *trace.Pattern // of a step; nil for none
	runs    int            // recordings that were begun

	meta  trace.Meta // of the one that is being made
	dir   string
	steps *trace.StepLog
	astray

	measured  trace.Measurement
	index     map[config.Atlas]int // of its figures
	uncounted string               // why nothing of it stands
	untold    []string             // why a relation has no counters
	left      []leftOut
}

// readyToTrace gets what a traced run is to load, before anything is built: a machine that
// has it not is refused. It is true for a gate that is not traced.
func (f *flow) readyToTrace(ctx context.Context) bool {
	if f.gate.Trace == nil {
		return true
	}
	f.traced = &tracing{}
	err := f.readyTrace(ctx)
	other := (*trace.OtherInjection)(nil)
	switch {
	case err == nil:
		return true
	case ctx.Err() != nil:
	case errors.As(err, &other):
		f.refuse("nothing of it can be counted: "+err.Error(), "run it without that tool: env"+unset(f.env())+" gpuci gate "+f.gate.Name)
	default:
		f.refuse("nothing of it can be counted: "+err.Error(), "install a C compiler (apt-get install gcc), or lay "+trace.LibraryName+" beside gpuci (make trace); gpuci doctor says what is there")
	}
	return false
}

// unset are the options of env that take another tool's library away.
func unset(env []string) (text string) {
	for _, name := range []string{"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"} {
		if v, _ := shim.Lookup(env, name); v != "" {
			text += " -u " + name
		}
	}
	return text
}

func (f *flow) readyTrace(ctx context.Context) (err error) {
	if _, err := trace.Attach(trace.Attachment{}, f.env()); err != nil {
		return err
	}
	if f.opt.TraceLibrary == nil {
		return errors.New("there is no library for it")
	}
	if f.traced.library, err = f.opt.TraceLibrary(ctx); err != nil {
		return err
	}
	if f.gate.Trace.Step != "" {
		f.traced.pattern, err = trace.ParsePattern(f.gate.Trace.Step)
	}
	return err
}

// traceDir is the directory of the how manieth recording of a run.
func traceDir(run string, i int) string {
	if i > 1 {
		return filepath.Join(run, fmt.Sprintf("trace-%d", i))
	}
	return filepath.Join(run, "trace")
}

// beginTrace begins a recording, of the commands of one run.
func (f *flow) beginTrace(out *output) bool {
	t := f.traced
	if t == nil {
		return true
	}
	t.runs++
	t.dir, t.measured, t.index, t.uncounted, t.astray, t.left = traceDir(f.rec.dir, t.runs), trace.Measurement{}, nil, "", astray{}, nil
	t.meta = trace.Meta{
		Command: argvOf(f.gate.Run[0]), Cwd: filepath.Join(f.opt.Root, f.gate.Dir), Lane: f.opt.Lane.Name, Commit: f.v.Bound.Commit, Began: time.Now(),
		Pattern: f.gate.Trace.Step, Warm: f.gate.Trace.Warm, Range: f.gate.Trace.Range, Version: f.opt.Version, Host: f.v.Bound.Host,
	}
	err := os.Mkdir(t.dir, 0o755)
	if err == nil {
		err = cmp.Or(trace.Ready(t.dir), t.meta.Write(t.dir))
	}
	if err == nil && t.pattern != nil {
		t.steps, err = trace.NewStepLog(t.dir)
	}
	if err != nil {
		f.refuse("what it asks of CUDA cannot be recorded: "+err.Error(), "free space for "+f.rec.dir)
		return false
	}
	if t.pattern != nil {
		for i := range out.steps {
			out.steps[i] = &trace.Cutter{Take: t.line}
		}
	}
	return true
}

// line notes a line that ends a step. Both streams come by here.
func (t *tracing) line(line []byte, came trace.Came) {
	if n, ok := t.pattern.Step(reader.Plain(line)); ok {
		t.steps.Add(came.Line(n))
	}
}

// Unbuffered is the variable that has Python print each line when it is whole, into a pipe
// as well.
const Unbuffered = "PYTHONUNBUFFERED"

// Unbuffer sets it, where it is not set; env itself stays as it is.
func Unbuffer(env []string) (out []string, fresh bool) {
	if _, set := shim.Lookup(env, Unbuffered); set {
		return env, false
	}
	return shim.With(env, Unbuffered, "1"), true
}

// tracedEnv is the environment in which a command of the run is counted.
func (f *flow) tracedEnv(argv, env []string, dir string) ([]string, error) {
	t := f.traced
	if t == nil {
		return env, nil
	}
	a := trace.Attachment{Dir: t.dir, Library: t.library, Timed: f.gate.Trace.Timeline}
	a.CUPTI, _ = trace.FindCUPTI(env, PythonOf(argv, dir, env)) // the program may have one of its own
	if t.pattern != nil {
		env, _ = Unbuffer(env)
	}
	return trace.Attach(a, env)
}

// endTrace writes down how the run ended that was recorded.
func (f *flow) endTrace(last ended) {
	t := f.traced
	if t == nil {
		return
	}
	t.meta.Ended, t.meta.Code, t.meta.Signal = time.Now(), last.Exit, last.Signal
	var err error
	if t.steps != nil {
		t.meta.Lines, err = t.steps.Close()
		t.steps = nil
	}
	if err = cmp.Or(err, t.meta.Write(t.dir)); err != nil {
		t.uncounted = err.Error()
	}
}
