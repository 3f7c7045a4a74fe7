package main

import (
	"context"
	"errors"
	"fmt"
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
}

func (a *app) debtPayCommand() *cobra.Command {
	var o debtPayOptions
	cmd := &cobra.Command{
		Use:   "pay [LANE|GATE…]",
		Short: "run what is owed, the oldest first",
		Long: `pay runs the gates that are owed, the oldest debt first, each in its own lane as
gpuci gate does. With names, only those of these lanes or gates.

A gate that is refused again stays owed. After one that was refused for the card, the
others that ask for no less of it are left for now, and those that are owed for
another reason have their turn. A debt whose lane has gone on meanwhile is void, and
is not run; one that another gpuci is paying is left to it.

With --when-quiet, what is still owed then is waited for: for the card in line with
all other gates that wait for it, for the machine until nobody else is at work. --wait
says for how long all in all.

Examples:
  gpuci debt pay
  gpuci debt pay fused-time
  gpuci debt pay --when-quiet --wait 8h kda-adjoint

Exit codes: 0 all that was owed is paid and green or known red, or nothing was owed;
75 something is owed still; else those of gpuci gate for several gates; 4 no such
lane or gate.`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.payDebts(cmd.Context(), o, args) },
	}
	cmd.ValidArgsFunction = a.gateWords
	f := cmd.Flags()
	f.BoolVar(&o.quiet, "when-quiet", false, "wait until the card or the machine is quiet")
	f.Var(&o.wait, "wait", "how long to wait for that, all in all (default 12h; implies --when-quiet)")
	f.BoolVar(&o.json, "json", false, "print JSON lines, each with a type")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "say every step and command, and show every bar")
	return cmd
}

// patience is how long may be waited.
func (o debtPayOptions) patience() time.Duration {
	if o.wait == 0 && o.quiet {
		return defaultDebtWait
	}
	return max(time.Duration(o.wait), 0)
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
	owed := slices.DeleteFunc(gates.StillOwed(debts), func(d gates.Debt) bool { return !d.Fits(names) })
	if len(owed) == 0 {
		return a.paid(o, nil)
	}
	state, note := gates.StateDir(l.lane, l.config.Root)
	if note != "" {
		a.console.note(note)
	}
	payments, err := gates.Pay(ctx, gates.PayOptions{
		Past: l.past, State: state, Lanes: l.trees, Wait: o.patience(), Root: pressureRoot(), Note: a.console.note,
		Fits: func(d gates.Debt) bool { return d.Fits(names) },
		Prepare: func(_ context.Context, d gates.Debt, lane worktrees.Lane) (gates.Job, error) {
			return a.debtJob(l, o, d, lane)
		},
		Told: a.tellPayment,
	})
	if err != nil {
		return unread(err)
	}
	if err := a.paid(o, payments); err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return coded{code: debtExit(payments)}
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
		a.console.note(fmt.Sprintf("lane %s, gate %s: owed %s", d.Lane, d.Gate, d.SinceText(time.Now())))
		r, err := a.runIn(ctx, cfg, lane, gateOptions{json: o.json, verbose: o.verbose, keepGoing: true, card: cardFlags{wait: max(wait, 0), waits: wait >= 0}}, []config.Gate{*g})
		if err == nil && len(r.done) > 0 {
			return r.done[0]
		}
		v.Outcome, v.Exit = gates.Refused, exitCode(err, true)
		return v
	}
	return gates.Job{Need: g.Card, Run: run}, nil
}

// tellPayment says on stderr what became of one that was not simply run.
func (a *app) tellPayment(p gates.Payment) {
	if p.Left != "" {
		a.console.note(fmt.Sprintf("lane %s, gate %s: %s", p.Lane, p.Gate, printable(p.Left)))
	}
}

// debtExit is what payments make of the exit code.
func debtExit(payments []gates.Payment) int {
	var codes []int
	for _, p := range payments {
		codes = append(codes, p.Exit)
	}
	return gates.WorstExit(codes...)
}

// payLine closes the answer in JSON.
type payLine struct {
	Type     string          `json:"type"` // always "paid"
	Paid     int             `json:"paid"`
	Owed     int             `json:"owed"`
	Payments []gates.Payment `json:"payments"`
	Exit     int             `json:"exit"`
}

// paid closes the answer.
func (a *app) paid(o debtPayOptions, payments []gates.Payment) error {
	sum := payLine{Type: "paid", Payments: payments, Exit: debtExit(payments)}
	for _, p := range payments {
		sum.Paid += rank(!p.Paid)
		sum.Owed += rank(p.Paid || p.Exit == 0)
	}
	if o.json {
		return a.jsonLine(sum)
	}
	_, err := fmt.Fprintln(a.out, sum.text())
	return err
}

func (s payLine) text() string {
	switch {
	case len(s.Payments) == 0:
		return "nothing is owed"
	case s.Owed == 0:
		return count(s.Paid, "debt is paid", "debts are paid")
	}
	return fmt.Sprintf("%s, %s owed still", count(s.Paid, "debt is paid", "debts are paid"), count(s.Owed, "is", "are"))
}
