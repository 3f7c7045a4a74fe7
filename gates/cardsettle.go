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

// Meant says which cards of a look somebody is after. An error ends no survey: who
// asked meets it again.
type Meant func(device.Look) ([]device.Seen, error)

// settled looks until of no card that is meant it is unknown who is on it for what
// may pass, and for no longer than dying. A card that nobody is after may stay so for
// ever, and is not waited for. nil means all.
func (c *Cards) settled(ctx context.Context, mine device.Mine, meant Meant) (device.Look, error) {
	src, err := c.source(ctx)
	if err != nil {
		return device.Look{}, err
	}
	if meant == nil {
		return src.Settled(ctx, mine, nil, dying)
	}
	look, err := src.Look(ctx, mine)
	if err != nil {
		return look, err
	}
	list, err := meant(look)
	if err != nil || !slices.ContainsFunc(list, device.Seen.Passing) {
		return look, nil
	}
	var uuids []string
	for _, card := range list {
		uuids = append(uuids, card.UUID)
	}
	return src.Settled(ctx, mine, uuids, dying)
}

// survey surveys the cards for the gate, and says which of them would do.
func (f *flow) survey(ctx context.Context, c *onCards) (s Survey, list []device.Seen, err error) {
	would := func(look device.Look) ([]device.Seen, error) { return c.Candidates(look, f.gate.Card) }
	s, err = c.SurveyOf(ctx, c.mine.is, would)
	if err == nil && s.Look.Silent != "" {
		err = unseen(silence(s.Look))
	}
	if err == nil {
		list, err = would(s.Look)
	}
	return s, list, err
}
