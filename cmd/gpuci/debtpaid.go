package main

import (
	"fmt"

	"gpuci/gates"
)

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
	Compared int             `json:"comparisons-owed,omitempty"` // that are owed still
	Exit     int             `json:"exit"`
}

// paid closes the answer; code is that of the command.
func (a *app) paid(o debtPayOptions, payments []gates.Payment, code int) error {
	sum := payLine{Type: "paid", Payments: payments, Exit: code, Compared: o.comparisons}
	for _, p := range payments {
		sum.Paid += rank(!p.Paid)
		sum.Owed += rank(p.Paid || p.Void != "")
	}
	if o.json {
		return a.jsonLine(sum)
	}
	_, err := fmt.Fprintln(a.out, sum.text())
	return err
}

func (s payLine) text() string {
	switch {
	case len(s.Payments) == 0 && s.Compared > 0:
		return count(s.Compared, "comparison is", "comparisons are") + " owed still"
	case len(s.Payments) == 0:
		return "nothing is owed"
	case s.Owed == 0 && s.Paid < len(s.Payments):
		return fmt.Sprintf("%s, %s become void", count(s.Paid, "debt is paid", "debts are paid"), count(len(s.Payments)-s.Paid, "has", "have"))
	case s.Owed == 0:
		return count(s.Paid, "debt is paid", "debts are paid")
	}
	return fmt.Sprintf("%s, %s owed still", count(s.Paid, "debt is paid", "debts are paid"), count(s.Owed, "is", "are"))
}

// lostText says that debts were lost with their commit or lane, which nobody can pay, or
// can never be paid on this machine.
func lostText(debts []gates.Debt, names []string) (text string) {
	lost, never := 0, 0
	for _, d := range debts {
		switch {
		case d.Void == "" || d.By != "" || !d.Fits(names):
		case d.NeverHere():
			never++
		default:
			lost++
		}
	}
	for _, of := range []struct {
		n   int
		why string
	}{{lost, "the commit or the lane is gone"}, {never, "its gate can never run here"}} {
		if of.n > 0 {
			text += count(of.n, "debt is void", "debts are void") + ", for " + of.why + ": gpuci debt list --all shows which\n"
		}
	}
	return text
}
