package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/history"
)

func (a *app) abRecheckCommand() *cobra.Command {
	var f armFlags
	cmd := &cobra.Command{
		Use:   "recheck [ID]",
		Short: "compare the arms of a decision again, on today's tree",
		Long: `recheck compares the arms of a decision again as they were written: a branch is what
it is today, and so is the lane that you stand in. Without an ID it takes the decision
that has waited longest of those that are older than age in [bank], or whose gate or
files have changed since.

It says whether the decision holds. gpuci ab bank banks the new answer in the place of
the old one; until then the old one stands.

Example:
  gpuci ab recheck 20261201T074103Z-40a1a7fa

Exit codes: those of gpuci ab, 100 where the decision does not hold; 0 where nothing is
to be looked at again; 4 no such decision.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			return a.recheck(cmd, f, args)
		},
	}
	s := cmd.Flags()
	s.Uint64Var(&f.seed, "seed", 0, "begin with seed `N`, of the order and the inputs; one by chance else")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the gates, and say every step")
	f.card.register(cmd)
	return cmd
}

func (a *app) recheck(cmd *cobra.Command, f armFlags, args []string) error {
	if err := f.card.check(cmd); err != nil {
		return err
	}
	w, err := a.bankWorkspace(cmd)
	if err != nil {
		return err
	}
	d, ok, err := a.dueDecision(cmd, w, args)
	if err != nil {
		return err
	}
	if !ok {
		_, err := fmt.Fprintln(a.out, "nothing is to be looked at again")
		return err
	}
	g, known := w.cfg.Gate(d.Gate)
	if !known {
		return noGate(w.cfg, d.Gate)
	}
	o := ab.Options{Gate: *g, Seed: f.seed, Rule: ab.RuleOf(w.cfg.Bank), Again: d.ID}
	if o.Arms, err = ab.ArmsOf(d); err != nil {
		return err
	}
	if o.Wanted, err = ab.WantedOf(d); err != nil {
		return err
	}
	if err := ab.Check(*g, o.Wanted); err != nil {
		return coded{gates.ExitConfig, fmt.Sprintf("gate %s cannot be compared: %v", g.Name, err), "mend the gate in gpuci.toml"}
	}
	a.console.note(fmt.Sprintf("decided %s: %s", d.At.Local().Format(time.DateOnly), decisionText(d)))
	a.clearScratch(cmd.Context(), w.lane, w.scratch)
	r, err := a.compared(cmd.Context(), w, f, w.complete(o))
	if err != nil {
		return abError(err)
	}
	_ = a.console.settle()
	holds := string(r.Judged.Verdict) == d.Verdict
	if r.End.State == ab.Answered && !holds && r.Exit == 0 {
		r.Exit = gates.Red.ExitCode()
	}
	if r.End.State == ab.Answered {
		r.Marks = append(r.Marks, heldText(d, holds))
	}
	if err := a.printAB(r, f.json); err != nil {
		return err
	}
	return coded{code: r.Exit}
}

func heldText(d history.Decision, holds bool) string {
	if holds {
		return fmt.Sprintf("the decision of %s holds: it was a %s, too", d.At.Local().Format(time.DateOnly), d.Verdict)
	}
	return fmt.Sprintf("the decision of %s does not hold: it was a %s of %s", d.At.Local().Format(time.DateOnly), d.Verdict, abChange(d.Change))
}

// dueDecision is the one that is named, or the one that waits longest.
func (a *app) dueDecision(cmd *cobra.Command, w bankWorkspace, args []string) (d history.Decision, ok bool, err error) {
	list, err := a.decisions(cmd.Context(), w, history.Query{})
	if err != nil {
		return d, false, err
	}
	if len(args) == 1 {
		at := slices.IndexFunc(list, func(o history.Decision) bool { return o.ID == args[0] })
		if at < 0 {
			return d, false, coded{gates.ExitNothing, fmt.Sprintf("there is no decision %q", args[0]), "gpuci ab list has what there is"}
		}
		return list[at], true, nil
	}
	w.lookCards(cmd.Context(), a, list)
	for _, o := range slices.Backward(list) { // the oldest first
		s := w.stands(cmd.Context(), o, time.Now())
		if !replaced(list, o) && (s.Since.Any() || time.Since(o.At) > w.cfg.Bank.Age) {
			return o, true, nil
		}
	}
	return d, false, nil
}
