package main

import (
	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// traceFlags are the flags of `gpuci trace`.
type traceFlags struct {
	countFlags
	out, pattern string
	json         bool
}

func (a *app) traceCommand() *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:   "trace [flags] -- CMD…",
		Short: "count what a program asks of CUDA, without touching its code",
		Long: `trace runs CMD, and counts what it and all that it starts ask of CUDA: launches by
kernel, graph launches and what is in the graphs, copies, calls that wait for the card,
allocations, each with the host time it took. The driver itself loads a small library
into the program when CUDA is first used, so that it is all the same whether that is
CUDA's runtime, PyTorch, Triton, or another language. The library is compiled once, by a
C compiler of this machine; CUPTI of the CUDA toolkit, or of PyPI, is needed as well.

Counts are exact. Host times have a part of ours in them: a launch takes some tenths of
a microsecond more. A profiler in the program sees nothing meanwhile: CUPTI takes one.

Stages and steps are the program's NVTX ranges where it has some. With --step they are
cut by its output: each line that fits the pattern ends the step with its number.
stdout and stderr then go through gpuci as they come, a terminal stays one, and Python
is told not to keep lines back (PYTHONUNBUFFERED=1); what any other program keeps back
in a pipe smears its steps.

Otherwise CMD has gpuci's stdin, stdout and stderr. Ctrl-C is the program's to answer; a
second one ends it. However it ends, what it did until then is counted. A short summary
goes to stderr at the end, and the recording stays: the newest 20 of a repository's are
kept, and none that -o names is removed.

  gpuci trace report       what a recording says; without a name, the newest of this lane
  gpuci trace diff A B     what changed between two
  gpuci trace list         the recordings that are kept

Examples:
  gpuci trace -- python train.py
  gpuci trace --step 'step (\d+)' -- python train.py --steps 40
  gpuci trace -o eager --warm 10 -- python train.py --no-graphs
  gpuci trace --json -- ./bench 2>/dev/null | tail -n 1 > report.json
  gpuci trace -- report                    # a program of that name

Exit codes: CMD's own, whatever was counted; 128 and the signal's number if a signal
ended it, 127 and 126 if it could not be started; before it is started 64 usage, 69
there is no library and no C compiler to make it, or no place for the recording, 78
configuration.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			pattern, err := f.check(cmd, args)
			if err != nil {
				return err
			}
			return a.trace(cmd, f, pattern, args)
		},
		ValidArgsFunction: fileWords,
	}
	s := cmd.Flags()
	s.SetInterspersed(false)
	s.StringVarP(&f.out, "output", "o", "", "keep the recording in `DIR`, which is empty or not there yet")
	s.StringVar(&f.pattern, "step", "", "lines of the output that end a step: a `PATTERN` whose group is its number")
	f.define(cmd)
	s.BoolVar(&f.json, "json", false, "print the report on stdout, as one JSON line behind CMD's output")
	cmd.AddCommand(a.traceReportCommand(), a.traceDiffCommand(), a.traceListCommand())
	return cmd
}

// check finds what cannot be meant, and reads the pattern, nil where there is none.
func (f *traceFlags) check(cmd *cobra.Command, argv []string) (*trace.Pattern, error) {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	switch {
	case len(argv) == 0:
		return nil, usage("there is no command to run", "gpuci trace -- python train.py")
	case cmd.Flags().Changed("output") && f.out == "":
		return nil, usage("-o is empty", "name a directory")
	case cmd.Flags().Changed("step") && cmd.Flags().Changed("range"):
		return nil, usage("--step and --range exclude each other", "steps are cut by lines of the output, or by ranges")
	}
	if err := f.countFlags.check(cmd); err != nil || !cmd.Flags().Changed("step") {
		return nil, err
	}
	pattern, err := trace.ParsePattern(f.pattern)
	if err != nil {
		return nil, usage("--step: "+err.Error(), `--step 'step (\d+)' takes the number behind the word`)
	}
	return pattern, nil
}
