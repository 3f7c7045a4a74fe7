package main

import (
	"fmt"
	"io"
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
