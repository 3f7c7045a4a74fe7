package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// owedComparison is a comparison that was refused for something that passes.
type owedComparison struct {
	ab.Log
	w bankWorkspace // of its lane
}

// owedComparisons are those of all lanes, the oldest first. One whose lane or gate is
// gone, whose gate is another one by now, or that is older than age in [bank], is none.
func (a *app) owedComparisons(l ledger) (list []owedComparison, err error) {
	state, _ := gates.StateDir(l.lane, l.config.Root)
	if list, err = a.owedIn(state, l.trees, l.meant.config); err != nil {
		return nil, coded{exitUnfit, err.Error(), "gpuci doctor says what is wrong"}
	}
	return list, nil
}

// owedIn are those whose journals are in a directory, of lanes with their settings.
func (a *app) owedIn(state string, trees []worktrees.Tree, settings func(worktrees.Lane) (*config.Config, error)) (list []owedComparison, err error) {
	logs, err := ab.Logs(state)
	if err != nil {
		return nil, err
	}
	for _, log := range slices.Backward(logs) {
		if log.End == nil || log.End.State != ab.Owing {
			continue
		}
		at := slices.IndexFunc(trees, func(t worktrees.Tree) bool { return t.Name == log.Lane && !t.Removed })
		if at < 0 {
			continue
		}
		cfg, err := settings(trees[at].Lane)
		if err != nil || cfg == nil {
			continue
		}
		g, ok := cfg.Gate(log.Gate)
		if !ok || gates.SettingsID(*g) != log.Settings || time.Since(log.Started) > cfg.Bank.Age {
			continue
		}
		w, err := a.bankOf(cfg, trees[at].Lane)
		if err != nil {
			return nil, err
		}
		list = append(list, owedComparison{log, w})
	}
	return list, nil
}

// owedTonight are those of all lanes, for the report of a night.
func (a *app) owedTonight(ctx context.Context, state string, lane worktrees.Lane, root string) (out []ci.Comparison) {
	trees, err := gates.LanesHere(ctx, lane)
	var list []owedComparison
	if err == nil {
		at := "."
		if rel, err := filepath.Rel(lane.Root, root); err == nil {
			at = rel
		}
		list, err = a.owedIn(state, trees, meant{at: at}.config)
	}
	if err != nil {
		a.console.note("which comparisons are owed is not known: " + err.Error())
	}
	for _, o := range list {
		out = append(out, ci.Comparison{ID: o.ID, Lane: o.Lane, Gate: o.Gate, Since: o.End.At, Why: oneLine(o.End.Why)})
	}
	return out
}

// owedLine is one in JSON.
type owedLine struct {
	Type  string    `json:"type"` // always "owed-comparison"
	ID    string    `json:"id"`
	Lane  string    `json:"lane"`
	Gate  string    `json:"gate"`
	Since time.Time `json:"since"`
	Why   string    `json:"why"`
}

func (o owedComparison) line() owedLine {
	return owedLine{"owed-comparison", o.ID, o.Lane, o.Gate, o.End.At, o.End.Why}
}

// text is one for people.
func (o owedComparison) text(now time.Time) string {
	return fmt.Sprintf("comparison %s of gate %s in lane %s, since %s: %s", o.ID, o.Gate, o.Lane, sinceCell(o.End.At, now), oneLine(o.End.Why))
}

// owedComparisonsText is what is owed of comparisons.
func owedComparisonsText(list []owedComparison, now time.Time) string {
	var b strings.Builder
	for _, o := range list {
		b.WriteString(printable(o.text(now)) + "\n")
	}
	return b.String()
}

// payComparisons goes on with those of the lanes or gates that are named, before the
// gates that are owed, and says how many are owed still.
func (a *app) payComparisons(ctx context.Context, l ledger, o debtPayOptions, names []string) (owed int, codes []int, err error) {
	list, err := a.owedComparisons(l)
	if err != nil {
		return 0, nil, err
	}
	for _, c := range list {
		if len(names) > 0 && !slices.Contains(names, c.Lane) && !slices.Contains(names, c.Gate) {
			continue
		}
		if ctx.Err() != nil {
			owed++
			continue
		}
		a.console.note(printable(c.text(time.Now())))
		f := armFlags{verbose: o.verbose, card: cardFlags{wait: o.patience(), waits: o.patience() > 0 || o.waits}}
		r, err := a.payComparison(ctx, c, f)
		var arm *ab.ArmError
		switch {
		case errors.Is(err, ab.ErrHeld):
			a.console.note(err.Error())
			owed++
			codes = append(codes, gates.Refused.ExitCode())
			continue
		case errors.As(err, &arm): // it may be gone on with when the lane is what it was
			a.console.note("comparison " + c.ID + " is left: " + arm.Why)
			owed++
			codes = append(codes, gates.Refused.ExitCode())
			continue
		case err != nil:
			return owed, codes, err
		}
		_ = a.console.settle()
		if err := a.printAB(r, o.json); err != nil {
			return owed, codes, err
		}
		codes = append(codes, r.Exit)
		if r.End.State == ab.Owing || r.End.State == ab.Stopped {
			owed++
		}
	}
	return owed, codes, nil
}

func (a *app) payComparison(ctx context.Context, c owedComparison, f armFlags) (*ab.Report, error) {
	opt, err := c.w.resumedAs(c.ID)
	if err != nil {
		return nil, err
	}
	a.clearScratch(ctx, c.w.lane, c.w.scratch)
	return a.compared(ctx, c.w, f, opt)
}
