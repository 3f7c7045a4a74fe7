package gates

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// firstWaiting is the first round in which is waited.
const firstWaiting = 1

// The pauses between rounds in which is waited: what refuses at once and each time is not
// asked again and again, and a card that was disturbed for a moment is not left for long.
const (
	firstPause = time.Second // doubled from round to round
	mostPause  = 5 * time.Minute
)

// waitingRounds goes round until nothing is owed any more that time can help, or the time
// is up. Each gate waits in line for its card, so a round is no quick look.
func (p *payer) waitingRounds(ctx context.Context) error {
	pause := firstPause
	for number := firstWaiting; ; number++ {
		err := p.round(ctx, number)
		if err == nil {
			err = p.settlePaid(ctx)
		}
		if err != nil || !p.passing() || !p.rest(ctx, pause) {
			return err
		}
		pause = min(2*pause, mostPause)
	}
}

// passing says whether something is owed still for what passes.
func (p *payer) passing() bool {
	return slices.ContainsFunc(p.payments, func(done Payment) bool { return done.passes })
}

// settlePaid looks up those that nobody owes any more, though they were refused when
// they were tried: a run in another lane has paid them, or somebody else.
func (p *payer) settlePaid(ctx context.Context) error {
	debts, err := p.owed(ctx)
	for i, done := range p.payments {
		if err != nil || !done.passes || slices.ContainsFunc(debts, done.sameGate) {
			continue
		}
		if settled, over := p.settled(ctx, done.Debt, "another run has paid it"); over {
			p.payments[i] = settled
			p.tell(settled)
		}
	}
	return err
}

// helped says whether time can help a debt: it is new, or was refused for what passes. A
// run that came to something and has not paid, for its lane goes on under it, would go on
// so for hours.
func (p *payer) helped(d Debt) bool {
	at := p.of(d)
	return at < 0 || p.payments[at].passes
}

// rest waits before the next round, and says whether there is time for it.
func (p *payer) rest(ctx context.Context, pause time.Duration) bool {
	if time.Until(p.until) <= pause {
		return false
	}
	if p.o.Note != nil {
		p.o.Note(fmt.Sprintf("what is owed still is tried again in %s, until %s", pause, p.until.Local().Format("15:04")))
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
