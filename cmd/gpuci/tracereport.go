package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// traceReportFlags are the flags of `gpuci trace report`.
type traceReportFlags struct {
	countFlags
	showFlags
	timeline timelineTo
	json     bool
}

func (a *app) traceReportCommand() *cobra.Command {
	var f traceReportFlags
	cmd := &cobra.Command{
		Use:   "report [DIR|ID]",
		Short: "say what a recording counted, stage by stage, and what a launch costs",
		Long: `report counts a recording: one that is named by its directory, by its id or the
beginning or end of one, else the newest of this lane, or outside of a repository of this
directory. It can be one whose program still runs, or was killed: what is there counts.

For each process that used CUDA, and each stage of it, it says whether every warm step
has the same counts, or from how many to how many; what a launch costs the host: the
median time from one launch to the next on a thread, with nothing waiting between, and
from the first to the ninth tenth of these; what a step would take if it were launches
alone, beside what it took; and the kernels by launches x price. Then what stands out,
with what shows it: chains that come again and again, calls that wait, memory that
steps allocate or that is never released, graphs, captures. None of it is a verdict.

Counts are exact, times have their spread. The first steps of a stage are set apart, as
they load and tune; --warm says how many, and --range which NVTX range is a step where
the outermost one is not. Both count again, and change nothing in the recording.

--timeline writes one step for Perfetto or chrome://tracing: calls and ranges by thread,
work of the card by stream, and an arrow from each call to its work; that of the median
warm step, or of the step of --timeline=12, to timeline.json.gz of the recording or to the
FILE of -o. The work is there where the program was run with gpuci trace --timeline; then
the report has the card's times as well.

Examples:
  gpuci trace report
  gpuci trace report timed --timeline=30 -o step.json.gz
  gpuci trace report --stage train --kernels 40
  gpuci trace report 5f3c --range microbatch --warm 20
  gpuci trace report eager --json | jq '.processes[].stages[] | {name, counts}'

Exit codes: 0; 103 the files of a process cannot be read, or it could make none: the others
are counted, and counts are short; 102 that is so of all; 4 there is no such recording, range
or stage, no more steps than --warm, or no process that used CUDA in it; 64 usage, or the
FILE of -o is there and is none of gpuci's timelines; 69 its disk is full, or it may not be
written; 78 configuration; 130 or 143 told to end, and no timeline is written.`,
		Args: func(cmd *cobra.Command, args []string) error {
			return f.timeline.takes(cmd, args)
		},
		ValidArgsFunction: a.traceWords(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.traceReport(cmd.Context(), f, strings.Join(args, ""))
		},
	}
	f.countFlags.define(cmd)
	f.showFlags.define(cmd)
	f.timeline.define(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as one JSON line")
	return cmd
}

func (f *traceReportFlags) check(cmd *cobra.Command) error {
	return cmp.Or(f.showFlags.check(cmd), f.countFlags.check(cmd), f.timeline.check(cmd))
}

func (a *app) traceReport(ctx context.Context, f traceReportFlags, word string) error {
	store, err := a.traceStore(ctx)
	if err != nil {
		return err
	}
	r, err := a.traceCounted(ctx, store, word, f.countFlags)
	if err != nil {
		return err
	}
	if f.stage != "" {
		if r, err = r.Only(f.stage); err != nil {
			return noStage(err)
		}
	}
	if f.timeline.step != "" {
		o := trace.TimelineOptions{Stage: f.stage, Step: f.timeline.n}
		if err := a.writeTimeline(ctx, r.Dir, r.Run, f.counting(), o, f.timeline.path(store)); err != nil {
			return err
		}
	}
	if f.json {
		err = a.deviceLine(r)
	} else {
		err = a.printTrace(func(w io.Writer, width int) error { return r.Text(w, trace.Page{Width: width, Kernels: f.kernels}) })
	}
	return cmp.Or(err, short(r))
}

// short is what is said of recordings that lack processes, once what they have is printed.
func short(reports ...trace.Report) error {
	var missing []string
	none := false
	for _, r := range reports {
		_, all := r.Short()
		missing, none = append(missing, r.Missing...), none || all
	}
	switch {
	case len(missing) == 0:
		return nil
	case none:
		return coded{gates.Broken.ExitCode(), "nothing is counted: " + printable(strings.Join(missing, "; ")), "trace it again"}
	}
	return coded{gates.Attention.ExitCode(), "counts are short: " + printable(strings.Join(missing, "; ")), "trace it again for whole ones; what was read is exact"}
}

// traceCounted finds a recording and counts it.
func (a *app) traceCounted(ctx context.Context, s traceStore, word string, f countFlags) (trace.Report, error) {
	t, err := s.find(word)
	if err != nil {
		return trace.Report{}, err
	}
	r, err := trace.ReadDir(t.Dir)
	var none *trace.NoRecording
	if errors.As(err, &none) && len(none.Why) > 0 {
		return trace.Report{}, coded{gates.Broken.ExitCode(), printable(err.Error()), "trace it again"}
	}
	if errors.As(err, &none) && t.Meta != nil && t.Meta.NoDriver {
		return trace.Report{}, coded{gates.ExitNothing, printable(err.Error()), "there was no CUDA driver: the loader found no " + cudaDriver + ", which every program needs to use a card; gpuci doctor says more"}
	}
	if errors.As(err, &none) {
		return trace.Report{}, coded{gates.ExitNothing, printable(err.Error()), s.whyNone(t)}
	}
	if err != nil {
		return trace.Report{}, err
	}
	return f.counted(ctx, r, t.Meta)
}

// whyNone says why nothing of a run may have been counted: what is known of it first.
func (s traceStore) whyNone(t storedTrace) string {
	const lost = "a program that runs in a container, or as another user, has to see that directory and the library"
	switch m := t.Meta; {
	case m == nil:
		return "gpuci trace list says which recordings there are"
	case m.Ended.IsZero() && s.making(t):
		return "it runs, and has not used CUDA yet"
	case m.Ended.IsZero():
		return "gpuci was killed before the program used CUDA, or " + lost
	case m.Signal != "":
		return "the program was ended by " + m.Signal + ", and what it did until then used no CUDA; did it use some, then " + lost
	case m.Code != 0:
		return fmt.Sprintf("the program ended with exit status %d, and before that used no CUDA: what it printed may say why; did it use some, then %s", m.Code, lost)
	}
	return "the program ended well and used no CUDA; did it use some, then " + lost
}
