package gates

import (
	"context"
	"path/filepath"
	"slices"

	"gpuci/kernels"
)

// builtOnly is the trial that a verdict of BuildOnly is: no outcome of the gate.
const builtOnly = "built for a bundle, and not run"

// BuildOnly takes a gate as far as its build, in the steps of Run, and does not run it. Its
// products are judged as those of a run are: one of another lane, or older than its
// source, is Broken. Green says that all is there; the verdict is recorded as a trial.
func BuildOnly(ctx context.Context, opt Options) (Verdict, Carried) {
	opt.Trial = builtOnly
	f := newFlow(opt)
	if !f.enter(ctx) {
		return *f.v, Carried{}
	}
	f.opt.Trial = "" // its products are the gate's own, and so is what falsified it
	f.through(ctx, []step{
		{"sweep", (*flow).doSweep},
		{"pressure", (*flow).doPressure},
		{"queue", (*flow).doQueue},
		{"kernels", (*flow).doKernels},
		{"build", (*flow).doBuild},
		{"products", (*flow).doProducts},
	})
	c := f.decideBuilt(ctx)
	f.opt.Trial = builtOnly
	f.end()
	return *f.v, c
}

// doProducts looks at what the build made.
func (f *flow) doProducts(ctx context.Context) StepState {
	f.products(ctx, nil, false)
	return StepDone
}

// decideBuilt closes the verdict of a build.
func (f *flow) decideBuilt(ctx context.Context) Carried {
	v := f.v
	f.endings()
	f.linksOf()
	v.Outcome = f.outcome()
	if ctx.Err() != nil {
		f.stopped(ctx)
	}
	c := f.carried()
	f.falsified(context.WithoutCancel(ctx))
	if c.Falsified = v.Falsified; v.Exit == 0 {
		v.Exit = v.Outcome.ExitCode()
	}
	if v.Outcome != Green && v.Log != "" {
		f.next("read " + v.Log)
	}
	return c
}

// carried is what of the build is needed elsewhere. It has nothing in it of when and
// where that was: the same files make the same archive.
func (f *flow) carried() Carried {
	c := Carried{Marks: slices.Clone(f.v.Marks)}
	for _, t := range f.v.Bound.Tools {
		c.Tools = append(c.Tools, Tool{Name: t.Name, Version: t.Version})
	}
	for _, k := range f.v.Kernels {
		k.Units, k.Compiler, k.Seconds, k.Compiled, k.Cached, k.Current = nil, "", 0, 0, 0, 0
		c.Kernels = append(c.Kernels, k)
	}
	for _, p := range f.kernelProducts() {
		if rel, err := filepath.Rel(f.opt.Root, p); err == nil && filepath.IsLocal(rel) {
			c.KernelFiles = append(c.KernelFiles, filepath.ToSlash(rel))
		}
	}
	for _, s := range f.kernels {
		for _, m := range kernels.Single(s.report.Modules) {
			for i := range m.Kernels {
				c.Samples = append(c.Samples, kernelSamples(m.Module, &m.Kernels[i])...)
			}
		}
	}
	return c
}
