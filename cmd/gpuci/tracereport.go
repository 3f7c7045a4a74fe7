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
beginning or end of one, else the newest of this lane. It can be one whose program still
runs, or was killed: what is there counts.

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

--timeline FILE writes one step for Perfetto or chrome://tracing: calls and ranges by
thread, work of the card by stream, and an arrow from each call to its work. The work is
there where the program was run with gpuci trace --timeline; then the report has the card's
times as well.

Examples:
  gpuci trace report
  gpuci trace report timed --timeline step.json.gz --timeline-step 30
  gpuci trace report --stage train --kernels 40
  gpuci trace report 5f3c --range microbatch --warm 20
  gpuci trace report eager --json | jq '.processes[].stages[] | {name, counts}'

Exit codes: 0; 4 there is no such recording, range or stage, no more steps than --warm, or
no process that used CUDA in it; 64 usage, or the FILE of --timeline is there and is none of
gpuci's timelines; 69 its disk is full; 78 configuration.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return coded{gates.ExitUsage, fmt.Sprintf("%s takes one recording", cmd.CommandPath()), "gpuci trace diff A B compares two"}
			}
			return nil
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
	r, err := a.traceCounted(store, word, f.countFlags)
	if err != nil {
		return err
	}
	if f.stage != "" {
		if r, err = r.Only(f.stage); err != nil {
			return noStage(err)
		}
	}
	if f.timeline.file != "" {
		o := trace.TimelineOptions{Stage: f.stage, Step: f.timeline.n}
		if err := a.writeTimeline(r.Dir, r.Run, f.counting(), o, store.path(f.timeline.file)); err != nil {
			return err
		}
	}
	if f.json {
		return a.deviceLine(r)
	}
	return a.printTrace(func(w io.Writer, width int) error { return r.Text(w, trace.Page{Width: width, Kernels: f.kernels}) })
}

// traceCounted finds a recording and counts it.
func (a *app) traceCounted(s traceStore, word string, f countFlags) (trace.Report, error) {
	t, err := s.find(word)
	if err != nil {
		return trace.Report{}, err
	}
	r, err := trace.ReadDir(t.Dir)
	var none *trace.NoRecording
	if errors.As(err, &none) {
		return trace.Report{}, coded{gates.ExitNothing, err.Error(), "a program that runs in a container, or as another user, has to see that directory and the library"}
	}
	if err != nil {
		return trace.Report{}, err
	}
	return f.counted(r, t.Meta)
}
