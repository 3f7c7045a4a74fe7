package gates

import (
	"context"
	"errors"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
	"gpuci/kernels/device"
)

// atMachine is what the step machine saw of the cards.
type atMachine struct {
	some   bool   // there were enough that would do
	silent string // why the driver did not answer
}

// lookMachine looks whether there is what a gate needs. For one that can wait, one look
// which does not show it is no proof.
func (c *Cards) lookMachine(ctx context.Context, need config.CardNeed) (look device.Look, err error) {
	for again := c.Wait > 0; ; again = false {
		look, err = c.Look(ctx)
		if err == nil && look.Silent == "" {
			_, err = c.Candidates(look, need)
		}
		if !again || !errors.Is(err, device.ErrNoCard) {
			return look, err
		}
		select {
		case <-ctx.Done():
			return look, ctx.Err()
		case <-time.After(buildlock.CardAgain):
		}
	}
}

// refuseNever refuses what cannot run here, whoever is on the cards.
func (f *flow) refuseNever(needs string, err error) {
	next := "run it on a machine that has that; gpuci gpu says what there is"
	switch {
	case errors.As(err, new(wrongAllowed)), errors.As(err, new(noneAllowed)):
		next = "put cards in [gpu] of the machine's file right: gpuci gpu says what there is"
	case errors.Is(err, device.ErrChoice):
		next = "choose others, by --gpu or in " + visibleVar + ", by UUID: gpuci gpu lists them"
	}
	f.refuse(needs+": "+err.Error(), next)
}
