package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels/device"
)

// candidates are the cards that would do, those first that are free.
func (f *flow) candidates(ctx context.Context, c *onCards) (ids []string, err error) {
	s, err := c.Survey(ctx, c.mine.is)
	if err != nil {
		return nil, err
	}
	list, err := c.Candidates(s.Look, f.gate.Card)
	if s.Look.Silent != "" && (err != nil || len(list) == 0) {
		return nil, silent(s.Look.Silent)
	}
	if err != nil {
		return nil, err
	}
	c.take(s, list)
	for _, card := range c.all {
		ids = append(ids, card.UUID)
	}
	return ids, nil
}

// silent is a driver that does not answer, so that there are no cards to choose from.
type silent string

func (s silent) Error() string { return "the driver does not answer: " + string(s) }

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

// ready says which of some cards, whose turn it is, the gate can have now.
func (f *flow) ready(ctx context.Context, c *onCards, cards []string) (ids []string, why string, err error) {
	s, err := c.Survey(ctx, c.mine.is)
	if err != nil {
		return nil, "", err
	}
	list := make([]device.Seen, 0, len(c.all))
	for _, card := range c.all {
		list = append(list, card.Seen)
	}
	c.take(s, list)
	var reasons []string
	for _, card := range c.all { // the free ones first
		if !slices.Contains(cards, card.UUID) {
			continue
		}
		if reason := f.inTheWay(c, card); reason != "" {
			reasons = append(reasons, reason)
			continue
		}
		ids = append(ids, card.UUID)
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
func (f *flow) inTheWay(c *onCards, card CardState) string {
	now := time.Now()
	switch {
	case card.Free():
		return ""
	case card.Status == CardHeld: // it is our turn: by somebody's ticket that has just ended
		return ""
	case !c.share || !card.shares:
		return card.Text(now)
	}
	if short := f.tooLittle(c, card); short != "" {
		return card.Text(now) + "; " + short
	}
	return ""
}

// tooLittle says why there is not enough memory for two on a card.
func (f *flow) tooLittle(c *onCards, card CardState) string {
	want := f.gate.VRAM + c.Headroom
	switch {
	case !card.Card.Free.Known:
		return "how much memory is free there cannot be told, so it is not shared"
	case card.Card.Free.Value < want:
		return fmt.Sprintf("%s are free there, and sharing takes %s (vram %s and headroom %s)", GiB(card.Card.Free.Value), GiB(want), GiB(f.gate.VRAM), GiB(c.Headroom))
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
