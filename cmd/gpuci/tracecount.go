package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// countFlags say how a recording is counted.
type countFlags struct {
	warm int
	step string // the NVTX range that is one
}

func (f *countFlags) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.IntVar(&f.warm, "warm", 0, "set the first `N` steps of a stage apart; without it 5 of more than 10, else 1")
	s.StringVar(&f.step, "range", "", "the NVTX range that is a step, by its `NAME` without a number, where the outermost is not")
}

// check takes a 0 that is written for none.
func (f *countFlags) check(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("range") && f.step == "":
		return coded{gates.ExitUsage, "--range is empty", "leave it out to count by the outermost ranges"}
	case f.warm < 0:
		return coded{gates.ExitUsage, fmt.Sprintf("--warm %d is no number of steps", f.warm), "--warm 0 sets none apart"}
	case cmd.Flags().Changed("warm") && f.warm == 0:
		f.warm = -1
	}
	return nil
}

func (f countFlags) counting() trace.Counting {
	return trace.Counting{Warm: f.warm, Range: f.step}
}

// counted counts a recording by them. What was asked for and is not there is an error,
// which names what is.
func (f countFlags) counted(ctx context.Context, r trace.Recording, meta *trace.Meta) (trace.Report, error) {
	report, err := trace.NewReport(ctx, r, meta, f.counting())
	if err != nil {
		return report, err
	}
	if err = report.Unmet(); err == nil {
		return report, nil
	}
	return report, coded{gates.ExitNothing, printable(filepath.Base(r.Dir) + ": " + err.Error()), unmetHint(err)}
}

func unmetHint(err error) string {
	var few *trace.FewSteps
	var none *trace.NoRange
	switch {
	case errors.As(err, &few):
		return "a smaller --warm leaves some; without it as many are set apart as there are steps for"
	case errors.As(err, &none) && len(none.There) > 0:
		return "--range takes one of these; without it the outermost ranges are the steps"
	}
	return "leave --range out; gpuci trace --step cuts steps by lines of the output"
}

// showFlags say what of a report or a difference is shown.
type showFlags struct {
	stage   string
	kernels int
}

func (f *showFlags) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.stage, "stage", "", "only the stage `NAME`, and what stands out of it")
	s.IntVar(&f.kernels, "kernels", 0, "show `N` kernels of each stage; without it those that fit")
}

func (f *showFlags) check(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("kernels") && f.kernels < 1:
		return coded{gates.ExitUsage, fmt.Sprintf("--kernels %d: show at least one", f.kernels), "leave --kernels out for those that fit"}
	case cmd.Flags().Changed("stage") && f.stage == "":
		return coded{gates.ExitUsage, "--stage is empty", "what is in no stage is called (outside)"}
	}
	return nil
}

// noStage is what is said where there is none of a name.
func noStage(err error) error {
	return coded{gates.ExitNothing, printable(err.Error()), "name one of these"}
}

// printTrace prints a text for people, of the width of the terminal if there is one.
func (a *app) printTrace(write func(w io.Writer, width int) error) error {
	var b strings.Builder
	if err := write(&b, a.kernelView(false).width); err != nil {
		return err
	}
	_, err := a.out.Write([]byte(printableLines(b.String())))
	return err
}

// traceWords completes the ids of so many recordings; directories are left to the shell.
func (a *app) traceWords(most int) completer {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, noWords
		}
		store, err := a.traceStore(contextOr(cmd.Context()))
		if err != nil {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		list, _ := store.list() // with an error there are none
		var out []cobra.Completion
		for _, t := range list {
			if strings.HasPrefix(t.ID, word) && t.Meta != nil {
				out = append(out, cobra.CompletionWithDesc(printable(t.ID), printable(commandText(t.Meta.Command))))
			}
		}
		if len(out) == 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return out, noWords | cobra.ShellCompDirectiveKeepOrder
	}
}
