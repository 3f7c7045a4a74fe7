package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/history"
)

func (a *app) abRecheckCommand() *cobra.Command {
	var f armFlags
	var oldest bool
	cmd := &cobra.Command{
		Use:   "recheck [ID]",
		Short: "compare the arms of a decision again, on today's tree",
		Long: `recheck compares the arms of a decision again, and says of what first. They are those
that were written, on today's trees: a branch is what it is today, and so is the lane
that you stand in. Where the base branch has the arm's commit by now, they are the two
commits of the decision as they were; where the arm was an edit that stands in the lane
by now, its base is the lane with the edit taken back.

Without an ID it names the decisions that are to be looked at again, which are older
than age in [bank], or whose gate or files have changed since, and what it would
compare; --next takes the one that has waited longest.

It says whether the decision holds. gpuci ab bank banks the new answer in the place of
the old one; until then the old one stands.

Examples:
  gpuci ab recheck
  gpuci ab recheck 20261201T074103Z-40a1a7fa

Exit codes: those of gpuci ab, 100 where the decision does not hold; without an ID 0
where nothing is to be looked at again, 103 where something is; 4 no such decision.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			if oldest && len(args) > 0 {
				return coded{gates.ExitUsage, "--next and an ID are two ways to name a decision", "leave one of the two out"}
			}
			return a.recheck(cmd, f, args, oldest)
		},
	}
	s := cmd.Flags()
	s.BoolVar(&oldest, "next", false, "compare the one that has waited longest")
	s.Uint64Var(&f.seed, "seed", 0, "begin with seed `N`, of the order and the inputs; one by chance else")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	s.BoolVar(&f.noPressure, "no-pressure", false, "do not wait for the machine to breathe")
	s.BoolVarP(&f.verbose, "verbose", "v", false, "show the output of the gates, and say every step")
	f.card.register(cmd)
	return cmd
}

func (a *app) recheck(cmd *cobra.Command, f armFlags, args []string, oldest bool) error {
	if err := f.card.check(cmd); err != nil {
		return err
	}
	w, err := a.bankWorkspace(cmd)
	if err != nil {
		return err
	}
	due, err := a.dueDecisions(cmd, w, args)
	if err != nil {
		return err
	}
	switch {
	case len(due) == 0:
		_, err := fmt.Fprintln(a.out, "nothing is to be looked at again")
		return err
	case len(args) == 0 && !oldest:
		return a.tellDue(cmd.Context(), w, due, f.json)
	}
	d := due[0]
	o, what, err := w.again(cmd.Context(), d)
	if err != nil {
		return abError(err)
	}
	o.Seed = f.seed
	a.console.note(fmt.Sprintf("decided %s: %s", d.At.Local().Format(time.DateOnly), decisionText(d)))
	a.console.note("compared again: " + what)
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
		r.Marks = append(r.Marks, "compared again: "+what, heldText(d, holds))
		if host, err := os.Hostname(); err == nil && d.Host != "" && d.Host != host {
			r.Marks = append(r.Marks, fmt.Sprintf("the decision was made on %s, and this is %s: what holds on one machine need not hold on another", d.Host, host))
		}
	}
	if err := a.printAB(r, f.json); err != nil {
		return err
	}
	return coded{code: r.Exit}
}

// again is how a decision is compared again, and that in words.
func (w bankWorkspace) again(ctx context.Context, d history.Decision) (o ab.Options, what string, err error) {
	g, known := w.cfg.Gate(d.Gate)
	if !known {
		return o, "", noGate(w.cfg, d.Gate)
	}
	o = ab.Options{Gate: *g, Rule: ab.RuleOf(w.cfg.Bank), Again: d.ID}
	again, err := ab.Recheck(ctx, w.lane, w.cfg.Root, w.cfg.Workspace.Base, *g, d)
	if err != nil {
		return o, "", err
	}
	o.Arms = again.Arms
	if o.Wanted, err = ab.WantedOf(d); err != nil {
		return o, "", err
	}
	if err := ab.Check(*g, o.Wanted); err != nil {
		return o, "", coded{gates.ExitConfig, fmt.Sprintf("gate %s cannot be compared: %v", g.Name, err), "mend the gate in gpuci.toml"}
	}
	return o, again.What, nil
}

// dueLine is a decision that is to be looked at again, in JSON.
type dueLine struct {
	Type string `json:"type"` // always "due"
	ID   string `json:"id"`
	Gate string `json:"gate"`
	What string `json:"compares,omitempty"`
	Why  string `json:"cannot,omitempty"` // why it cannot be compared again
}

// tellDue says what would be compared again, and runs nothing.
func (a *app) tellDue(ctx context.Context, w bankWorkspace, due []history.Decision, json bool) error {
	for _, d := range due {
		line := dueLine{Type: "due", ID: d.ID, Gate: d.Gate}
		if _, what, err := w.again(ctx, d); err != nil {
			line.Why = err.Error()
		} else {
			line.What = what
		}
		if json {
			if err := a.jsonLine(line); err != nil {
				return err
			}
			continue
		}
		text := "would compare " + printable(line.What) + "\n  next     gpuci ab recheck " + d.ID
		if line.Why != "" {
			text = "cannot be compared again: " + printable(line.Why)
		}
		if _, err := fmt.Fprintf(a.out, "%s  %s\n  %s\n", d.ID, printable(decisionText(d)), text); err != nil {
			return err
		}
	}
	return coded{code: gates.Attention.ExitCode()}
}

func heldText(d history.Decision, holds bool) string {
	if holds {
		return fmt.Sprintf("the decision of %s holds: it was a %s, too", d.At.Local().Format(time.DateOnly), d.Verdict)
	}
	return fmt.Sprintf("the decision of %s does not hold: it was a %s of %s", d.At.Local().Format(time.DateOnly), d.Verdict, abChange(d.Change))
}

// dueDecisions are the one that is named, or those that wait, the oldest first.
func (a *app) dueDecisions(cmd *cobra.Command, w bankWorkspace, args []string) (due []history.Decision, err error) {
	list, err := a.decisions(cmd.Context(), w, history.Query{})
	if err != nil {
		return nil, err
	}
	if len(args) == 1 {
		at := slices.IndexFunc(list, func(o history.Decision) bool { return o.ID == args[0] })
		if at < 0 {
			return nil, coded{gates.ExitNothing, fmt.Sprintf("there is no decision %q", args[0]), "gpuci ab list has what there is"}
		}
		return list[at : at+1], nil
	}
	w.lookCards(cmd.Context(), a, list)
	for _, o := range slices.Backward(list) {
		s := w.stands(cmd.Context(), o, time.Now())
		if _, why := replacedBy(list, o); why == "" && (s.Since.Any() || time.Since(o.At) > w.cfg.Bank.Age) {
			due = append(due, o)
		}
	}
	return due, nil
}
