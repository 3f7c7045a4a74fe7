package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/worktrees"
)

// worktreesOptions are the flags of `gpuci worktrees`.
type worktreesOptions struct {
	base string
	json bool
}

func (a *app) worktreesCommand() *cobra.Command {
	var o worktreesOptions
	cmd := &cobra.Command{
		Use:        "worktrees",
		Short:      "say of every lane how it stands, and what could be landed",
		SuggestFor: []string{"land"},
		Long: `worktrees shows every lane of this repository on a line: its branch and commit,
how many files are changed in it, by how many commits it is ahead (+) of the base
branch and behind (-) it, how old its commit is and when a gate last ran there,
its leaked processes, its tickets for the machine's locks, and what each of its
gates last came to. An outcome is stale when something that its gate reads has
changed since, and stale? when that cannot be told: gpuci history says why. Of a
gate that was refused or interrupted, the outcome before that is told, if there is
one. What another lane came to with the very content that is committed here counts
here as well: (judged in lane okl).

Below them it says what could be landed: a lane that has commits which the base
has not, and in which every gate that is required (those that [ci] names, else
all that are not known red) is green for what is there now. And what keeps a lane
from being listed: its directory was removed, or does not answer. One such lane
does not keep the others. And what it owes: gates that were refused for the card or
the machine and not run since (gpuci debt). The scratch lanes of gpuci's own come
last, with what they are for.

The base is base in [workspace], else the branch that origin/HEAD names, or main,
master, trunk. It takes no lock of git's and writes nothing into a lane.

Examples:
  gpuci worktrees
  gpuci worktrees --base release
  gpuci worktrees --json | jq -r 'select(.landable) | .lane'
  gpuci worktrees land kda-adjoint

Exit codes: 0, 4 outside of git or no such branch, 64 usage, 69 the lanes cannot
be told, 78 configuration, 130 and 143 interrupted.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = o.json
			return a.worktrees(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.base, "base", "", "hold the lanes against `BRANCH`")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON lines, one for each lane")
	cmd.AddCommand(a.landCommand())
	return cmd
}

func (a *app) worktrees(ctx context.Context, o worktreesOptions) error {
	p, err := a.place(ctx, true)
	if err != nil {
		return err
	}
	if p.lane.Root == "" {
		return errNoLanes()
	}
	list, err := a.survey(ctx, p, o.base)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, worktrees.ErrNoBase):
		return coded{gates.ExitNothing, err.Error(), "git branch --all says which there are"}
	case err != nil:
		return coded{exitUnfit, err.Error(), "git worktree list says what git knows"}
	}
	l := a.lookAt(ctx, p, list)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if o.json {
		return a.worktreesJSON(l)
	}
	return a.worktreesText(l)
}

// survey holds the lanes against the base that is asked for, or configured. Where the
// latter is not there, that is said, and the usual one serves.
func (a *app) survey(ctx context.Context, p place, base string) ([]worktrees.Standing, error) {
	configured := p.config.Workspace.Base
	list, err := worktrees.Survey(ctx, p.lane, worktrees.SurveyOptions{Base: cmp.Or(base, configured)})
	if base != "" || configured == "" || !errors.Is(err, worktrees.ErrNoBase) {
		return list, err
	}
	a.console.note(fmt.Sprintf("there is no branch %s, which base in [workspace] names: the lanes are held against the usual base", configured))
	return worktrees.Survey(ctx, p.lane, worktrees.SurveyOptions{})
}
