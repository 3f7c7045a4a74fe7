package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/simt"
	"gpuci/kernels/verify"
)

// verifyFlags are the flags of `gpuci kernels verify`.
type verifyFlags struct {
	checks                   []string
	backend, cases           string
	sources, out, fixture    string
	seed                     uint64
	jobs                     int
	buildOnly, measure, json bool
}

// verifyOp is the one op that is verified.
const verifyOp = "kda"

func (a *app) kernelsVerifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify kda",
		Short: "judge the CUDA kernels of kernels/kda against their float64 references",
		Long: `verify compiles the CUDA sources of kernels/kda/cuda as they are, runs them on a
backend, and holds what they give against float64 references on the same inputs. The
backend "host" needs a C++ compiler (CXX, else g++, clang++, c++) and no GPU: the blocks
of a launch run over the cores, the threads of a block one after the other between its
barriers.

` + verifyChecksText() + `
It prints each number as a gpuci:metric line, then a table, then a witness line of
counters: the cases, and the launches as the backend's own launch function counted them.
What is right is judged by bars of its own, those of the document behind the kernels,
which the table says when one is crossed. A gate passes --measure and has bars of its
own: then a number turns the gate red because the gate says so, and gpuci falsify shows
whether it does.

What was compiled is kept below --out and compiled again when its content, or that of a
header or the compiler, is not what it was; --build does no more than that.

Examples:
  gpuci kernels verify kda
  gpuci kernels verify kda --check fused-adjoint --cases 'mild-*' --seed 7
  gpuci kernels verify kda --check fused-race,fused-bounds --json

Exit codes: 0 all holds, 100 a bar is crossed, something was found or a kernel crashed,
101 a source does not compile, 102 a number is NaN or nothing was compared, 69 there is
no C++ compiler, or the backend is not in this version; with --measure 0 unless a case
could not be judged at all; 4 no such check or case, 64 usage, 130 and 143 interrupted.`,
		ValidArgs: []string{verifyOp},
		Args:      verifyArgs,
		RunE:      func(cmd *cobra.Command, _ []string) error { return a.kernelsVerify(cmd, f) },
	}
	s := cmd.Flags()
	s.StringSliceVar(&f.checks, "check", nil, "only the checks `NAME`,…; all without it")
	s.StringVar(&f.backend, "backend", "auto", "where kernels run: host, cuda, or auto, which is host in this version")
	s.StringVar(&f.cases, "cases", "", "only cases whose names match `PATTERN`, with * for any letters")
	s.StringVar(&f.sources, "sources", "kernels/kda/cuda", "the `DIRECTORY` of the .cu files")
	s.StringVar(&f.fixture, "fixture", "kernels/kda/testdata/fused.json", "the manifest `FILE` that fused-fixture reads")
	s.StringVar(&f.out, "out", "target/kernels/verify", "the `DIRECTORY` that what is compiled goes to")
	s.Uint64Var(&f.seed, "seed", 0, "other inputs for all cases, by the number `N`")
	s.IntVarP(&f.jobs, "jobs", "j", 0, "run `N` cases at once; 0 is one for each core")
	s.BoolVar(&f.buildOnly, "build", false, "only compile")
	s.BoolVar(&f.measure, "measure", false, "leave the bars to the gate that reads the numbers")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type, instead of tables and lines for a gate")
	return cmd
}

func verifyArgs(_ *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] == verifyOp {
		return nil
	}
	return coded{gates.ExitUsage, fmt.Sprintf("there is one op to verify, %s, not %q", verifyOp, strings.Join(args, " ")), "gpuci kernels verify kda"}
}

// verifyChecksText lists the checks for the help.
func verifyChecksText() string {
	var b strings.Builder
	for _, c := range verify.Checks() {
		fmt.Fprintf(&b, "  %-14s  %s\n", c.Name, c.About)
	}
	return b.String()
}

// options turns the flags into those of the package, paths as seen from dir.
func (f verifyFlags) options(dir string) (o verify.Options, err error) {
	if f.jobs < 0 {
		return o, coded{gates.ExitUsage, fmt.Sprintf("-j is %d: run at least one case at a time", f.jobs), ""}
	}
	if _, err := path.Match(f.cases, ""); err != nil {
		return o, coded{gates.ExitUsage, fmt.Sprintf("--cases %s: %v", f.cases, err), ""}
	}
	o = verify.Options{Checks: verify.Checks(), Cases: f.cases, Seed: f.seed, Jobs: f.jobs, Fixture: pathFrom(dir, f.fixture)}
	if len(f.checks) > 0 {
		if o.Checks, err = verify.Named(f.checks); err != nil {
			return o, coded{gates.ExitNothing, err.Error(), "gpuci kernels verify --help says what each is"}
		}
	}
	return o, nil
}

// pathFrom is a path as seen from a directory.
func pathFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func (a *app) kernelsVerify(cmd *cobra.Command, f verifyFlags) error {
	a.json = f.json
	ctx := cmd.Context()
	p, err := a.place(ctx, true)
	if err != nil {
		return err
	}
	o, err := f.options(p.dir)
	if err != nil {
		return err
	}
	host, end, err := a.hostBackend(ctx, p, f)
	if err != nil {
		return err
	}
	defer end()
	o.Backends = host
	if f.buildOnly {
		return a.verifyError(ctx, verify.Build(ctx, o))
	}
	codes := []int{}
	o.Told = func(r verify.Report) error {
		code, err := a.printVerified(r, f)
		codes = append(codes, code)
		return err
	}
	if _, err := verify.Run(ctx, o); err != nil {
		return a.verifyError(ctx, err)
	}
	return coded{code: gates.WorstExit(codes...)}
}

// verifyError gives the errors of a verification their exit codes.
func (a *app) verifyError(ctx context.Context, err error) error {
	var failed *simt.CompileError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return coded{code: exitCode(context.Cause(ctx), true)}
	case errors.Is(err, verify.ErrNoCompiler):
		return coded{exitUnfit, err.Error(), "install g++ or clang++, or name one in CXX"}
	case errors.Is(err, verify.ErrNoCase):
		return coded{gates.ExitNothing, err.Error(), "the table of a check without --cases names some"}
	case errors.Is(err, fs.ErrNotExist):
		return coded{gates.ExitUsage, err.Error(), "--sources and --fixture say where they are, as seen from the root of gpuci's own repository"}
	case errors.As(err, &failed):
		a.console.note(failed.Source + " does not compile:")
		a.console.raw(printableLines(failed.Output))
		return coded{code: gates.BuildFailed.ExitCode()}
	}
	return err
}
