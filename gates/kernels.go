package gates

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		return StepNone
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
	if f.opt.Workspace == nil {
		f.find(Broken, "kernels "+name+": nobody said what that set is")
		return false
	}
	k, ok := f.opt.Workspace.KernelSet(name)
	if !ok {
		f.find(Broken, "kernels "+name+": there is no such set any more")
		return false
	}
	s := &setBuild{set: KernelSet(f.opt.Workspace, k, f.opt.Root)}
	began := time.Now()
	o := kernels.Options{Options: build.Options{
		Exec: run.Exec, Env: f.env(), Admit: f.admission().Admit, Cache: KernelCache(),
		Progress: &kernelProgress{set: name, log: log, note: f.opt.note},
	}}
	var err error
	s.built, err = kernels.Build(ctx, s.set, o)
	s.sum = KernelSumOf(s.set, s.built)
	ok = f.compiled(ctx, s, err)
	if ok {
		s.report, err = kernels.Check(ctx, s.set, s.built)
		ok = err == nil && f.checked(s)
	}
	s.sum.Seconds = time.Since(began).Seconds()
	f.kernels = append(f.kernels, s)
	f.v.Kernels = append(f.v.Kernels, s.sum)
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

// compiled turns what came of a build into findings.
func (f *flow) compiled(ctx context.Context, s *setBuild, err error) bool {
	for _, note := range s.built.Notes {
		f.opt.note("kernels %s: %s", s.set.Name(), note)
	}
	var none *kernels.NoCompilerError
	var failed *build.Failure
	switch {
	case err == nil:
		return true
	case ctx.Err() != nil:
	case errors.As(err, &none):
		for _, r := range none.Rejected {
			f.opt.note("kernels %s: not %s: %s", s.set.Name(), r.Path, r.Why)
		}
		f.refuse(fmt.Sprintf("kernels %s: %v", s.set.Name(), none.Err), "gpuci doctor says which compilers are here")
	case errors.As(err, &failed) && errors.Is(err, errRefusedPressure):
		f.refuse(fmt.Sprintf("kernels %s: %v", s.set.Name(), errRefusedPressure), `boot with psi=1, or let gates go on with a mark: unknown = "mark" in [pressure]`)
	case errors.As(err, &failed):
		first := failed.Units[0]
		text := fmt.Sprintf("kernels %s: %s: %s", s.set.Name(), first, firstLines(first.Err))
		if more := len(failed.Units) - 1; more > 0 {
			text += fmt.Sprintf("; and %s more", plural(more, "unit"))
		}
		f.find(BuildFailed, text)
	default:
		f.find(BuildFailed, "kernels "+strings.TrimPrefix(err.Error(), "build the set "))
		f.next("gpuci kernels build " + s.set.Name() + " says the same, and gpuci config what the set is")
	}
	return false
}

// firstLines is what of a compiler's error fits into a line: its first complaint.
func firstLines(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	for _, line := range lines {
		if strings.Contains(line, "error") || strings.Contains(line, "fatal") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// kernelProgress writes a build's progress to the log, and what is compiled to the
// person who watches.
type kernelProgress struct {
	set         string
	log         io.Writer
	note        func(string, ...any)
	units, done int
}

func (p *kernelProgress) Start(units int) { p.units = units }

func (p *kernelProgress) Waiting(u build.Unit) {
	p.note("kernels %s: somebody else compiles %s: waiting for that", p.set, u)
}

func (p *kernelProgress) Compiling(u build.Unit) {
	_, _ = fmt.Fprintf(p.log, "compiling %s: %s\n", u, u.Why)
	p.note("kernels %s: %d of %d, compiling %s", p.set, p.done+1, p.units, u)
}

func (p *kernelProgress) Done(u build.Unit) {
	p.done++
	_, _ = fmt.Fprintf(p.log, "%s %s -> %s\n", u.Outcome, u, u.Output)
	if u.Err != nil {
		_, _ = fmt.Fprintf(p.log, "%v\n", u.Err)
	} else if u.Outcome == build.Compiled && u.Log != "" {
		_, _ = io.WriteString(p.log, u.Log)
	}
}

func (p *kernelProgress) Finish(build.Result) {}
