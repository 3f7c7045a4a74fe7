package ci

import (
	"context"
	"fmt"
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// readDebts finds what the lanes of a night owe. Of other lanes nothing is said. Of one
// that has gone on it is what it owes for the commit it is at, whatever else is in it:
// that is what a night runs.
func (n *night) readDebts(ctx context.Context) (list []gates.Debt) {
	if !n.plan.Nightly {
		return nil
	}
	debts, err := gates.Unpaid(ctx, n.o.Past)
	if err != nil && ctx.Err() == nil {
		n.note("what is owed is not known: %v", err)
	}
	debts = slices.DeleteFunc(debts, func(d gates.Debt) bool { _, ok := n.headOf(d); return !ok })
	for i, now := range gates.Settle(ctx, n.o.Past, n.roots(ctx, debts), debts) {
		h, _ := n.headOf(now)
		switch d := debts[i]; {
		case d.Clean() && d.Commit == h.Commit:
			list = append(list, d)
		case now.Void == "" && h.Root != "":
			if now.Now != nil {
				now.Now = &gates.Content{Commit: h.Commit, Tree: h.Tree}
			}
			list = append(list, now)
		}
	}
	return list
}

// headOf is the head of a debt's lane.
func (n *night) headOf(d gates.Debt) (h Head, ok bool) {
	at := slices.IndexFunc(n.plan.Heads, func(h Head) bool { return h.Lane == d.Lane })
	if at < 0 {
		return h, false
	}
	return n.plan.Heads[at], true
}

// roots are the lanes of debts, where they can be looked at.
func (n *night) roots(ctx context.Context, debts []gates.Debt) (list []worktrees.Tree) {
	for _, h := range n.plan.Heads {
		if h.Root == "" || !slices.ContainsFunc(debts, func(d gates.Debt) bool { return d.Lane == h.Lane }) {
			continue
		}
		if lane, err := worktrees.Find(ctx, h.Root); err == nil {
			lane.Name = h.Lane
			list = append(list, worktrees.Tree{Lane: lane})
		}
	}
	return list
}

// debtors are the contents that owe what this night can pay, that with the oldest debt
// first, each with its gates in the order of their debts.
func (n *night) debtors() (list []*work, owed map[*work][]config.Gate) {
	owed = make(map[*work][]config.Gate)
	for _, d := range n.plan.Debts {
		w, g, why := n.payable(d)
		if why != "" || slices.ContainsFunc(owed[w], func(o config.Gate) bool { return o.Name == g.Name }) {
			continue
		}
		if owed[w] == nil {
			list = append(list, w)
		}
		owed[w] = append(owed[w], g)
	}
	return list, owed
}

// payable finds the content and the gate of a debt, or says why a night does not pay
// it.
func (n *night) payable(d gates.Debt) (w *work, g config.Gate, why string) {
	if !d.Clean() {
		return nil, g, "it is of changes that are not committed, which no night tests"
	}
	at := slices.IndexFunc(n.plan.Heads, func(h Head) bool { return h.Lane == d.Lane })
	if w = n.workOf(n.plan.Heads[at]); w == nil {
		return nil, g, "nothing of its lane can be run"
	}
	if h, c := w.lead(), d.Content(); h.Commit != c.Commit && (c.Tree == "" || h.Tree != c.Tree) {
		return nil, g, fmt.Sprintf("the night judges its content as lane %s, at %.10s", h.Lane, h.Commit)
	}
	if at = slices.IndexFunc(w.gates, func(g config.Gate) bool { return g.Name == d.Gate }); at < 0 {
		return nil, g, "nights do not run this gate"
	}
	return w, w.gates[at], ""
}

func namesOf(list []config.Gate) (text string) {
	for i, g := range list {
		if i > 0 {
			text += ", "
		}
		text += g.Name
	}
	return text
}
