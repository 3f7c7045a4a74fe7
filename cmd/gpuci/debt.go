package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// debtOptions are the flags of `gpuci debt`.
type debtOptions struct {
	all, json bool
}

func (a *app) debtCommand() *cobra.Command {
	var o debtOptions
	cmd := &cobra.Command{
		Use:        "debt",
		Short:      "what was refused for the card or the machine, and is owed",
		SuggestFor: []string{"debts", "owed", "owe"},
		Long: `debt lists the measurements that are owed: gates that were refused because the card
was busy, unknown or contended, or the machine was not quiet, and that have not been
run since. A gate that can never run here, as one that needs a card on a machine
without a driver, owes nothing.

A debt is of a gate, a lane, its commit and what was not committed there. It is paid
by the next run of that gate on the same content that comes to anything, be it red,
also in another lane or under an amended message. A run that was refused, interrupted
or partial pays nothing. Where the lane has gone on since, the gate is owed for what
is there now, until it has come to something in that lane. It is void when the commit
or the lane is gone, or the gate has been run on what came after; and for as long as
this machine has not the cards that its gate needs. A driver that does not answer says
nothing of that.

What other users were refused is listed too, with their name. Their runs pay what they
owe themselves, and yours all.

A comparison of two arms (gpuci ab) that was refused is owed as well, and stands below
the gates.

Nothing is kept of debts but the history and the comparisons, so that no kill loses one. Of a run that could
not be recorded, as on a full disk, nothing is owed, and it says so.

Examples:
  gpuci debt
  gpuci debt list --all         # the void ones too, with why
  gpuci debt pay                # run them, the oldest first
  gpuci debt pay --when-quiet   # as soon as the card is quiet

Exit codes: 0 whether something is owed or not, 4 outside of git, 64 usage, 69 the
lanes or the history cannot be read, 78 configuration, 130 and 143 interrupted.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.debts(cmd.Context(), o) },
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "list what is owed",
		Long: `list is what gpuci debt does without a word behind it: one line for each debt, the
oldest first, with its lane, commit, gate, since when it is owed, and why.

Example:
  gpuci debt list --json | jq -r .gate

Exit codes: those of gpuci debt.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.debts(cmd.Context(), o) },
	}
	for _, c := range []*cobra.Command{cmd, list} {
		c.Flags().BoolVar(&o.all, "all", false, "those that are void too, and why")
		c.Flags().BoolVar(&o.json, "json", false, "print JSON lines, one for each debt")
	}
	cmd.AddCommand(list, a.debtPayCommand())
	return cmd
}

// ledger is what debts are told from and paid by.
type ledger struct {
	place
	past  *gates.Past
	trees []worktrees.Tree          // the lanes that are there
	meant meant                     // where we stand in each
	never func(d gates.Debt) string // why it can never be paid here, "" where it can
}

// ledger opens it. It is to be closed; past is nil where gpuci has never run.
func (a *app) ledger(ctx context.Context) (l ledger, err error) {
	if l.place, err = a.place(ctx, true); err != nil {
		return l, err
	}
	if l.config.Root != "" {
		if _, err := a.unpacked(l.config, l.lane); err != nil {
			return l, err
		}
	}
	if a.bundle != nil {
		return l, coded{gates.ExitUsage, "a bundle keeps no debts: it has no lane that could owe anything", "run what was refused again: ./gpuci gate GATE"}
	}
	if l.lane.Root == "" {
		return l, errNoLanes()
	}
	if l.trees, err = gates.LanesHere(ctx, l.lane); err != nil {
		if ctx.Err() != nil {
			return l, context.Cause(ctx)
		}
		return l, coded{exitUnfit, err.Error(), "git worktree list says what git knows"}
	}
	l.meant.at = "."
	if rel, err := filepath.Rel(l.lane.Root, l.dir); err == nil {
		l.meant.at = rel
	}
	l.never = l.neverHere(a.cards(l.config, l.lockDir(), l.lane).Never(ctx))
	o := a.historyOptions(l.config, l.lane)
	if _, err := os.Stat(o.State); !errors.Is(err, fs.ErrNotExist) {
		l.past = gates.NewPast(ctx, o)
	}
	return l, nil
}

// neverHere asks of a debt what its gate needs, as its lane has it now; never says of a need
// why it cannot be met.
func (l ledger) neverHere(never func(config.CardNeed) string) func(d gates.Debt) string {
	return func(d gates.Debt) string {
		at := slices.IndexFunc(l.trees, func(t worktrees.Tree) bool { return t.Name == d.Lane && !t.Removed })
		if at < 0 {
			return ""
		}
		cfg, err := l.meant.config(l.trees[at].Lane)
		if err != nil {
			return ""
		}
		if g, ok := cfg.Gate(d.Gate); ok {
			return never(g.Card)
		}
		return ""
	}
}

func (l ledger) close() { _ = l.past.Close() }

// debts are all that the history knows, with what became of their lanes.
func (l ledger) debts(ctx context.Context) ([]gates.Debt, error) {
	if l.past == nil {
		return nil, nil
	}
	debts, err := gates.Unpaid(ctx, l.past)
	if err == nil {
		debts = gates.Unrunnable(gates.Settle(ctx, l.past, l.trees, debts), l.never)
	}
	if ctx.Err() != nil { // which may be why it could not be read
		return nil, context.Cause(ctx)
	}
	return debts, unread(err)
}

func (a *app) debts(ctx context.Context, o debtOptions) error {
	a.json = o.json
	l, err := a.ledger(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	debts, err := l.debts(ctx)
	if err != nil {
		return err
	}
	void := len(debts)
	if owed := gates.StillOwed(debts); !o.all {
		debts, void = owed, void-len(owed)
	} else {
		void = 0
	}
	comparisons, err := a.owedComparisons(l)
	if err != nil {
		return err
	}
	slices.SortStableFunc(debts, func(a, b gates.Debt) int { return rank(a.Void == "") - rank(b.Void == "") })
	if o.json {
		return a.debtsJSON(debts, comparisons)
	}
	return a.debtsText(debts, comparisons, void, time.Now())
}
