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

// payDebts runs what is owed before all else, lane by lane. Of all scratch lanes only
// the last is kept: there are disks for one.
func (n *night) payDebts(ctx context.Context) {
	list, owed := n.debtors()
	for i, w := range list {
		n.note("lane %s: pays what it owes first: %s", w.lead().Lane, namesOf(owed[w]))
		for _, g := range owed[w] {
			n.payOne(ctx, w, g)
		}
		if i < len(list)-1 {
			n.drop(ctx, w)
			continue
		}
		at := slices.Index(n.jobs, w)
		n.jobs = append([]*work{w}, slices.Delete(slices.Clone(n.jobs), at, at+1)...)
	}
}

// payOne runs one gate, behind those that it is to come after. An outcome from before
// it was refused pays nothing, and stands only if the night does not come to another.
func (n *night) payOne(ctx context.Context, w *work, g config.Gate) {
	for _, before := range w.gates {
		if slices.Contains(g.After, before.Name) {
			n.payAfter(ctx, w, before)
		}
	}
	stood, stands := w.came[g.Name]
	if stands = stands && stood.State == Stands; stands {
		delete(w.came, g.Name)
	}
	w.later = slices.DeleteFunc(w.later, func(name string) bool { return name == g.Name })
	n.one(ctx, w, g)
	if stands && w.came[g.Name].State == NotRun {
		w.came[g.Name] = stood
	}
}

// payAfter comes to something of a gate before one that is owed, and of those before it.
func (n *night) payAfter(ctx context.Context, w *work, g config.Gate) {
	for _, before := range w.gates {
		if slices.Contains(g.After, before.Name) {
			n.payAfter(ctx, w, before)
		}
	}
	n.one(ctx, w, g)
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
