package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/bundle"
	"gpuci/gates/config"
	"gpuci/kernels/simt"
	"gpuci/kernels/verify"
)

// What is verified, as seen from the root of gpuci's own repository.
const (
	verifySources = "kernels/kda/cuda"
	verifyFixture = "kernels/kda/testdata/fused.json"
	verifyOut     = "target/kernels/verify"
)

// placed gives the paths: those of flags as seen from where we stand, others from the
// root of the lane.
func (f verifyFlags) placed(p place) verifyFlags {
	root := p.config.Root
	if root == "" {
		root = p.dir
	}
	for _, one := range []struct {
		path  *string
		usual string
	}{{&f.sources, verifySources}, {&f.fixture, verifyFixture}, {&f.out, verifyOut}} {
		if *one.path == "" {
			*one.path = filepath.Join(root, one.usual)
		} else if !filepath.IsAbs(*one.path) {
			*one.path = filepath.Join(p.dir, *one.path)
		}
	}
	return f
}

// options turns the flags into those of the package.
func (f verifyFlags) options(note func(string)) (o verify.Options, err error) {
	if f.jobs < 0 {
		return o, coded{gates.ExitUsage, fmt.Sprintf("-j is %d: run at least one case at a time", f.jobs), ""}
	}
	for _, pattern := range slices.Concat(f.checks, f.cases) {
		if _, err := path.Match(pattern, ""); err != nil {
			return o, coded{gates.ExitUsage, fmt.Sprintf("%q is no pattern: a [ is not closed, or a \\ ends it", pattern), ""}
		}
	}
	seed, err := strconv.ParseUint(f.seed, 0, 64)
	if err != nil {
		return o, coded{gates.ExitUsage, fmt.Sprintf("--seed %s is not a whole number from 0 to 2^64-1", f.seed), ""}
	}
	o = verify.Options{Checks: verify.Checks(), Cases: f.cases, Seed: seed, Jobs: f.jobs, Fixture: f.fixture}
	if len(f.checks) > 0 {
		if o.Checks, err = verify.Named(f.checks); err != nil {
			return o, err
		}
	}
	if o.Tools, err = f.tools(); err != nil {
		return o, err
	}
	if !f.list || f.backend != backendAuto {
		if err := f.suited(&o); err != nil {
			return o, err
		}
	}
	if seed != 0 {
		err = f.seeded(&o, note)
	}
	return o, err
}

// seeded leaves out what no seed changes, or refuses where nothing is left: numbers that
// a seed stands beside are taken for that seed's.
func (f verifyFlags) seeded(o *verify.Options, note func(string)) error {
	var left []verify.Check
	for _, c := range o.Checks {
		switch {
		case !c.Fixed:
			left = append(left, c)
		case slices.Contains(f.checks, c.Name):
			return coded{gates.ExitUsage, fmt.Sprintf("--seed %s changes nothing of %s, whose inputs are committed", f.seed, c.Name), "run it without --seed"}
		default:
			note(c.Name + " is left out: its inputs are committed, and no seed changes them")
		}
	}
	o.Checks = left
	return nil
}

func (a *app) kernelsVerify(cmd *cobra.Command, f verifyFlags) error {
	a.json = f.json
	ctx := cmd.Context()
	p, err := a.place(ctx, true)
	if err != nil {
		return err
	}
	err = a.verifyIn(ctx, p, f.placed(p))
	if packed := notPacked(p.config.Root, err); packed != nil && ctx.Err() == nil {
		return packed
	}
	return a.verifyError(ctx, err)
}

// verifyIn verifies what stands in a place.
func (a *app) verifyIn(ctx context.Context, p place, f verifyFlags) error {
	o, err := f.options(a.console.note)
	if err != nil {
		return err
	}
	if f.list {
		return a.listVerify(o)
	}
	var end func()
	if o, end, err = a.onBackend(ctx, p, f, o); err != nil {
		return err
	}
	defer end()
	if f.buildOnly {
		return verify.Build(ctx, o)
	}
	codes := []int{}
	o.Told = func(r verify.Report) error {
		code, err := a.printVerified(r, f)
		codes = append(codes, code)
		return err
	}
	if _, err := verify.Run(ctx, o); err != nil {
		return err
	}
	return coded{code: gates.WorstExit(codes...)}
}

// notPacked says of a file that is missing in a bundle that this is no place to verify:
// nothing is wrong with what is there, and a gate is refused by it, not red.
func notPacked(root string, err error) error {
	var missing *fs.PathError
	if root == "" || !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &missing) {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(root, bundle.Marker)); err != nil {
		return nil
	}
	dir := filepath.ToSlash(shownFrom(root, filepath.Dir(missing.Path)))
	return coded{exitUnfit, "this is a bundle, and what is to be verified was not packed: " + err.Error(),
		fmt.Sprintf("add bundle = [%q] to the gate, where the bundle is made; compiled here it needs a C++ compiler, too", dir+"/**")}
}

// onBackend gets the backend ready. end gives back what that takes.
func (a *app) onBackend(ctx context.Context, p place, f verifyFlags, o verify.Options) (_ verify.Options, end func(), err error) {
	if f.backend == backendCUDA {
		if o.Jobs == 0 {
			o.Jobs = cardJobs
		}
		c, err := a.cudaBackend(ctx, p, f, o)
		o.Backends = c
		return o, func() {}, err
	}
	o.Backends, end, err = a.hostBackend(ctx, p, f)
	return o, end, err
}

// listVerify prints the checks with the cases that each has.
func (a *app) listVerify(o verify.Options) error {
	var b strings.Builder
	for _, c := range o.Checks {
		names, err := c.CaseNames(o)
		if err != nil {
			return err
		}
		if a.json {
			if err := a.jsonLine(map[string]any{"type": "kernels-verify-check", "check": c.Name, "about": c.About, "cases": names}); err != nil {
				return err
			}
			continue
		}
		text := verify.Wrapped(c.About+", in "+strconv.Itoa(len(names))+" cases:", 78) + "\n" + verify.Wrapped(strings.Join(names, " "), 78)
		b.WriteString(c.Name + "\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// verifyError gives the errors of a verification their exit codes.
func (a *app) verifyError(ctx context.Context, err error) error {
	var unknown *verify.UnknownError
	var fixture *verify.FixtureError
	var dir *verify.DirError
	var failed *simt.CompileError
	var done coded
	switch {
	case err == nil:
		return nil
	case errors.As(err, &done):
		return err
	case ctx.Err() != nil:
		return coded{code: exitCode(context.Cause(ctx), true)}
	case cudaError(err) != nil:
		return cudaError(err)
	case errors.As(err, &unknown):
		hint := "gpuci kernels verify kda --list shows which checks there are, and their cases"
		if near := config.NearOf(unknown.Name, unknown.Among); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
		return coded{gates.ExitNothing, unknown.Error(), hint}
	case errors.Is(err, verify.ErrNoCompiler):
		return coded{exitUnfit, err.Error(), "install g++ or clang++, or name one in CXX"}
	case errors.As(err, &fixture):
		return coded{gates.ExitConfig, fixture.Error(), "gpuci fixtures verify makes it anew and says what differs"}
	case errors.As(err, &dir):
		return coded{gates.ExitUsage, dir.Error(), "--out names another directory"}
	case errors.Is(err, fs.ErrNotExist):
		return coded{gates.ExitUsage, err.Error(), "stand in gpuci's own repository, or name it with -C; --sources and --fixture name others"}
	case errors.As(err, &failed):
		a.refusedByCompiler(failed)
		return coded{code: gates.BuildFailed.ExitCode()}
	}
	return err
}

// shownFrom is a path as somebody in dir would write it.
func shownFrom(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
