package gates

import (
	"context"
	"errors"
	"strings"
	"time"

	"gpuci/kernels/device"
)

// unseen is why nobody can tell which cards there are: the driver is silent, or does
// not show those that were there. It passes.
type unseen string

func (u unseen) Error() string { return string(u) }

// lookWithin looks, and for no longer than is left after a look that came to nothing:
// a driver that hangs takes seconds each time.
func (f *flow) lookWithin(ctx context.Context, c *onCards, left time.Duration, last error) (Survey, error) {
	if last == nil {
		return f.lookFor(ctx, c, nil)
	}
	if left <= 0 {
		return Survey{}, last
	}
	hurry, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	s, err := f.lookFor(hurry, c, nil)
	if err != nil && hurry.Err() != nil && ctx.Err() == nil {
		err = last
	}
	return s, err
}

// passing makes of there being no cards a thing that passes, where there were some.
func (f *flow) passing(err error) error {
	if f.atMachine.some && (errors.Is(err, device.ErrNoCard) || errors.Is(err, device.ErrNoDriver)) {
		return unseen("cards were there a moment ago, and now: " + err.Error())
	}
	return err
}

// silence says that a driver did not answer.
func silence(l device.Look) string {
	const is = "the driver does not answer"
	if strings.HasPrefix(l.Silent, is) {
		return l.Silent
	}
	return is + ": " + l.Silent
}

// take keeps of a survey what is known of some cards, the free ones first.
func (c *onCards) take(s Survey, list []device.Seen) {
	c.all = nil
	for _, free := range []bool{true, false} {
		for _, seen := range list {
			if card, ok := s.Find(seen.UUID); ok && card.Free() == free {
				c.all = append(c.all, card)
			}
		}
	}
}

// lose says of every card that would do that nothing is known of it now.
func (c *onCards) lose(why string) {
	for i := range c.all {
		s := &c.all[i]
		s.Status, s.Why, s.shares, s.Until, s.Basis, s.Protected = CardUnknown, why, false, time.Time{}, "", nil
	}
}
