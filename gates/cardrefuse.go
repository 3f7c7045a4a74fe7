package gates

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
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
		f.refuse(needs+": "+err.Error(), "run it on a machine that has that; gpuci gpu says what there is")
	case errors.As(err, &busy), errors.As(err, new(notReady)):
		f.refuseBusy(ctx, c, needs, err)
	case errors.As(err, new(silent)):
		f.owe(OweUnknown, err.Error())
		f.refuse(needs+", and whether a card is quiet is not known: "+err.Error(), "ask nvidia-smi by hand; a driver that hangs is mended by its administrator")
	default:
		f.refuseQueue(needs+": "+err.Error(), buildlock.Remedy(err, c.LockDir))
	}
	return StepFailed
}

// refuseBusy says of each card that would do who is on it.
func (f *flow) refuseBusy(ctx context.Context, c *onCards, needs string, err error) {
	if s, serr := c.Survey(ctx, c.mine.is); serr == nil { // who holds the locks is not in what was seen before
		var list []device.Seen
		for _, card := range c.all {
			list = append(list, card.Seen)
		}
		c.take(s, list)
	}
	why, parts := OweCard, []string(nil)
	unknown, sharable := 0, false
	for _, card := range c.all {
		text := card.Text(time.Now())
		sharable = sharable || card.shares
		if c.share && card.shares {
			if short := f.tooLittle(c, card); short != "" {
				text += "; " + short
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
	detail := strings.Join(parts, "; ")
	if detail == "" {
		detail = err.Error()
	}
	f.owe(why, detail)
	waited := ""
	if c.Wait > 0 {
		waited = fmt.Sprintf(" after a wait of %s", buildlock.Round(c.Wait))
	}
	again := "gpuci gate " + f.gate.Name
	if c.Choice != "" {
		again += " --gpu " + quoteArgv([]string{c.Choice})
	}
	f.refuse(needs+waited+": "+detail, "queue for it: "+again+" --wait 2h")
	if sharable && !c.share && f.gate.Measured() == config.MeasuresNumbers && f.gate.VRAM > 0 {
		f.next("or run it beside that, its numbers do not mind: " + again + " --share-gpu")
	}
}
