package gates

import (
	"context"

	"gpuci/gates/history"
)

// again looks a debt up again: what it is now, with why it is void where nobody needs it
// any more. Where a run has paid it, or what came after it, that run is by.
func (p *payer) again(ctx context.Context, d Debt) (now Debt, paid bool, by history.Result) {
	debts, err := p.all(ctx)
	if err != nil {
		return d, false, by
	}
	found, there := d, false
	for _, o := range debts {
		switch {
		case !o.sameGate(d):
		case o.Void == "":
			return o, false, by
		case o.refusedAt() == d.refusedAt():
			found, there = o, true
		}
	}
	if there && found.By == "" {
		return found, false, by
	}
	return found, true, p.payment(ctx, found)
}

// settled looks a debt up again, and says whether it is over: paid, of which
// paidText says how, or void.
func (p *payer) settled(ctx context.Context, d Debt, paidText string) (done Payment, over bool) {
	now, paid, by := p.again(ctx, d)
	switch done.Debt = now; {
	case paid:
		done = Payment{Debt: now, Outcome: Outcome(by.Outcome), Exit: by.Exit, Paid: true, By: by.Run, Left: paidText}
	case now.Void != "":
		done.Left = "it is void: " + now.Void
	}
	return done, paid || now.Void != ""
}

// payment is the run that has paid a debt, as far as it is known.
func (p *payer) payment(ctx context.Context, d Debt) (by history.Result) {
	store, err := p.o.Past.Store()
	if err != nil {
		return by
	}
	defer p.o.Past.Rest()
	if d.By != "" {
		by, _ = store.Find(ctx, d.By)
		return by
	}
	by, _ = newOutcomes(ctx, store).onContent(d, d.refusedAt(), d.Last)
	return by
}
