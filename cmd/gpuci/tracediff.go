package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// traceDiffFlags are the flags of `gpuci trace diff`.
type traceDiffFlags struct {
	countFlags
	showFlags
	exitCode, json bool
}

func (a *app) traceDiffCommand() *cobra.Command {
	var f traceDiffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "say what changed between two recordings",
		Long: `diff compares two recordings, stage by stage: launches, bytes, waiting calls and
allocations of a warm step, exactly, with the kernels that came, went, or are launched
another number of times. Of times it says that they differ only where their spreads do
not meet and there are enough of them, five warm steps. --stage holds one stage against
its own, for the exit code as well. A and B are directories, or ids of gpuci trace list; of an id its beginning or
end will do. They may be of other lanes, commits or machines.

It judges nothing: more launches are not an error.

Examples:
  gpuci trace diff eager graphs
  gpuci trace diff 5f3c 90ab --warm 20
  gpuci trace diff before after --stage step --kernels 40
  gpuci trace diff before after --exit-code --json

Exit codes: 0, with --exit-code 100 where a count differs, and 103 where that may be of
lines that end a step and were read late, on a busy machine, or kept back; 103 a process of one cannot be
read, or could make no file, and counts are short of its own; 102 that is so of all; 4 there is no such recording,
range or stage, no more steps than --warm, or no process that used CUDA in one; 64 usage,
78 configuration.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return coded{gates.ExitUsage, fmt.Sprintf("%s takes two recordings", cmd.CommandPath()), "gpuci trace list says what there is"}
			}
			return nil
		},
		ValidArgsFunction: a.traceWords(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			if err := cmp.Or(f.showFlags.check(cmd), f.countFlags.check(cmd)); err != nil {
				return err
			}
			return a.traceDiff(cmd, f, args)
		},
	}
	f.countFlags.define(cmd)
	f.showFlags.define(cmd)
	cmd.Flags().BoolVar(&f.exitCode, "exit-code", false, "end with 100 where a count differs, as git diff does")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the difference as one JSON line")
	return cmd
}

func (a *app) traceDiff(cmd *cobra.Command, f traceDiffFlags, words []string) error {
	store, err := a.traceStore(cmd.Context())
	if err != nil {
		return err
	}
	var sides [2]trace.Report
	for i, word := range words {
		if word == "" {
			return coded{gates.ExitUsage, "the name of a recording is empty", "is a variable in it not set?"}
		}
		if sides[i], err = a.traceCounted(cmd.Context(), store, word, f.countFlags); err != nil {
			return err
		}
	}
	d := trace.Diff(sides[0], sides[1])
	if f.stage != "" {
		if d, err = d.Only(f.stage); err != nil {
			return noStage(err)
		}
	}
	if f.json {
		err = a.deviceLine(d)
	} else {
		err = a.printTrace(func(w io.Writer, width int) error { return d.Text(w, trace.Page{Width: width, Kernels: f.kernels}) })
	}
	if err != nil {
		return err
	}
	switch {
	case f.exitCode && d.Unsure:
		return coded{gates.Broken.ExitCode(), "what differs is of steps that cannot be told apart: lines that end them were read late, or were kept back", "trace it again, or tell the steps by an NVTX range: --range NAME"}
	case f.exitCode && !d.Same:
		return coded{code: gates.Red.ExitCode()}
	}
	return short(sides[0], sides[1])
}
