package gates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels"
	"gpuci/kernels/build"
	"gpuci/kernels/check"
)

// KernelSum is what the verdict says of a set of kernels.
type KernelSum struct {
	Set      string          `json:"set"`
	Compiler string          `json:"compiler,omitempty"` // "" where nothing is compiled
	Version  string          `json:"version,omitempty"`
	Compiled int             `json:"compiled"`
	Cached   int             `json:"cached"`
	Current  int             `json:"current"`
	Failed   int             `json:"failed,omitempty"`
	Units    []KernelUnit    `json:"units,omitempty"`
	Modules  int             `json:"modules"` // that were looked into
	Kernels  int             `json:"kernels"` // in them
	Findings []check.Finding `json:"findings,omitempty"`
	Notes    []check.Finding `json:"notes,omitempty"`
	Accepted []check.Finding `json:"accepted,omitempty"` // findings and notes that gpuci.toml says may stand, with why
	Seconds  float64         `json:"seconds"`
}

// KernelUnit is one output, and what became of it.
type KernelUnit struct {
	Source  string        `json:"source"`
	Arch    string        `json:"arch"`
	Kind    build.Kind    `json:"kind"`
	Output  string        `json:"output"`
	Outcome build.Outcome `json:"outcome"`
	Why     string        `json:"why,omitempty"` // of what was compiled: what changed
	Seconds float64       `json:"seconds,omitempty"`
	Error   string        `json:"error,omitempty"` // of what failed: the compiler's own text
}

// kernelUnits are the units of a build as they are told.
func kernelUnits(list []build.Unit) (out []KernelUnit) {
	for _, u := range list {
		k := KernelUnit{Source: u.Source, Arch: u.Arch, Kind: u.Kind, Output: u.Output, Outcome: u.Outcome, Why: u.Why, Seconds: u.Took.Seconds()}
		if u.Err != nil {
			k.Error = u.Err.Error()
		}
		out = append(out, k)
	}
	return out
}

// Text says in a line how a set was built.
func (k KernelSum) Text() string {
	text := k.Set + ": "
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{k.Failed, "failed"}, {k.Compiled, "compiled"}, {k.Cached, "cached"}, {k.Current, "current"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing to compile")
	}
	text += strings.Join(parts, ", ")
	return text + fmt.Sprintf("; %s in %s", plural(k.Kernels, "kernel"), plural(k.Modules, "module"))
}

// setBuild is a set of a gate on its way.
type setBuild struct {
	set    kernels.Set
	built  kernels.Built
	report kernels.Report
	sum    KernelSum
}

// doKernels compiles the sets that the gate names, and holds them against what they
// must be, before anything launches a kernel: a launch with the wrong arguments can
// take the card with it.
func (f *flow) doKernels(ctx context.Context) StepState {
	if len(f.gate.Kernels) == 0 {
		return f.bundled(len(f.opt.Gate.Kernels))
	}
	if !f.takeBuildLock(ctx) {
		return StepFailed
	}
	state := f.buildKernels(ctx)
	if state == StepFailed || len(f.gate.Build) == 0 {
		f.endQueue()
	}
	return state
}

func (f *flow) buildKernels(ctx context.Context) StepState {
	log := f.openLog("kernels.log")
	if log == nil {
		return StepFailed
	}
	defer log.Close()
	limited, cancel := f.limited(ctx, f.gate.BuildTimeout)
	defer cancel()
	began, waited := time.Now(), f.queuedFor()
	run := &Compilers{Name: f.v.Run, Env: func(argv, env []string, _ string) []string { return f.queued(argv, env) }, Links: f.links, Hurry: f.opt.Hurry}
	stop := run.Watch(ctx)
	state := StepDone
	for _, name := range f.gate.Kernels {
		if !f.buildSet(limited, name, run, log) {
			state = StepFailed
		}
		if limited.Err() != nil {
			break
		}
	}
	stop()
	if left := run.Left(); len(left) > 0 {
		f.mark("could not be ended, of the compilers: " + strings.Join(left, ", "))
	}
	f.kernelTime = time.Since(began) - (f.queuedFor() - waited)
	if limited.Err() != nil && over(limited) == byTimeLimit {
		f.find(OutOfTime, fmt.Sprintf("the kernels were not compiled within the time limit of %s", buildlock.Round(f.gate.BuildTimeout)))
		f.next("raise build-timeout if it only needs longer")
		state = StepFailed
	}
	if state == StepFailed {
		f.v.Log = log.Name()
	}
	return state
}

// queuedFor is how long the links have waited for others', which is in no limit.
func (f *flow) queuedFor() time.Duration {
	if f.links == nil {
		return 0
	}
	return f.links.Queued(time.Now())
}

// buildSet compiles and checks one set, and says whether all of it holds.
func (f *flow) buildSet(ctx context.Context, name string, run *Compilers, log io.Writer) bool {
	at := slices.IndexFunc(f.opt.Kernels, func(s kernels.Set) bool { return s.Name() == name })
	if at < 0 {
		f.find(Broken, "kernels "+name+": nobody said what that set is")
		return false
	}
	s := &setBuild{set: f.opt.Kernels[at]}
	s.set.Build.Root = f.opt.Root // that of a scratch lane, where the run is in one
	began := time.Now()
	o := kernels.Options{Ask: run.Ask, Options: build.Options{
		Exec: run.Exec, Tracked: run.Tracked, Env: f.env(), Admit: f.admission().Admit, Cache: KernelCache(),
		Progress: &kernelProgress{set: name, log: log, note: f.opt.note},
	}}
	var err error
	s.built, err = kernels.Build(ctx, s.set, o)
	s.sum = KernelSumOf(s.set, s.built)
	ok := f.compiled(ctx, s, err)
	if ok {
		s.report, err = kernels.Check(ctx, s.set, s.built)
		ok = err == nil && f.checked(s)
	}
	s.sum.Seconds = time.Since(began).Seconds()
	f.kernels = append(f.kernels, s)
	if !errors.As(err, new(*kernels.NoCompilerError)) { // of what nobody compiled there is no sum
		f.v.Kernels = append(f.v.Kernels, s.sum)
	}
	return ok
}

// KernelSumOf counts what came of a build.
func KernelSumOf(s kernels.Set, b kernels.Built) KernelSum {
	k := KernelSum{
		Set: s.Name(), Compiler: b.Compiler.Path, Version: b.Compiler.Version, Units: kernelUnits(b.Units),
		Compiled: b.Count(build.Compiled), Cached: b.Count(build.Cached), Current: b.Count(build.Current), Failed: b.Count(build.Failed),
	}
	k.count(b.Modules)
	return k
}

// count counts the kernels of modules.
func (k *KernelSum) count(modules []kernels.Module) {
	k.Modules, k.Kernels = len(modules), 0
	for _, m := range modules {
		k.Kernels += len(m.Kernels)
	}
}
