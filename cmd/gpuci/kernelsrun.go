package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels"
	"gpuci/kernels/build"
	"gpuci/kernels/nvcc"
	"gpuci/pressure"
	"gpuci/worktrees"
)

// compiling is a run of compilers under our supervision, whose links queue.
type compiling struct {
	app     *app
	options kernels.Options
	run     *gates.Compilers
	ends    []func()
}

// compiling gets everything ready for compilers. It is to be ended.
func (a *app) compiling(ctx context.Context, cfg *config.Config, lane worktrees.Lane, f kernelFlags) (*compiling, error) {
	jobs, err := f.parallel()
	if err != nil {
		return nil, err
	}
	if f.nvcc != "" && !filepath.IsAbs(f.nvcc) { // it is run elsewhere
		dir, err := a.standing()
		if err != nil {
			return nil, err
		}
		f.nvcc = filepath.Join(dir, f.nvcc)
	}
	p := place{dir: cfg.Root, lane: lane, config: cfg}
	a.locks = p.lockDir()
	base := ownEnv()
	d, err := p.shims(base)
	if err != nil {
		return nil, err
	}
	rule, err := p.rule(base, f.noPressure)
	if err != nil {
		return nil, err
	}
	v := p.values(base)
	v.LockDir, v.Command, v.Build, v.Rule = p.lockDir(), "gpuci kernels", gates.NewID(time.Now()), rule.String()
	v.Lane, v.Root, v.Budget = lane.Name, lane.Root, v.Build
	log, err := linkLog()
	if err != nil {
		return nil, err
	}
	v.Log = log
	c := &compiling{app: a, ends: []func(){func() { _ = os.Remove(log) }}}
	ticket, err := a.serialize(ctx, p, []string{"gpuci", "kernels"})
	if err != nil {
		c.end()
		return nil, err
	}
	if ticket != nil {
		c.ends = append(c.ends, func() {
			if err := ticket.Release(); err != nil {
				a.console.note(err.Error())
			}
		})
	}
	environ := func(argv, env []string, dir string) []string {
		env = d.CommandEnv(argv, env, dir, v)
		if ticket != nil {
			env = shim.With(env, shim.TicketsVar, ticket.Mark(os.Getenv(shim.TicketsVar)))
		}
		return env
	}
	watch := a.linkWatch(v, environ([]string{"nvcc"}, base, cfg.Root), d)
	c.run = &gates.Compilers{Name: v.Build, Env: environ, Links: watch, Hurry: a.hurry}
	stop := c.run.Watch(ctx)
	c.ends = append(c.ends, func() { stop(); c.tell(watch) })
	c.options = kernels.Options{Ask: c.run.Ask, NVCC: f.nvcc, NVCCWhy: "named by --nvcc", Options: build.Options{
		Exec: c.run.Exec, Tracked: c.run.Tracked, Env: base, Jobs: jobs, Admit: a.kernelAdmission(v, rule, base, c).Admit, Cache: gates.KernelCache(),
	}}
	if f.noCache {
		c.options.Cache = ""
	}
	return c, nil
}

// kernelAdmission lets compilers in out of the budget of one build.
func (a *app) kernelAdmission(v shim.Values, rule pressure.Rule, base []string, c *compiling) *gates.Admission {
	id, outer := shim.Lookup(base, shim.BudgetVar)
	if !outer || id == "" {
		id = v.Build
		c.ends = append(c.ends, buildlock.BudgetOf(v.LockDir, id).Drop)
	}
	b := buildlock.BudgetOf(v.LockDir, id)
	return &gates.Admission{
		Rule: rule, Spent: b.Spent, Spend: func(d time.Duration) { _ = b.Spend(d) }, Mark: a.console.note,
		Held: func(h pressure.Hold) { a.console.note("the compilers are " + h.String()) },
	}
}

// end gives everything back, the last that was taken first.
func (c *compiling) end() {
	for i := len(c.ends) - 1; i >= 0; i-- {
		c.ends[i]()
	}
	c.ends = nil
}

// tell says what the links were like, if there were any, and what would not end.
func (c *compiling) tell(w *links.Watch) {
	events, err := w.Events()
	if err != nil {
		c.app.console.note(err.Error())
	}
	links.PassOn(events, os.Getenv(shim.LogVar))
	s := w.Sum(events)
	for _, e := range s.Refused {
		c.app.console.note(fmt.Sprintf("%s (pid %d) was not run: %s", e.Tool, e.PID, e.Error))
	}
	if s.Ticketed > 0 || len(s.Past) > 0 {
		c.app.console.note(s.String())
	}
	if left := c.run.Left(); len(left) > 0 {
		c.app.console.note("could not be ended: " + strings.Join(left, ", "))
	}
}

// sound says what is wrong with a set before anything of it is compiled.
func sound(s kernels.Set) error {
	if err := s.Sound(); err != nil {
		return coded{gates.ExitConfig, err.Error(), "gpuci config says what the set is"}
	}
	return nil
}

// build compiles a set, and says on stderr how that goes.
func (c *compiling) build(ctx context.Context, s kernels.Set, explain bool) (kernels.Built, error) {
	if err := sound(s); err != nil {
		return kernels.Built{}, err
	}
	o := c.options
	o.Progress = &kernelConsole{set: s.Name(), say: c.app.console.note, explain: explain}
	b, err := kernels.Build(ctx, s, o)
	for _, note := range b.Notes {
		c.app.console.note(s.Name() + ": " + note)
	}
	return b, err
}

// kernelError gives the errors of a build their exit codes. It is nil where units did
// not compile: what they are is said elsewhere.
func (a *app) kernelError(ctx context.Context, err error) error {
	var none *kernels.NoCompilerError
	var failed *build.Failure
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return coded{code: exitCode(context.Cause(ctx), true)}
	case errors.As(err, &none):
		for _, r := range none.Rejected {
			a.console.note(fmt.Sprintf("not %s: %s", r.Path, r.Why))
		}
		return coded{exitUnfit, none.Error(), "gpuci doctor says which compilers are here"}
	case errors.Is(err, nvcc.ErrNone):
		return coded{exitUnfit, err.Error(), "gpuci doctor says which compilers are here"}
	case errors.Is(err, pressure.ErrRefused):
		return coded{gates.Refused.ExitCode(), pressure.ErrRefused.Error(), `boot with psi=1, or unknown = "mark" in [pressure]`}
	case errors.Is(err, build.ErrOption):
		return coded{gates.ExitConfig, err.Error(), ""}
	case errors.As(err, &failed):
		return nil
	}
	return err
}

// kernelConsole says how a build goes: a line for each change.
type kernelConsole struct {
	set         string
	say         func(string)
	explain     bool
	units, done int
}

func (k *kernelConsole) Start(units int) { k.units = units }

func (k *kernelConsole) Waiting(u build.Unit) {
	k.say(fmt.Sprintf("%s: somebody else compiles %s: waiting for that", k.set, u))
}

func (k *kernelConsole) Compiling(u build.Unit) {
	text := fmt.Sprintf("%s: %d of %d done, compiling %s", k.set, k.done, k.units, u)
	if k.explain && u.Why != "" {
		text += ": " + u.Why
	}
	k.say(text)
}

func (k *kernelConsole) Done(build.Unit)     { k.done++ }
func (k *kernelConsole) Finish(build.Result) {}
