package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/reaper"
	"gpuci/reaper/proc"
)

func (a *app) reaperCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reaper",
		// What somebody types who looks for it at the top.
		SuggestFor: []string{"sweep", "list", "watch", "kill"},
		Short:      "find and end what killed builds left behind",
		Long: `reaper is about compilers and linkers that outlived their build. Who kills cargo
or make leaves them behind: they hold the disk, and start more. What is leaked is
told by whose it is (the lane it works in, or runs from, or has open files in)
and by that nobody is left who started it; never by its name alone. Not touched
are builds whose parent lives, other users' processes, those of other containers,
of a lane that was not asked for, who sits at a terminal, and what is younger
than 2 s.

Lanes are the worktrees of the repository that we stand in, as git lists them. A
worktree whose directory was removed is one as long as git lists it: what still
works in there is that lane's, and --lane and --every-lane mean it too. After git
worktree prune or remove it is nobody's, or that of the lane which it was in.

Examples:
  gpuci reaper list
  gpuci reaper sweep
  gpuci reaper watch

Exit codes: those of the command in question; 64 usage.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.reaperListCommand(), a.reaperSweepCommand(), a.reaperWatchCommand())
	return cmd
}

// laneFlags say whose processes a command is about: this lane's when none is
// given.
type laneFlags struct {
	lanes []string
	every bool
}

func (l *laneFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&l.lanes, "lane", nil, "of lane `L` instead of this one; can be repeated")
	cmd.Flags().BoolVar(&l.every, "every-lane", false, "of every lane of this repository")
}

// check finds what cannot be meant.
func (l laneFlags) check() error {
	if l.every && len(l.lanes) > 0 {
		return coded{gates.ExitUsage, "--lane and --every-lane exclude each other", "leave one of the two out"}
	}
	return nil
}

// noLaneWord refuses words after a command of the reaper's: a lane is a flag.
func noLaneWord(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "did you mean " + cmd.CommandPath()
	for _, lane := range args {
		hint += " --lane " + lane
	}
	return coded{gates.ExitUsage, fmt.Sprintf("%s takes no arguments, and there is %q", cmd.CommandPath(), args[0]), hint + "?"}
}

// reaperError is the error of a look or a sweep with its exit code: that of a
// signal, or 69, since nothing else stops one but a process table that cannot be
// read, or no time to do so.
func reaperError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, reaper.ErrNoLook):
		return coded{exitUnfit, err.Error() + ": give it a longer --deadline", "nothing was ended"}
	case errors.Is(err, proc.ErrForeign):
		return coded{exitUnfit, err.Error(), "nothing was ended; mount the /proc of this one: unshare --mount-proc, or mount -t proc proc /proc"}
	case errors.Is(err, reaper.ErrTorn):
		return coded{exitUnfit, err.Error(), "nothing was ended by it; root sees all processes"}
	}
	return coded{exitUnfit, err.Error(), "nothing is ended by what cannot be read; is /proc mounted?"}
}
