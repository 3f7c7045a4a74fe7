package gates

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels/device"
)

// candidates are the cards that would do, those first that are free, and how much of
// the wait is left: while there is some, a driver that is silent, or has lost cards
// that were there, is asked again, and for no longer than that.
func (f *flow) candidates(ctx context.Context, c *onCards) (ids []string, left time.Duration, err error) {
	var last error // the driver was silent
	asked := false // a moment ago
	if why := f.atMachine.silent; why != "" && f.build == nil && len(f.kernels) == 0 {
		last, asked = unseen(why), true
	}
	began, said := time.Now(), false
	for left = c.Wait; ; left = c.Wait - time.Since(began) {
		s, err := Survey{}, last
		if !asked {
			s, err = f.lookWithin(ctx, c, left, last)
		}
		asked = false
		if err == nil {
			for _, note := range s.Notes {
				f.opt.note("%s", note)
			}
			for _, card := range c.all {
				ids = append(ids, card.UUID)
			}
			return ids, max(left, 0), nil
		}
		if err = f.passing(err); left <= 0 || !errors.As(err, new(unseen)) {
			return nil, 0, err
		}
		last = err
		if !said {
			f.opt.note("waiting for a card, %s at most: %s", buildlock.Round(left), err)
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		case <-time.After(min(buildlock.CardAgain, left)):
		}
	}
}

// lookFor brings what is known of the cards that would do up to date. Which these are
// is asked of each look anew: one that was not there at the last is there again. turn are
// those that it can take; nil: all.
func (f *flow) lookFor(ctx context.Context, c *onCards, turn []string) (Survey, error) {
	s, list, err := f.survey(ctx, c, turn)
	if err != nil {
		c.lose(err.Error())
		return s, err
	}
	c.take(s, list)
	return s, nil
}

// ready says which of some cards, whose turn it is, the gate can have now. A look that
// does not show them says so, and the wait goes on.
func (f *flow) ready(ctx context.Context, c *onCards, cards []string) (ids []string, why string, err error) {
	s, err := f.lookFor(ctx, c, cards)
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err != nil && len(c.all) == 0 {
		return nil, err.Error(), nil
	}
	var reasons []string
	for _, card := range c.all { // the free ones first
		if !slices.Contains(cards, card.UUID) {
			continue
		}
		if reason := f.inTheWay(ctx, c, card); reason != "" {
			reasons = append(reasons, reason)
			continue
		}
		ids = append(ids, card.UUID)
	}
	for _, id := range cards {
		if !slices.ContainsFunc(c.all, func(s CardState) bool { return s.UUID == id }) {
			reasons = append(reasons, "card "+buildlock.ShortCard(id)+" is not there now")
		}
	}
	if c.states = nil; len(ids) >= f.gate.Card.Count {
		for _, id := range ids[:f.gate.Card.Count] {
			card, _ := s.Find(id)
			c.states = append(c.states, card)
		}
	}
	return ids, strings.Join(reasons, "; "), nil
}

// inTheWay says why the gate cannot have a card though it is its turn; "" where it can.
func (f *flow) inTheWay(ctx context.Context, c *onCards, card CardState) string {
	now := time.Now()
	switch {
	case card.Free():
		return ""
	case card.Status == CardHeld && !card.whole: // it is our turn: by somebody's ticket that has just ended
		return ""
	case !c.share || !card.shares:
		return card.Text(now)
	}
	if why := f.unsharable(ctx, c, card); why != "" {
		return card.Text(now) + "; " + why
	}
	return ""
}

// unsharable says why a gate that may share cannot do so on a card that lets it.
func (f *flow) unsharable(ctx context.Context, c *onCards, card CardState) string {
	return cmp.Or(f.tooLittle(c, card), f.alone(ctx, card.Name))
}

// tooLittle says why there is not enough memory for two on a card.
func (f *flow) tooLittle(c *onCards, card CardState) string {
	want := f.gate.VRAM + c.Headroom
	switch free := card.Card.Free; {
	case !free.Known:
		return "how much memory is free there cannot be told, so it is not shared"
	case free.Value < want:
		is := "nothing is"
		if free.Value > 0 {
			is = device.Size(free.Value) + " are"
		}
		return fmt.Sprintf("%s free there, and sharing takes %s (vram %s and headroom %s)", is, device.Size(want), device.Size(f.gate.VRAM), device.Size(c.Headroom))
	}
	return ""
}

// passed says that a process above us has the cards.
func (c *onCards) passed() bool {
	return slices.ContainsFunc(c.tickets, func(t *buildlock.Ticket) bool { return t.Passed })
}

// lookPassed looks at cards that a process above us has: nobody asked whether they
// are ready. What is above us is ours.
func (f *flow) lookPassed(ctx context.Context, c *onCards) error {
	c.mine = newMine(true)
	var ids []string
	for _, t := range c.tickets {
		ids = append(ids, t.Card)
	}
	ready, why, err := f.ready(ctx, c, ids)
	if err == nil && len(ready) < len(ids) {
		err = notReady(why)
	}
	return err
}

type notReady string

func (n notReady) Error() string { return string(n) }
