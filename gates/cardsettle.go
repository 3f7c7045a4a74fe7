package gates

import (
	"context"
	"slices"
	"time"

	"gpuci/kernels/device"
)

// dying is how long a process that has just died may still be listed, or its memory
// be in use: the driver takes some seconds to take a large context down.
const dying = 5 * time.Second

// Aim is what somebody looks at the cards for. Of a card that he is after it is waited
// until it is known who is on it, where that may pass: for dying in all, however often he
// looks, and not where it makes no difference. A card may be unknown for ever.
type Aim struct {
	// Meant are the cards of a look that he is after; nil: all. An error ends no survey:
	// who asked meets it again.
	Meant func(device.Look) ([]device.Seen, error)
	// Enough says whether he can have what he wants, whatever the other cards are; nil: never.
	Enough func(Survey) bool

	waited time.Duration
}

// open are the cards that are to be waited for.
func (a *Aim) open(s Survey) (uuids []string) {
	list := s.Look.Cards
	if a.Meant != nil {
		var err error
		if list, err = a.Meant(s.Look); err != nil {
			return nil
		}
	}
	if list = slices.DeleteFunc(slices.Clone(list), func(c device.Seen) bool { return !c.Passing() }); len(list) == 0 {
		return nil
	}
	if a.waited >= dying || a.Enough != nil && a.Enough(s) {
		return nil
	}
	for _, card := range list {
		uuids = append(uuids, card.UUID)
	}
	return uuids
}

// SurveyOf is Survey for an aim: cards that it does not need are as one look shows them,
// though another one might settle who is there.
func (c *Cards) SurveyOf(ctx context.Context, mine device.Mine, aim *Aim) (Survey, error) {
	src, err := c.source(ctx)
	if err != nil {
		return Survey{}, err
	}
	look, err := src.Look(ctx, mine)
	for err == nil {
		s := c.survey(ctx, look)
		uuids := aim.open(s)
		if len(uuids) == 0 {
			return s, nil
		}
		began := time.Now()
		look, err = src.Settled(ctx, mine, uuids, dying-aim.waited)
		aim.waited += time.Since(began)
	}
	return Survey{}, err
}

// survey surveys the cards for the gate, and says which of them would do. turn are those
// that it can take; nil: all.
func (f *flow) survey(ctx context.Context, c *onCards, turn []string) (s Survey, list []device.Seen, err error) {
	would := func(look device.Look) ([]device.Seen, error) { return c.Candidates(look, f.gate.Card) }
	c.aim.Meant = would
	c.aim.Enough = func(s Survey) bool {
		list, err := would(s.Look)
		return err == nil && f.enough(ctx, c.with(s, list, turn))
	}
	s, err = c.SurveyOf(ctx, c.mine.is, &c.aim)
	if err == nil && s.Look.Silent != "" {
		err = unseen(silence(s.Look))
	}
	if err == nil {
		list, err = would(s.Look)
	}
	return s, list, err
}

// with is what would be known of the cards by a survey.
func (c *onCards) with(s Survey, list []device.Seen, turn []string) *onCards {
	if turn != nil {
		list = slices.DeleteFunc(slices.Clone(list), func(card device.Seen) bool { return !slices.Contains(turn, card.UUID) })
	}
	as := &onCards{Cards: c.Cards, share: c.share}
	as.take(s, list)
	return as
}
