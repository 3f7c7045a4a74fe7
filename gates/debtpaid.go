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
		case o.Name() != d.Name():
		case o.Void == "":
			return o, false, by
		case o.refusedAt() == d.refusedAt() && o.User == d.User:
			found, there = o, true
		}
	}
	if there && found.By == "" {
		return found, false, by
	}
	return found, true, p.payment(ctx, found)
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
