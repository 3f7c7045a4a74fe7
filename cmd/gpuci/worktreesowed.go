package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// lookAtDebts finds what each lane owes. Lanes that could not be read are left out.
func (a *app) lookAtDebts(ctx context.Context, p place, l *lanesLook) {
	o := a.historyOptions(p.config, p.lane)
	if _, err := os.Stat(o.State); errors.Is(err, fs.ErrNotExist) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lanePatience)
	defer cancel()
	past := gates.NewPast(ctx, o)
	var trees []worktrees.Tree
	for _, lane := range l.lanes {
		if lane.Err == nil && !lane.Removed {
			trees = append(trees, lane.Tree)
		}
	}
	done := make(chan []gates.Debt, 1)
	go func() { // a disk that does not answer keeps nobody
		defer past.Close()
		debts, err := gates.Unpaid(ctx, past)
		if err != nil && ctx.Err() == nil {
			a.console.note("what is owed is not known: " + err.Error())
		}
		debts = slices.DeleteFunc(debts, func(d gates.Debt) bool {
			return !slices.ContainsFunc(trees, func(t worktrees.Tree) bool { return t.Name == d.Lane })
		})
		done <- gates.StillOwed(gates.Settle(ctx, past, trees, debts))
	}()
	select {
	case <-ctx.Done():
	case debts := <-done:
		for i := range l.lanes {
			l.lanes[i].owes = slices.DeleteFunc(slices.Clone(debts), func(d gates.Debt) bool { return d.Lane != l.lanes[i].Name })
		}
	}
}

// lookAtComparisons finds the comparisons that each lane owes.
func (a *app) lookAtComparisons(p place, l *lanesLook) {
	state, _ := gates.StateDir(p.lane, p.config.Root)
	list, err := a.owedIn(state, l.trees(), func(lane worktrees.Lane) (*config.Config, error) {
		for _, one := range l.lanes {
			if one.Root == lane.Root {
				return one.config, nil
			}
		}
		return nil, nil
	})
	if err != nil {
		a.console.note("which comparisons are owed is not known: " + err.Error())
	}
	for i := range l.lanes {
		for _, c := range list {
			if c.Lane == l.lanes[i].Name {
				l.lanes[i].comparisons = append(l.lanes[i].comparisons, c)
			}
		}
	}
}

// owesText is what a lane owes: "owes fused-time since 14:02 (card busy)", "" for
// nothing.
func (l lanesLook) owesText(lane laneLook) string {
	var parts []string
	for _, d := range lane.owes {
		part := fmt.Sprintf("%s %s%s", d.Gate, d.SinceText(l.now), movedText(d))
		if d.User != "" {
			part += " of user " + d.User
		}
		parts = append(parts, part)
	}
	for _, c := range lane.comparisons {
		parts = append(parts, fmt.Sprintf("comparison %s of %s since %s", c.ID, c.Gate, sinceCell(c.End.At, l.now)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "owes " + strings.Join(parts, ", ") + ": gpuci debt pay " + lane.Name
}
