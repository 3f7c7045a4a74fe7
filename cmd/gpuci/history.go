package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// historyFlags are the flags of `gpuci history`.
type historyFlags struct {
	lanes   []string
	since   string
	limit   int
	json    bool
	swept   bool
	metric  string
	partial bool
}

func (a *app) historyCommand() *cobra.Command {
	var o historyFlags
	cmd := &cobra.Command{
		Use:   "history [GATE]",
		Short: "what came of the gates, and how their numbers went",
		Long: `history shows what every gate of this repository came to, in all its lanes.

Without a gate it has a line for each gate and lane: the last outcome, of which
commit, when, and whether it is stale: something that the gate reads has changed
since, so that a green as well as a red is one of the past. With a gate it shows
how often it came out how, the course of each of its numbers, and the last
results.

Numbers are compared only with those of the same series: the same gate, metric,
labels and unit, on the same backend, card and profile. Each series is drawn by
itself, oldest on the left; a number that spans two powers of ten is drawn by its
logarithm.

Examples:
  gpuci history
  gpuci history fused-adjoint --since 30d
  gpuci history fused-adjoint --lane kda --metric worst-rel --json
  gpuci history --swept            # what was ended as leaked

Exit codes: 0, 4 no such gate or lane, 64 usage, 69 the history cannot be read,
78 configuration.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = o.json
			return a.history(cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.lanes, "lane", nil, "of lane `L` alone; can be repeated")
	f.StringVar(&o.since, "since", "", "of the last `TIME` (30d, 12h) or since a day (2026-11-01)")
	f.IntVarP(&o.limit, "limit", "n", 20, "show the last `N` results")
	f.StringVar(&o.metric, "metric", "", "of metric `M` alone")
	f.BoolVar(&o.partial, "partial", false, "also runs that got arguments after --")
	f.BoolVar(&o.swept, "swept", false, "what was ended as leaked, instead")
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	cmd.AddCommand(a.historyExportCommand(), a.historyCheckCommand())
	return cmd
}

// past is a history as a command looks at it.
type past struct {
	cfg   *config.Config
	lane  worktrees.Lane
	store *history.Store
	flags historyFlags
	since time.Time
}

func (a *app) history(cmd *cobra.Command, o historyFlags, args []string) error {
	since, err := sinceTime(o.since, time.Now())
	if err != nil {
		return err
	}
	if o.limit < 1 {
		return coded{gates.ExitUsage, fmt.Sprintf("--limit %d shows nothing", o.limit), "give a number from 1"}
	}
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	store, err := a.openHistory(ctx, cfg, lane)
	if err != nil {
		return err
	}
	defer store.Close()
	p := past{cfg, lane, store, o, since}
	switch {
	case o.swept && len(args) > 0:
		return coded{gates.ExitUsage, "--swept is of lanes, not of a gate", "leave the gate out"}
	case o.swept:
		err = a.swept(ctx, p)
	case len(args) == 0:
		err = a.overview(ctx, p)
	default:
		err = a.gateHistory(ctx, p, args[0])
	}
	return err
}

// unread is the error of a history that cannot be read.
func unread(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return coded{exitUnfit, err.Error(), "gpuci doctor says what is wrong; the runs themselves are in GIT_COMMON_DIR/gpuci/runs"}
}

// sinceTime reads a length of time back from now, or a day.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	d, err := config.ParseSpan(text)
	if err != nil {
		return time.Time{}, coded{gates.ExitUsage, fmt.Sprintf("--since %s is no time: neither a length of time nor a day", text), "give a time such as 30d or 12h, or a day such as 2026-11-01"}
	}
	return now.Add(-d), nil
}

// query is what the flags ask for, of one lane.
func (p past) query(gate, lane string) history.Query {
	return history.Query{Gate: gate, Lane: lane, Since: p.since, Partial: p.flags.partial}
}

// lanes are those asked for; one without a name means all.
func (p past) lanes(ctx context.Context, known map[string]bool) ([]string, error) {
	if len(p.flags.lanes) == 0 {
		return []string{""}, nil
	}
	for _, name := range p.flags.lanes {
		if !known[name] && !p.stands(ctx, name) {
			return nil, coded{gates.ExitNothing, fmt.Sprintf("there is no lane %q, and no result of one", name), nearHint(name, p.laneNames(ctx, known), "gpuci history shows which there are")}
		}
	}
	return p.flags.lanes, nil
}

// stands says whether there is such a lane now, whatever ran in it.
func (p past) stands(ctx context.Context, name string) bool {
	return slices.Contains(p.laneNames(ctx, nil), name)
}

// laneNames are the lanes that there are now, and those that are known besides.
func (p past) laneNames(ctx context.Context, known map[string]bool) []string {
	names := slices.Sorted(maps.Keys(known))
	if p.lane.Root == "" { // outside of git, or in a bundle
		return names
	}
	trees, _ := gates.LanesHere(ctx, p.lane)
	for _, t := range trees {
		if !known[t.Name] {
			names = append(names, t.Name)
		}
	}
	return names
}
