package gates

import (
	"context"
	"time"
)

// notTried is why a debt was left when paying was cut off.
const notTried = "it was stopped before this had its turn"

// cutOffTime is how long it may take to look what is owed still by who is told to stop.
const cutOffTime = 2 * time.Second

// cutOff adds those debts that had no turn when paying was cut off: they are owed still. An
// error says that it is not known which.
func (p *payer) cutOff(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, cutOffTime)
	defer cancel()
	err := p.settlePaid(ctx)
	if err != nil {
		return err
	}
	debts, err := p.owed(ctx)
	if err != nil {
		return err
	}
	for _, d := range debts {
		if p.of(d) < 0 {
			p.payments, p.tries = append(p.payments, Payment{Debt: d, Exit: Refused.ExitCode(), Left: notTried}), append(p.tries, 0)
		}
	}
	return nil
}
