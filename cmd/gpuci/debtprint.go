package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
)

// debtLine is a debt in JSON.
type debtLine struct {
	Type string `json:"type"` // always "debt"
	gates.Debt
}

func (a *app) debtsJSON(debts []gates.Debt, comparisons []owedComparison) error {
	for _, d := range debts {
		if err := a.jsonLine(debtLine{"debt", d}); err != nil {
			return err
		}
	}
	for _, c := range comparisons {
		if err := a.jsonLine(c.line()); err != nil {
			return err
		}
	}
	return nil
}

// debtsText prints debts for people; void is how many are not shown.
func (a *app) debtsText(debts []gates.Debt, comparisons []owedComparison, void int, now time.Time) error {
	var b strings.Builder
	if len(debts) > 0 {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "lane\tcommit\tgate\tsince\twhy")
		for _, d := range debts {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", buildlock.Printable(d.Lane), debtCommit(d), buildlock.Printable(d.Gate), sinceCell(d.Since, now), buildlock.Printable(debtWhy(d)))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	owed := len(gates.StillOwed(debts)) + len(comparisons)
	b.WriteString(owedComparisonsText(comparisons, now))
	if owed == 0 {
		b.WriteString("nothing is owed\n")
	} else {
		b.WriteString("\ngpuci debt pay runs what is owed, the oldest first; --when-quiet waits for the card\n")
	}
	if void > 0 {
		fmt.Fprintf(&b, "%s: gpuci debt list --all shows why\n", count(void, "debt is void", "debts are void"))
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// debtCommit is what a debt is owed for, in a cell.
func debtCommit(d gates.Debt) string {
	if c := d.Content(); c.Changes != "" {
		return fmt.Sprintf("%.10s and changes", c.Commit)
	}
	return fmt.Sprintf("%.10s", d.Content().Commit)
}

// sinceCell is a time of the last day by the clock, else with its date.
func sinceCell(at, now time.Time) string {
	if at, now = at.Local(), now.Local(); at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Local().Format("2006-01-02 15:04")
}

// debtWhy is why it is owed, or why it is not any more.
func debtWhy(d gates.Debt) string {
	text := d.Why
	if d.Detail != "" {
		text += ": " + oneLine(d.Detail)
	}
	if d.Times > 1 {
		text += fmt.Sprintf(" (refused %s)", times(d.Times))
	}
	if d.Built {
		text += "; it had been built"
	}
	if d.Moved != "" {
		text += fmt.Sprintf("; that was at %.10s%s: %s, where the gate has not been run", d.Commit, changesText(d.Changes), d.Moved)
	}
	if d.User != "" {
		text = "of user " + d.User + ": " + text
	}
	if d.Void != "" {
		text = "void: " + d.Void + "; it was " + text
	}
	return text
}

func changesText(changes string) string {
	if changes == "" {
		return ""
	}
	return " and changes"
}

// movedText says of a debt whose lane has gone on what it is owed for, behind a line on
// it.
func movedText(d gates.Debt) string {
	if d.Moved == "" {
		return ""
	}
	return " for what was there before, and not run on what is there now"
}
