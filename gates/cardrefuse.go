package gates

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/kernels/device"
)

// noCard refuses the gate, and says who has what it needs and how to queue for it.
func (f *flow) noCard(ctx context.Context, c *onCards, err error) StepState {
	if ctx.Err() != nil {
		return StepFailed
	}
	needs := "it needs " + strings.Join(f.gate.Needs, ", ")
	var busy *buildlock.BusyError
	switch {
	case errors.Is(err, device.ErrNoDriver), errors.Is(err, device.ErrNoCard):
		f.refuseNever(needs, err)
	case errors.As(err, &busy), errors.As(err, new(notReady)):
		f.refuseBusy(ctx, c, needs, err)
	case errors.As(err, new(unseen)):
		f.owe(OweUnknown, err.Error())
		f.refuse(needs+c.waited()+", and whether a card is quiet is not known: "+err.Error(), "ask nvidia-smi by hand; a driver that hangs is mended by its administrator")
	default:
		f.refuseQueue(needs+": "+err.Error(), buildlock.Remedy(err, c.LockDir))
	}
	return StepFailed
}

// refuseBusy says of each card that would do who is on it.
func (f *flow) refuseBusy(ctx context.Context, c *onCards, needs string, err error) {
	why, parts := OweCard, []string(nil)
	unknown := 0
	for _, card := range c.all {
		text := card.Text(time.Now())
		if c.share && card.shares {
			if why := f.unsharable(ctx, c, card); why != "" {
				text += "; " + why
			}
		}
		if card.Status == CardUnknown {
			unknown++
		}
		parts = append(parts, text)
	}
	if unknown == len(c.all) && unknown > 0 {
		why = OweUnknown
	}
	detail := f.refusedByCards(parts, err, f.enough(ctx, c))
	f.owe(why, detail)
	f.find(Refused, needs+c.waited()+": "+detail)
	f.nextBusy(c)
}

// waited says for how long it was waited, at the end of that.
func (c *onCards) waited() string {
	if c.Wait <= 0 {
		return ""
	}
	return fmt.Sprintf(" after a wait of %s", buildlock.Round(c.Wait))
}
