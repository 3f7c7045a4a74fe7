package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// bankWorkspace is where comparisons and decisions are of.
type bankWorkspace struct {
	cfg     *config.Config
	lane    worktrees.Lane
	state   string // directory of the runs
	scratch string // of scratch lanes

	driver string   // of the cards that are here, once they were looked at
	models []string // and these
}

// bankWorkspace finds it from where we stand.
func (a *app) bankWorkspace(cmd *cobra.Command) (w bankWorkspace, err error) {
	if w.cfg, w.lane, err = a.workspace(cmd); err != nil {
		return w, err
	}
	if a.bundle != nil || w.lane.Root == "" {
		return w, coded{gates.ExitNothing, "there is no lane to make arms of: this is no git worktree", "cd into a lane, or name its directory by -C"}
	}
	return a.bankOf(w.cfg, w.lane)
}

func (a *app) bankOf(cfg *config.Config, lane worktrees.Lane) (w bankWorkspace, err error) {
	note := ""
	w.cfg, w.lane = cfg, lane
	if w.state, note = gates.StateDir(lane, cfg.Root); note != "" {
		a.console.note(note)
	}
	w.scratch, err = ci.ScratchDir(cfg, lane)
	return w, err
}

// complete adds to what is asked for where it is.
func (w bankWorkspace) complete(o ab.Options) ab.Options {
	o.BookFiles = w.tables()
	o.Lane, o.Root, o.State, o.ScratchDir, o.Version, o.Bank = w.lane, w.cfg.Root, w.state, w.scratch, versionText(), w.cfg.Bank
	return o
}

// resumed finds the comparison that is to be gone on with.
func (w bankWorkspace) resumed(cmd *cobra.Command, f armFlags, args []string) (o ab.Options, err error) {
	for _, name := range []string{"arm", "aa", "metric", "quality", "samples", "most", "warm", "seed"} {
		if cmd.Flags().Changed(name) {
			return o, coded{gates.ExitUsage, "--" + name + " is as it was when the comparison began", "leave it out, or begin anew without --resume"}
		}
	}
	id := f.resume
	if id == newest && len(args) == 1 { // --resume ID, which a flag that need not have a word does not take
		id, args = args[0], nil
	}
	if len(args) > 0 {
		return o, coded{gates.ExitUsage, "--resume takes the gate from the comparison", "leave " + args[0] + " out"}
	}
	if id == newest {
		if id, err = w.unfinished(); err != nil {
			return o, err
		}
	}
	return w.resumedAs(id)
}

func (w bankWorkspace) resumedAs(id string) (o ab.Options, err error) {
	log, err := ab.ReadLog(w.state, id)
	if err != nil {
		return o, err
	}
	g, ok := w.cfg.Gate(log.Gate)
	if !ok {
		return o, noGate(w.cfg, log.Gate)
	}
	if log.Lane != w.lane.Name {
		return o, coded{gates.ExitUsage, fmt.Sprintf("comparison %s was begun in lane %s", id, log.Lane), "go on with it there: cd to it, or name it by -C"}
	}
	o.Gate, o.Resume = *g, id
	return w.complete(o), nil
}

// unfinished is the newest comparison of this lane that has not ended.
func (w bankWorkspace) unfinished() (string, error) {
	logs, err := ab.Logs(w.state)
	if err != nil {
		return "", err
	}
	held := ""
	for _, l := range logs {
		switch {
		case !l.Unfinished() || l.Lane != w.lane.Name:
		case ab.Held(w.state, l.ID):
			held = l.ID
		default:
			return l.ID, nil
		}
	}
	if held != "" {
		return held, nil // which is said by who opens it
	}
	return "", coded{gates.ExitNothing, "no comparison of this lane is unfinished", "gpuci ab --help has how to begin one"}
}

// compare runs a comparison, and prints what came of it.
func (a *app) compare(ctx context.Context, w bankWorkspace, f armFlags, o ab.Options) error {
	r, err := a.compared(ctx, w, f, o)
	if err != nil {
		return abError(err)
	}
	_ = a.console.settle()
	if err := a.printAB(r, f.json); err != nil {
		return err
	}
	return coded{code: abExit(r, f.exitCode)}
}

// compared runs it.
func (a *app) compared(ctx context.Context, w bankWorkspace, f armFlags, o ab.Options) (*ab.Report, error) {
	rule, err := place{config: w.cfg}.rule(ownEnv(), f.noPressure)
	if err != nil {
		return nil, err
	}
	past := gates.NewPast(ctx, a.historyOptions(w.cfg, w.lane))
	defer past.Close()
	o.Note = a.console.note
	prepare := a.armOptions(w.cfg, gateOptions{verbose: f.verbose, card: f.card}, w.state, rule, past)
	o.Prepare = func(scratch worktrees.Lane, root string) (gates.Options, error) {
		return prepare(o.Gate, scratch, root)
	}
	return ab.Run(ctx, o)
}

// abExit is the exit code of a comparison.
func abExit(r *ab.Report, strict bool) int {
	worse := slices.ContainsFunc(append([]*ab.Report{r}, r.Each...), func(one *ab.Report) bool {
		return one.Judged.Verdict == judge.Worse || one.Judged.Verdict == judge.WinLosesQuality
	})
	if r.Exit == 0 && strict && worse {
		return gates.Red.ExitCode()
	}
	return r.Exit
}
