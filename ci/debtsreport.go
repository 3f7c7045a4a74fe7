package ci

import (
	"fmt"

	"gpuci/gates"
)

// Debt is a measurement that was owed when a night began, and what the night made of
// it.
type Debt struct {
	gates.Debt
	Paid    bool          `json:"paid"`
	Outcome gates.Outcome `json:"outcome,omitempty"` // of the gate in this night
	Left    string        `json:"left,omitempty"`    // why it is owed still
	Next    string        `json:"next,omitempty"`    // what to do then
}

// settleDebts says of each debt what the night made of it.
func (n *night) settleDebts() (out []Debt) {
	for _, d := range n.plan.Debts {
		one := Debt{Debt: d}
		one.settle(n)
		out = append(out, one)
	}
	return out
}

func (d *Debt) settle(n *night) {
	w, g, why := n.payable(d.Debt)
	if why != "" {
		d.Left, d.Next = why, "gpuci debt pay "+d.Lane+" runs it in the lane"
		return
	}
	c, came := w.came[g.Name]
	switch {
	case !came || c.State != Ran:
		d.Left = "it was not run"
		if c.Why != "" {
			d.Left += ": " + c.Why
		}
	case c.Outcome == gates.Refused:
		d.Outcome, d.Left = c.Outcome, "refused again: "+c.Why
		d.Next = "gpuci debt pay --when-quiet waits for the card"
	default:
		d.Outcome, d.Paid = c.Outcome, true
	}
}

// debtSections tell of what was owed: what is paid, and what is not.
func (r Report) debtSections() (list []section) {
	paid, owed := section{title: "debts paid"}, section{title: "owed still"}
	for _, d := range r.Debts {
		i := item{lane: d.Lane, gate: d.Gate, text: "owed " + d.SinceText(r.Began)}
		if d.Paid {
			i.text = fmt.Sprintf("%s; it was %s", d.Outcome, i.text)
			paid.items = append(paid.items, i)
			continue
		}
		i.text, i.next, i.level = i.text+"; "+d.Left, d.Next, warning
		owed.items = append(owed.items, i)
	}
	owed.items = append(owed.items, r.comparisonItems()...)
	for _, s := range []section{paid, owed} {
		if len(s.items) > 0 {
			list = append(list, s)
		}
	}
	return list
}
