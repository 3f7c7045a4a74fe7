package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// traceFlags are the flags of `gpuci trace`.
type traceFlags struct {
	countFlags
	abFlags
	timeline     timelineFlags
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

With --timeline the times of the card are taken as well: how long it is busy for a step
and idle within it, what each kernel takes of it, and one step as a timeline, in the file
timeline.json.gz of the recording. It costs more than counting.

Otherwise CMD has gpuci's stdin, stdout and stderr. Ctrl-C is the program's to answer; a
second one ends it. However it ends, what it did until then is counted. A short summary
goes to stderr at the end, with a note where --step, --range or --warm fit nothing (all is
counted without it), and the recording stays: the newest 20 of a repository's are kept,
and none that -o names is removed.

--ab eager runs CMD once more with CUDA graphs switched off, and compares: what a step
costs the host, the counts, stdout line by line, and what --compare names byte for byte.
The switches that are known are variables of llama.cpp, PyTorch (torch.compile, with all
that it fuses) and JAX; --eager-env and --eager-arg name the program's own. Graphs that a
program captures by hand have no other. Where it launches no graph, or does so in the
second run as well, that is said. The second run's output goes to stderr, its recording
to the -o of the first one with -eager behind it.

  gpuci trace report       what a recording says; without a name, the newest of this lane
  gpuci trace diff A B     what changed between two
  gpuci trace list         the recordings that are kept

Examples:
  gpuci trace -- python train.py
  gpuci trace --step 'step (\d+)' -- python train.py --steps 40
  gpuci trace -o eager --warm 10 -- python train.py --no-graphs
  gpuci trace --timeline -- python train.py
  gpuci trace --timeline=30 -o timed -- python train.py      # of the step 30
  gpuci trace --json -- ./bench 2>/dev/null | tail -n 1 > report.json
  gpuci trace --ab eager --compare out-{run}.bin -- ./infer -o out-{run}.bin
  gpuci trace --ab eager --eager-arg --enforce-eager -- vllm bench latency …
  gpuci trace -- report                    # a program of that name

Exit codes: CMD's own, whatever was counted; 128 and the signal's number if a signal
ended it, 127 and 126 if it could not be started; before it is started 64 usage, 69
there is no library and no C compiler to make it, or no place for the recording, 78
configuration. With --ab they are those of the first run, and 130 or 143 where gpuci is
told to end in the second.`,
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
	f.defineAB(cmd)
	f.timeline.define(cmd)
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
	if err := cmp.Or(f.checkAB(cmd), f.timeline.check(cmd)); err != nil {
		return nil, err
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
