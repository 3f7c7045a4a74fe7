package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/gates"
	"gpuci/pressure"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

func (a *app) lockStatusCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "say who has the locks of this machine, who waits, and who links past them",
		Long: `status lists every lock that somebody has or waits for: the holders, the waiters
with their places, tickets whose process is gone and that others still have
open, stopped ones, and those that were declared void. Then the linkers that run
on this machine without a ticket, and what would catch them; and for how much of
the last ten seconds tasks waited for the disk.

A link that gpuci build or a gate made has the lane and the command of these. One
from a shell that evaluated gpuci env has its own command, and the directory it
was made in; the lane, if that is one of the repository that you stand in.

Only root can see what files a linker of another user has open. Without root it
is taken to be under a ticket when it or a process above it took one; of the
others it is said that nobody knows.

The lock of a card is named by its UUID; gpuci gpu says who is on the card besides.

Examples:
  gpuci lock status
  gpuci lock status --json | jq 'select(.type == "ticket" and .state == "waits")'

Exit codes: 0, 64 usage, 69 the lock directory cannot be used (on a full disk
after the list), 78 configuration.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.json = asJSON
			s, err := a.lockStatus(cmd.Context())
			if err != nil {
				return err
			}
			say := a.statusText
			if asJSON {
				say = a.statusJSON
			}
			return cmp.Or(say(s), s.full)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines, each with a type")
	return cmd
}

// lockState is all that `gpuci lock status` tells.
type lockState struct {
	dir     string
	queues  []buildlock.Queue
	linkers []linkerState
	io      pressure.Resource
	now     time.Time
	full    error // no new ticket can be had, for want of space
}

// linkerState is a linker that is not known to hold a ticket, and whose it is.
type linkerState struct {
	links.Linker
	lane string // of the repository we stand in
	dir  string // its working directory, where that can be seen
	past links.Past
}

func (a *app) lockStatus(ctx context.Context) (lockState, error) {
	p, err := a.place(ctx, false)
	if err != nil {
		return lockState{}, err
	}
	s := lockState{dir: p.lockDir(), now: time.Now(), io: pressure.Read(pressure.Real).IO}
	if s.full = buildlock.Usable(s.dir); s.full != nil && !errors.Is(s.full, syscall.ENOSPC) {
		return s, s.full
	}
	if s.queues, err = buildlock.Status(ctx, s.dir); err != nil {
		return s, err
	}
	table, err := proc.Real.Table()
	if err != nil {
		return s, err
	}
	found := links.Unticketed(ctx, slices.Collect(maps.Values(table)), s.dir)
	slices.SortFunc(found, func(x, y links.Linker) int { return x.PID - y.PID })
	lanes := a.lanes(ctx, p, len(found) > 0 || slices.ContainsFunc(s.queues, laneless))
	s.linkers = whose(ctx, found, lanes)
	s.locate(lanes)
	return s, nil
}

// laneless says whether a ticket of the queue does not say its lane: a shell
// goes from lane to lane, so what is linked in one says only where.
func laneless(q buildlock.Queue) bool {
	return slices.ContainsFunc(q.Entries, func(e buildlock.Entry) bool { return e.Lane == "" })
}

// locate says of tickets without a lane in which one of ours they were taken.
func (s lockState) locate(lanes []worktrees.Tree) {
	for _, q := range s.queues {
		for i, e := range q.Entries {
			if tree, ok := worktrees.Of(lanes, e.Dir); ok && e.Lane == "" && !e.Foreign {
				q.Entries[i].Lane, q.Entries[i].Root = tree.Name, tree.Root
			}
		}
	}
}

// whose adds to linkers where they work and how they came past the shims. In a
// stall there are dozens, and each may be slow to answer: then some reasons
// stay unknown.
func whose(ctx context.Context, found []links.Linker, lanes []worktrees.Tree) (out []linkerState) {
	const patience = time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, l := range found {
		one := linkerState{Linker: l}
		if !l.Hidden {
			one.past = links.PastOf(ctx, l)
		}
		if cwd, err := proc.Real.Cwd(l.PID); err == nil && cwd.Known() {
			one.dir = cwd.Path
			tree, _ := worktrees.Of(lanes, cwd.Path)
			one.lane = tree.Name
		}
		out = append(out, one)
	}
	return out
}

// lanes are those of the repository we stand in, if they are asked for.
func (a *app) lanes(ctx context.Context, p place, wanted bool) []worktrees.Tree {
	if !wanted || p.lane.Root == "" {
		return nil
	}
	list, err := gates.LanesHere(ctx, p.lane)
	if err != nil {
		a.console.note(err.Error())
	}
	return list
}

// waited is how long a ticket has been in line; the clock may have been set
// back meanwhile.
func (s lockState) waited(e buildlock.Entry) time.Duration {
	return max(0, s.now.Sub(e.Since))
}
