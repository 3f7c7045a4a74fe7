package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/verify"
)

// verifyFlags are the flags of `gpuci kernels verify`.
type verifyFlags struct {
	checks, cases                  []string
	backend, seed                  string
	sources, out, fixture          string
	jobs                           int
	cubins, program                string
	sanitizer                      []string
	list, buildOnly, measure, json bool
}

// verifyOp is the one op that is verified.
const verifyOp = "kda"

func (a *app) kernelsVerifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify kda",
		Short: "judge the CUDA kernels of kernels/kda against their float64 references",
		Long: `verify compiles the CUDA sources of kernels/kda/cuda as they are, runs them on a
backend, and holds what they give against float64 references on the same inputs.
It works from any directory of gpuci's own repository. The backend "host" needs a
C++ compiler (CXX, else g++, clang++, c++) and no GPU: the blocks of a launch run
over the cores, the threads of a block one after the other between its barriers.
It says nothing of functions that are less exact on a device (__expf, __fdividef)
or of flags such as -use_fast_math: these are findings of the kind not-judged.
The backend "cuda" runs them on an NVIDIA card, through the program gpuci-cuda that
make cuda builds: the cubins of --cubins, else what nvcc makes for this very card.
It knows of memory what it finds after a job: outputs that nobody wrote, inputs that
somebody did, writes just beside a buffer. fused-sanitize runs compute-sanitizer.

` + verifyChecksText() + `
It prints a table, what was found, whether all holds, and a witness line of
counters: the compiler, the cases, and the launches as the backend's own launch
function counted them. What is right is judged by bars of its own: ten times the
float32 noise that go doc gpuci/kernels/kda lists. A gate passes --measure: then
each number is a gpuci:metric line, and the gate's bars judge it, of which gpuci
falsify shows whether they can.

What was compiled is kept below --out and compiled again when its content, or
that of a header or the compiler, is not what it was; --build does no more.

Examples:
  gpuci kernels verify kda
  gpuci kernels verify kda --list
  gpuci kernels verify kda --check fused-adjoint --cases 'mild-*,tail' --seed 7
  gpuci kernels verify kda --check 'fused-*' --json
  gpuci kernels verify kda --backend cuda --cubins target/kernels/card
  gpuci kernels verify kda --backend cuda --sanitizer memcheck

Exit codes: 0 all holds, 100 a bar is crossed, something was found or a kernel
crashed, 101 a source does not compile, 102 a number is NaN, nothing was compared
or a tool left no report, 69 there is no C++ compiler, or no gpuci-cuda, card or
compute-sanitizer, or this is a bundle without the sources; with --measure 0 unless a case could not be judged at all; 4 no such check or
case, 64 usage, 78 the fixture is none, 130 and 143 interrupted.`,
		ValidArgs: []string{verifyOp},
		Args:      verifyArgs,
		RunE:      func(cmd *cobra.Command, _ []string) error { return a.kernelsVerify(cmd, f) },
	}
	s := cmd.Flags()
	s.StringSliceVar(&f.checks, "check", nil, "only the checks `NAME`,…, with * for any letters; all without it")
	s.StringSliceVar(&f.cases, "cases", nil, "only the cases `NAME`,…, with * for any letters")
	s.BoolVar(&f.list, "list", false, "print the checks and their cases, and run nothing")
	s.StringVar(&f.backend, "backend", "auto", "where kernels run: host, cuda, or auto, which is host")
	s.StringVar(&f.cubins, "cubins", "", "of cuda: the `DIRECTORY` of the cubins, as gpuci kernels build makes them; without it they are compiled for the card")
	s.StringVar(&f.program, "cuda-program", "", "of cuda: the gpuci-cuda to use; without it `FILE` beside gpuci, or in PATH")
	s.StringSliceVar(&f.sanitizer, "sanitizer", nil, "of fused-sanitize: only under the `TOOL`,… memcheck, racecheck, initcheck, synccheck; all without it")
	s.StringVar(&f.sources, "sources", "", "the `DIRECTORY` of the .cu files; kernels/kda/cuda of the lane without it")
	s.StringVar(&f.fixture, "fixture", "", "the manifest `FILE` that fused-fixture reads; kernels/kda/testdata/fused.json of the lane")
	s.StringVar(&f.out, "out", "", "the `DIRECTORY` for what is compiled; target/kernels/verify of the lane")
	s.StringVar(&f.seed, "seed", "0", "other inputs for all cases, by the number `N`, but for fused-fixture's")
	s.IntVarP(&f.jobs, "jobs", "j", 0, "run `N` cases at once; 0 is one for each core")
	s.BoolVar(&f.buildOnly, "build", false, "only compile")
	s.BoolVar(&f.measure, "measure", false, "print the numbers for a gate, and leave the bars to it")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type, instead of tables and lines for a gate")
	return cmd
}

// verifyArgs takes the op. A check behind it was meant for --check.
func verifyArgs(_ *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] == verifyOp {
		return nil
	}
	hint := "gpuci kernels verify " + verifyOp
	for _, arg := range args {
		if _, err := verify.Named([]string{arg}); err == nil {
			hint += " --check " + arg
		}
	}
	if len(args) == 0 {
		return coded{gates.ExitUsage, "say which op to verify: there is one, " + verifyOp, hint}
	}
	return coded{gates.ExitUsage, fmt.Sprintf("there is one op to verify, %s, not %q", verifyOp, strings.Join(args, " ")), hint}
}

// verifyChecksText lists the checks for the help.
func verifyChecksText() string {
	var b strings.Builder
	for _, c := range verify.Checks() {
		fmt.Fprintf(&b, "  %-14s  %s\n", c.Name, strings.ReplaceAll(verify.Wrapped(c.About, 60), "\n", "\n"+strings.Repeat(" ", 18)))
	}
	return b.String()
}
