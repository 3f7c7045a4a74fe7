package gates

import (
	"context"
	"errors"
	"time"

	"gpuci/buildlock"
)

// maxTakes is how often a gate asks for cards that somebody had at one look and nobody
// has at the next.
const maxTakes = 3

// takeCards takes cards, and asks again where those who had them are gone by the time
// that it is looked who they are.
func (f *flow) takeCards(ctx context.Context, c *onCards, ids []string, wait time.Duration) error {
	for tries := 1; ; tries++ {
		err := f.takeOnce(ctx, c, ids, wait)
		if err == nil || !f.freeNow(ctx, c, err) || tries == maxTakes {
			return err
		}
		f.opt.note("enough cards are quiet by now: asking for them again")
		ids, wait = nil, 0
		for _, card := range c.all {
			ids = append(ids, card.UUID)
		}
	}
}

// takeOnce takes them, or gives back what it has of them.
func (f *flow) takeOnce(ctx context.Context, c *onCards, ids []string, wait time.Duration) (err error) {
	c.tickets, err = buildlock.AcquireCards(ctx, buildlock.CardOptions{
		Dir: c.LockDir, Allowed: ids, Count: f.gate.Card.Count, Wait: wait, Marks: c.Marks, Waiting: func(l buildlock.Line) { f.opt.note("%s", l) },
		Who:   buildlock.Who{Lane: f.opt.Lane.Name, Root: f.opt.Lane.Root, Command: "gpuci gate " + f.gate.Name, Dir: f.opt.Root, Build: f.v.Run},
		Ready: func(ctx context.Context, cards []string) ([]string, string, error) { return f.ready(ctx, c, cards) },
	})
	if err == nil && c.passed() {
		err = f.lookPassed(ctx, c)
	}
	if err == nil {
		err = buildlock.KeepCards(c.tickets)
	}
	if err != nil {
		_ = buildlock.ReleaseCards(c.tickets)
	}
	return err
}

// freeNow looks who has the cards that it was not our turn to take, and says whether
// nobody has them.
func (f *flow) freeNow(ctx context.Context, c *onCards, err error) bool {
	var busy *buildlock.BusyError
	if !errors.As(err, &busy) || busy.Line.Held { // it was our turn, and what is in the way was just seen
		return false
	}
	s, list, err := f.survey(ctx, c, nil)
	if err != nil {
		return false
	}
	c.take(s, list)
	return f.enough(ctx, c)
}

// enough says whether the gate could have as many cards as it needs, by what is known
// of them.
func (f *flow) enough(ctx context.Context, c *onCards) bool {
	n := 0
	for _, card := range c.all {
		if card.Free() || c.share && card.shares && card.Holder == nil && f.unsharable(ctx, c, card) == "" {
			n++
		}
	}
	return n >= f.gate.Card.Count
}
