package main

import (
	"context"

	"github.com/spf13/cobra"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// reaperListOptions are the flags of `gpuci reaper list`.
type reaperListOptions struct {
	laneFlags
	json bool
}

func (a *app) reaperListCommand() *cobra.Command {
	var o reaperListOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "say which compilers and linkers there are, whose, and which are leaked",
		Long: `list looks once at all processes and names those that the reaper judges: the
compilers and linkers and the scripts that stand in for them, orphans that a run
of gpuci left, and orphans that run a program of a lane's target directory. Each
with its state, its age, what it has read from storage and written to it so far,
its directory, the lane it belongs to and by what that was told; whether it is
leaked, and why or why not. They stand by lanes and in trees, the topmost process
first; those of no lane of this repository come last and short.

It lists this lane's, and orphans of which nobody knows whose they are; of other
lanes and of strangers' builds it says how many, and --every-lane lists them. It
ends nothing.

Examples:
  gpuci reaper list
  gpuci reaper list --every-lane
  gpuci reaper list --json | jq 'select(.leaked) | .pid'

Exit codes: 0, 4 no such lane, 64 usage, 69 the process table cannot be read or is
another pid namespace's, or the file system of the lane does not answer, 78
configuration, 130 and 143 interrupted.`,
		Args: noLaneWord,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.reaperList(cmd.Context(), o) },
	}
	o.register(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

func (a *app) reaperList(ctx context.Context, o reaperListOptions) error {
	a.json = o.json
	g, err := a.ground(ctx, o.laneFlags)
	if err != nil {
		return err
	}
	a.noteTorn(g)
	l, err := g.look(ctx)
	if err != nil {
		return err
	}
	l.all = o.every
	if o.json {
		return a.listJSON(l)
	}
	return a.listText(l)
}

// reaperLook is all that `gpuci reaper list` tells.
type reaperLook struct {
	ground
	trees  []suspectTree // of the lanes that are meant, and of none
	all    bool          // those of strangers are to be listed too
	others int           // processes of lanes that are not meant
	leaks  []leakedLane  // and what is leaked of those
	// testable says that --test-binaries would end something.
	testable bool
	unseen   []unseen
}

// look judges all processes.
func (g ground) look(ctx context.Context) (reaperLook, error) {
	l := reaperLook{ground: g}
	p, j, err := g.judge(ctx)
	if err != nil {
		return l, err
	}
	for _, t := range treesOf(j.Judged, g.lanes) {
		if lane := t.top().Lane; lane != "" && !g.meant[lane] {
			l.others += len(t)
			continue
		}
		t.readIO(proc.Real)
		l.trees = append(l.trees, t)
	}
	l.unseen = unseenByReaper(p)
	if l.leaks, err = g.elsewhere(p); err == nil {
		l.testable, err = l.judgeTests(p)
	}
	return l, reaperError(ctx, err)
}

// judge takes a picture and judges it.
func (g ground) judge(ctx context.Context) (reaper.Picture, reaper.Judgement, error) {
	if err := proc.Real.Own(); err != nil {
		return reaper.Picture{}, reaper.Judgement{}, reaperError(ctx, err)
	}
	o := g.options()
	p, err := reaper.Look(ctx, proc.Real, o.Runs)
	if err != nil {
		return p, reaper.Judgement{}, reaperError(ctx, err)
	}
	j, err := reaper.Judge(p, o.Lanes, o.Wanted, o.Rules)
	if ctx.Err() != nil { // what was not answered may only not have been waited for
		err = ctx.Err()
	}
	return p, j, reaperError(ctx, err)
}

// count adds up what is listed.
func (l reaperLook) count() (all, leaked int) {
	for _, t := range l.trees {
		all += len(t)
		leaked += t.leaked()
	}
	return all, leaked
}
