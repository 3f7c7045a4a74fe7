package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// defaultDebtWait is for a training run that ends in the night.
const defaultDebtWait = 12 * time.Hour

// debtPayOptions are the flags of `gpuci debt pay`.
type debtPayOptions struct {
	quiet, json, verbose bool
	wait                 waitFlag
	waits                bool // --wait was given
	comparisons          int  // that are owed still
}

func (a *app) debtPayCommand() *cobra.Command {
	var o debtPayOptions
	cmd := &cobra.Command{
		Use:   "pay [LANE|GATE…]",
		Short: "run what is owed, the oldest first",
		Long: `pay runs the gates that are owed, the oldest debt first, each in its own lane as
gpuci gate does. With names, only those of these lanes or gates.

A gate is run on what is in its lane then, also where that is not what it was refused
on. One that is refused again stays owed. After one that found the card busy, the
others that ask for no less of it are left for now; those that may share a card, or are
owed for another reason, have their turn. One that another gpuci is paying is left to
it; a debt that has become void meanwhile is named, and not run.

With --when-quiet, what is still owed then is waited for: for the card in line with
all other gates that wait for it, for the machine until nobody else is at work, for
another gpuci until it has paid or given up. A run that somebody disturbed is tried
again. Comparisons that are owed are gone on with first. --wait says for how long all in all; 0 looks once.

Examples:
  gpuci debt pay
  gpuci debt pay fused-time
  gpuci debt pay --when-quiet --wait 8h kda-adjoint

Exit codes: 0 all that was owed is paid and green or known red, or nothing was owed;
75 something is owed still; else those of gpuci gate for several gates; 4 no such
lane or gate.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.waits = cmd.Flags().Changed("wait"); o.wait < 0 {
				return coded{gates.ExitUsage, fmt.Sprintf("--wait %s is no time to wait", o.wait.String()), "leave --wait out to wait 12h with --when-quiet; 0 looks once"}
			}
			return a.payDebts(cmd.Context(), o, args)
		},
	}
	cmd.ValidArgsFunction = a.gateWords
	f := cmd.Flags()
	f.BoolVar(&o.quiet, "when-quiet", false, "wait until the card or the machine is quiet")
	f.Var(&o.wait, "wait", "how long to wait for that, all in all (default 12h; 0 looks once; implies --when-quiet)")
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say every step and command, and show every bar")
	return cmd
}

// patience is how long may be waited.
func (o debtPayOptions) patience() time.Duration {
	if o.quiet && !o.waits {
		return defaultDebtWait
	}
	return time.Duration(o.wait)
}

func (a *app) payDebts(ctx context.Context, o debtPayOptions, names []string) error {
	a.json = o.json
	l, err := a.ledger(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	debts, err := l.debts(ctx)
	if err == nil {
		err = l.known(names, debts)
	}
	if err != nil {
		return err
	}
	var codes []int
	if o.comparisons, codes, err = a.payComparisons(ctx, l, o, names); err != nil {
		return err
	}
	owed := slices.DeleteFunc(gates.StillOwed(debts), func(d gates.Debt) bool { return !d.Fits(names) })
	if len(owed) == 0 {
		code := gates.WorstExit(codes...)
		if err := a.paid(o, nil, code); err != nil || o.json {
			return cmp.Or(err, error(coded{code: code}))
		}
		_, err := io.WriteString(a.out, lostText(debts, names))
		return cmp.Or(err, error(coded{code: code}))
	}
	state, note := gates.StateDir(l.lane, l.config.Root)
	if note != "" {
		a.console.note(note)
	}
	payments, err := gates.Pay(ctx, gates.PayOptions{
		Past: l.past, State: state, Lanes: l.trees, Wait: o.patience(), Root: pressureRoot(), Note: a.console.note,
		Fits: func(d gates.Debt) bool { return d.Fits(names) }, Never: l.never,
		Prepare: func(_ context.Context, d gates.Debt, lane worktrees.Lane) (gates.Job, error) {
			return a.debtJob(l, o, d, lane)
		},
		Told: a.tellPayment,
	})
	if ctx.Err() != nil {
		return a.cutOff(context.Cause(ctx), o, payments, err)
	}
	if err != nil {
		return unread(err)
	}
	code := gates.WorstExit(append(codes, debtExit(payments))...)
	return cmp.Or(a.paid(o, payments, code), error(coded{code: code}))
}

// cutOff says of who was told to stop what is paid and what is owed still.
func (a *app) cutOff(cause error, o debtPayOptions, payments []gates.Payment, err error) error {
	if err == nil {
		err = a.paid(o, payments, exitCode(cause, true))
	}
	if err != nil && !unheard(err) {
		a.console.note("what is owed still is not told: " + err.Error())
	}
	return cause
}

// known says which of the names is neither of a lane nor of a gate.
func (l ledger) known(names []string, debts []gates.Debt) error {
	var all []string
	for _, t := range l.trees {
		all = append(all, t.Name)
	}
	all = append(all, gateNames(l.config)...)
	for _, d := range debts {
		all = append(all, d.Lane, d.Gate)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return coded{gates.ExitNothing, fmt.Sprintf("there is no lane and no gate %q", name), nearHint(name, all, "gpuci debt lists what is owed")}
		}
	}
	return nil
}

// debtJob makes a debt's gate ready to run in its lane.
func (a *app) debtJob(l ledger, o debtPayOptions, d gates.Debt, lane worktrees.Lane) (gates.Job, error) {
	cfg, err := l.meant.config(lane)
	if err != nil {
		return gates.Job{}, errors.New(mistakeText(err, lane.Root))
	}
	g, ok := cfg.Gate(d.Gate)
	if !ok {
		return gates.Job{}, fmt.Errorf("its %s has no gate %s", config.FileName, d.Gate)
	}
	run := func(ctx context.Context, wait time.Duration) (v gates.Verdict) {
		a.console.note(fmt.Sprintf("lane %s, gate %s: owed %s%s", d.Lane, d.Gate, d.SinceText(time.Now()), movedText(d)))
		r, err := a.runIn(ctx, cfg, lane, gateOptions{json: o.json, verbose: o.verbose, keepGoing: true, card: cardFlags{wait: max(wait, 0), waits: wait >= 0 || o.waits}}, []config.Gate{*g})
		if err == nil && len(r.done) > 0 {
			return r.done[0]
		}
		v.Outcome, v.Exit = gates.Refused, exitCode(err, true)
		return v
	}
	return gates.Job{Need: g.Card, Shares: g.ShareGPU, Run: run}, nil
}
