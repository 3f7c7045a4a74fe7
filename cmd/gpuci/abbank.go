package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/config"
	"gpuci/gates/history"
)

// bankFlags are the flags of `gpuci ab bank`.
type bankFlags struct {
	why   string
	arm   string
	flags []string
	takes string // id of the decision whose place it takes
	json  bool
}

func (a *app) abBankCommand() *cobra.Command {
	var f bankFlags
	cmd := &cobra.Command{
		Use:   "bank [ID]",
		Short: "write a decision down, with its evidence",
		Long: `bank makes a decision of an answer of gpuci ab, of the newest without an ID; of several arms
one, by --arm. It must meet the rules in [bank] of gpuci.toml: enough samples, seeds and steps, profile
release, a quiet card, arms that are commits, an answer that is not too old, and the
gate as it is now (gpuci ab list --help has which settings count); each rule that it does not meet is named. The decision goes into the
history, with the arms, the whole answer, the rules, who and why, and as a line into
the file for git ([bank] tsv, bank.tsv).

What makes the arm the default is told by what the arm is made of: a variable in
[gate.env], a word of the gate's run, the text of an edited file, or that the base
branch has its commit. --flag says another: config:FILE:PATTERN (a regular expression
that is found in FILE), env:K=V, arg:WORD, or a name of [bank.flags].

A win whose flags exclude those of an earlier one takes its place by itself, where that
can be told (gpuci ab list --help); --supersedes says it where not.

Examples:
  gpuci ab bank --why "fused is the default from here on"
  gpuci ab bank 20261201T074103Z-40a1a7fa --flag 'config:src/lib.rs:FUSED: bool = true'

Exit codes: 0, 102 it does not meet the rules, 4 no such comparison, 64 usage, also one
that is banked already, 69 the history cannot be written, 78 configuration.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			return a.bank(cmd, f, args)
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.arm, "arm", "", "bank arm `NAME` of several")
	s.StringVar(&f.why, "why", "", "why, in a `TEXT` for who reads it in a year")
	s.StringArrayVar(&f.flags, "flag", nil, "what makes the arm the default, `FLAG` or a name of [bank.flags]; can be repeated")
	s.StringVar(&f.takes, "supersedes", "", "it takes the place of decision `ID` of the same gate")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type")
	return cmd
}

// decisionLine is a decision in JSON.
type decisionLine struct {
	Type string `json:"type"` // always "decision"
	history.Decision
}

func (a *app) bank(cmd *cobra.Command, f bankFlags, args []string) error {
	if strings.TrimSpace(f.why) == "" {
		return coded{gates.ExitUsage, "a decision says why", "gpuci ab bank --why TEXT, for who reads it in a year"}
	}
	w, err := a.bankWorkspace(cmd)
	if err != nil {
		return err
	}
	flags, err := meantFlags(w.cfg.Bank, f.flags)
	if err != nil {
		return abError(err)
	}
	log, err := w.answered(args)
	if err == nil {
		log, err = armOf(log, f.arm)
	}
	if err != nil {
		return abError(err)
	}
	r := ab.ReportOf(log)
	g, ok := w.cfg.Gate(log.Gate)
	if !ok {
		return noGate(w.cfg, log.Gate)
	}
	if unmet := ab.Unmet(r, w.cfg.Bank, *g, log, time.Now()); len(unmet) > 0 {
		return coded{gates.Broken.ExitCode(), fmt.Sprintf("%s is not banked: %s", log.ID, strings.Join(unmet, "; ")), "compare again so that it meets the rules, or change [bank] where they are not what you want"}
	}
	if err := ab.OtherAnswers(w.state, r, log); err != nil {
		return err
	}
	for _, m := range r.Marks {
		a.console.note("mark: " + printable(m))
	}
	if len(flags) == 0 {
		flags = ab.FlagsOf(r.Arms[1])
	}
	d, err := ab.Decide(r, log, buildlock.UserName(os.Geteuid()), f.why, flags, rulesText(w.cfg.Bank), versionText())
	if err != nil {
		return err
	}
	if f.takes != "" {
		if err := a.supersede(cmd.Context(), w, &d, f.takes); err != nil {
			return err
		}
	}
	return a.keepDecision(cmd.Context(), w, d, f.json)
}

// supersede has a decision take the place of one of its gate.
func (a *app) supersede(ctx context.Context, w bankWorkspace, d *history.Decision, id string) error {
	list, err := a.decisions(ctx, w, history.Query{Gate: d.Gate})
	if err != nil {
		return err
	}
	if id == d.ID || !slices.ContainsFunc(list, func(o history.Decision) bool { return o.ID == id }) {
		return coded{gates.ExitNothing, fmt.Sprintf("there is no other decision %q of gate %s", id, d.Gate), "gpuci ab list --all has what there is"}
	}
	d.Again = id
	return nil
}

// keepDecision writes a decision into the history and the file. One that is in the
// history and not in the file, because somebody was killed in between, gets its line.
func (a *app) keepDecision(ctx context.Context, w bankWorkspace, d history.Decision, json bool) error {
	store, err := a.openHistory(ctx, w.cfg, w.lane)
	if err != nil {
		return err
	}
	defer store.Close()
	list, err := store.Decisions(ctx, history.Query{Gate: d.Gate})
	if err != nil {
		return unread(err)
	}
	again := slices.IndexFunc(list, func(o history.Decision) bool { return o.ID == d.ID && store.Believes(o.UID, o.At) }) // anybody can leave a line of that id
	if again < 0 {
		err = store.RecordDecision(ctx, d)
	} else {
		d = list[again]
	}
	if errors.Is(err, history.ErrDecided) { // by somebody, since we looked; the line is theirs to write
		return bankedAlready(d)
	}
	if err != nil {
		return coded{exitUnfit, err.Error(), "gpuci doctor says what is wrong"}
	}
	added, err := ab.AppendTSV(w.cfg.Root, w.cfg.Bank.TSV, d)
	if err != nil {
		a.console.note("it is in the history, and not in the file for git")
		return coded{gates.ExitConfig, err.Error(), "mend the file, or name another one by tsv in [bank]; then bank it again"}
	}
	if again >= 0 && !added {
		return bankedAlready(d)
	}
	if json {
		return a.jsonLine(decisionLine{"decision", d})
	}
	_, err = fmt.Fprintf(a.out, "banked: %s\n  in       %s and the history; commit the file\n", printable(decisionText(d)), printable(w.cfg.Bank.TSV))
	return err
}

func bankedAlready(d history.Decision) error {
	return coded{gates.ExitUsage, d.ID + " is banked already", "gpuci ab list shows it"}
}

// armOf is what a comparison says of one arm, which must be named where there are several.
func armOf(log ab.Log, name string) (ab.Log, error) {
	there := log.Others()
	switch {
	case name == "" && log.Several():
		return log, coded{gates.ExitUsage, "comparison " + log.ID + " has several arms", "name one by --arm: " + strings.Join(there, ", ")}
	case name == "":
		return log, nil
	case !slices.Contains(there, name):
		return log, coded{gates.ExitNothing, fmt.Sprintf("there is no arm %q in comparison %s", name, log.ID), nearHint(name, there, "there is "+strings.Join(there, ", "))}
	}
	return log.Beside(name), nil
}

// answered is the comparison that is meant, or the newest, if it has an answer.
func (w bankWorkspace) answered(args []string) (ab.Log, error) {
	if len(args) == 1 {
		return ab.ReadLog(w.state, args[0])
	}
	logs, err := ab.Logs(w.state)
	if err != nil {
		return ab.Log{}, err
	}
	for i, l := range logs {
		switch answered := l.End != nil && l.End.State == ab.Answered; {
		case answered && i > 0:
			return ab.Log{}, coded{gates.ExitNothing, fmt.Sprintf("comparison %s, the newest, has no answer", logs[0].ID), fmt.Sprintf("the newest that has one is %s, of gate %s: name it, if you mean it", l.ID, l.Gate)}
		case answered:
			return l, nil
		}
	}
	return ab.Log{}, coded{gates.ExitNothing, "no comparison has an answer yet", "gpuci ab --help has how to make one"}
}

// meantFlags are flags as they were written, or the ones that their names stand for.
func meantFlags(b config.Bank, list []string) (out []string, err error) {
	for _, text := range list {
		if known, ok := b.Flags[text]; ok {
			text = known
		}
		err = errors.Join(err, ab.CheckFlag(text))
		out = append(out, text)
	}
	return out, err
}

// rulesText are the rules of banking as they stand.
func rulesText(b config.Bank) string {
	return fmt.Sprintf("samples = %d, seeds = %d, steps = %d, warm = %d, confidence = %v, least-effect = %v, profile = %q, quiet = %v",
		b.Samples, b.Seeds, b.Steps, b.Warm, b.Confidence, b.Least, b.Profile, b.Quiet)
}

// decisionText is a decision in a line.
func decisionText(d history.Decision) string {
	return fmt.Sprintf("%s: %s against %s: %s by %s: %s [%s, %s], floor %s, %d samples of each",
		d.Gate, d.Arm.Name, d.Base.Name, d.Verdict, d.Metric, abChange(d.Change), abChange(d.Low), abChange(d.High), abShare(d.Floor), d.Samples)
}
