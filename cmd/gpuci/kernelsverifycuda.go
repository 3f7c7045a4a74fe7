package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/kernels"
	"gpuci/kernels/build"
	oncard "gpuci/kernels/cuda"
	"gpuci/kernels/verify"
)

// cardJobs is how many cases run on a card at once: each is a process with a context of
// its own, of some hundred MiB.
const cardJobs = 4

// cudaBackend gets a card ready: gpuci-cuda, and the cubins of a directory, or else what
// nvcc makes of the sources for just this card.
func (a *app) cudaBackend(ctx context.Context, p place, f verifyFlags, o verify.Options) (*verify.CUDA, error) {
	if f.buildOnly {
		return nil, coded{gates.ExitUsage, "--build has nothing to do for the backend cuda", "gpuci kernels build card compiles the cubins, and --cubins takes them"}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &verify.CUDA{Sources: f.sources, Shown: shownFrom(p.config.Root, f.sources), Options: oncard.Options{Env: ownEnv()}}
	if c.Options.Program, err = oncard.Find(f.program, self); err != nil {
		return nil, err
	}
	if f.cubins == "" {
		if f.cubins, err = a.cubinsFor(ctx, p, f, o, c.Options); err != nil {
			return nil, err
		}
	} else if !filepath.IsAbs(f.cubins) {
		f.cubins = filepath.Join(p.dir, f.cubins)
	}
	if c.Cubins, err = oncard.Read(f.cubins); err != nil {
		return nil, coded{gates.ExitUsage, err.Error(), "gpuci kernels build card, and --cubins target/kernels/card"}
	}
	return c, nil
}

// cubinsFor compiles the sources of the checks for the card that is here, and gives the
// directory.
func (a *app) cubinsFor(ctx context.Context, p place, f verifyFlags, o verify.Options, ask oncard.Options) (string, error) {
	device, err := oncard.Ask(ctx, ask)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return "", &verify.DirError{Dir: f.out, Err: err}
	}
	canary := filepath.Join(f.out, verify.CanaryFile)
	if err := os.WriteFile(canary, verify.CanarySource, 0o666); err != nil {
		return "", &verify.DirError{Dir: f.out, Err: err}
	}
	s := kernels.Set{Build: build.Set{
		Name: "verify", Root: p.config.Root, Architectures: []string{device.Arch}, Flags: []string{"-lineinfo"},
		Output: filepath.Join(f.out, "cubins"), Pattern: "{stem}.{arch}.{ext}",
	}}
	for _, name := range cudaSources(o.Checks) {
		path := filepath.Join(f.sources, name)
		if name == verify.CanaryFile {
			path = canary
		}
		s.Build.Sources = append(s.Build.Sources, path)
	}
	c, err := a.compiling(ctx, p.config, p.lane, kernelFlags{})
	if err != nil {
		return "", err
	}
	defer c.end()
	_, err = c.build(ctx, s, false)
	if fatal := a.kernelError(ctx, err); fatal != nil {
		return "", fatal
	}
	if code := a.notCompiled(err, false); code != 0 {
		return "", coded{code: code}
	}
	return s.Build.Output, nil
}

// cudaSources are the sources of what checks run on a card, each once.
func cudaSources(checks []verify.Check) (names []string) {
	for _, c := range checks {
		for _, p := range c.Programs {
			for _, name := range p.Sources {
				if p.Look != verify.Accesses && p.Look != verify.Bounds && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// tools reads --sanitizer: tools of compute-sanitizer, or all of them.
func (f verifyFlags) tools() (list []oncard.Tool, err error) {
	for _, name := range f.sanitizer {
		switch {
		case name == "all":
			list = append(list, oncard.Tools()...)
		case slices.Contains(oncard.Tools(), oncard.Tool(name)):
			list = append(list, oncard.Tool(name))
		default:
			return nil, coded{gates.ExitUsage, fmt.Sprintf("compute-sanitizer has no tool %q that is known here", name), "memcheck, racecheck, initcheck, synccheck or all"}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// suited leaves the checks that run on the backend. One that was named and does not is
// an error: silence would be taken for a pass.
func (f verifyFlags) suited(o *verify.Options) error {
	backend := f.backend
	if backend == backendAuto {
		backend = backendHost
	}
	if len(f.sanitizer) > 0 {
		if backend != backendCUDA {
			return coded{gates.ExitUsage, "--sanitizer watches a card, and the backend is " + backend, "add --backend cuda"}
		}
		sanitize, err := verify.Named([]string{"fused-sanitize"})
		if err != nil {
			return err
		}
		if len(f.checks) == 0 {
			o.Checks = sanitize
		} else if !slices.ContainsFunc(o.Checks, func(c verify.Check) bool { return c.Name == sanitize[0].Name }) {
			return coded{gates.ExitUsage, "--sanitizer is of fused-sanitize, which --check leaves out", "leave out --check, or add fused-sanitize to it"}
		}
	}
	for _, c := range o.Checks {
		if c.Only != "" && c.Only != backend && slices.Contains(f.checks, c.Name) {
			return &verify.ElsewhereError{Check: c.Name, Only: c.Only, Backend: backend}
		}
	}
	o.Checks = slices.DeleteFunc(o.Checks, func(c verify.Check) bool { return c.Only != "" && c.Only != backend })
	if len(o.Checks) == 0 {
		return coded{gates.ExitNothing, fmt.Sprintf("no check of %s runs on the backend %s", strings.Join(f.checks, ", "), backend), "gpuci kernels verify kda --list shows which checks there are"}
	}
	return nil
}

// cudaError gives the errors of a card their exit codes; nil for others.
func cudaError(err error) error {
	var report *oncard.ReportError
	var elsewhere *verify.ElsewhereError
	var refused *oncard.Error
	switch {
	case errors.Is(err, oncard.ErrNoCard):
		return coded{exitUnfit, err.Error(), "--backend host runs the same sources without a GPU"}
	case errors.Is(err, oncard.ErrNoProgram) && strings.Contains(err.Error(), "sanitizer"):
		return coded{exitUnfit, err.Error(), "put compute-sanitizer of the CUDA toolkit in PATH"}
	case errors.Is(err, oncard.ErrNoProgram):
		return coded{exitUnfit, err.Error(), "make cuda builds it; --cuda-program names one"}
	case errors.As(err, &report):
		return coded{gates.Broken.ExitCode(), err.Error(), ""}
	case errors.As(err, &elsewhere):
		hint := "--backend " + elsewhere.Only
		if elsewhere.Only == backendHost {
			hint += "; on a card fused-sanitize looks for the same"
		}
		return coded{gates.ExitUsage, elsewhere.Error(), hint}
	case errors.As(err, &refused) && (refused.Code == oncard.WrongArch || refused.Code == oncard.NoCubin):
		return coded{exitUnfit, err.Error(), `name the card's architecture in arch of [[kernels]] "card"`}
	}
	return nil
}
