package gates

import (
	"context"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates/config"
)

// onCards is what a gate has of the cards, from the step card to the end of its run.
type onCards struct {
	*Cards
	tickets []*buildlock.Ticket
	states  []CardState // of the cards it has, as they were when it got them
	all     []CardState // of all that would have done, at the last look
	share   bool        // it may be there with somebody else
	aim     Aim         // of its looks before it has them
	mine    *mine
}

// doMachine refuses, before anything is built, what can never run here. Who is on the
// cards does not matter yet.
func (f *flow) doMachine(ctx context.Context) StepState {
	if !f.readyToTrace(ctx) {
		return StepFailed
	}
	need, c := f.gate.Card, f.opt.Cards
	needs := "it needs " + strings.Join(f.gate.Needs, ", ")
	switch {
	case need.Count == 0:
		return StepNone
	case c == nil:
		f.refuse(needs+", and who runs it does not look at cards", "run it with gpuci gate")
		return StepFailed
	}
	if why, next := f.cannotShare(); why != "" {
		f.refuse(why, next)
		return StepFailed
	}
	look, err := c.lookMachine(ctx, need)
	switch {
	case err == nil && look.Silent != "":
		f.atMachine.silent = silence(look)
		return StepDone
	case err == nil:
		f.atMachine.some = true
		return StepDone
	case ctx.Err() != nil:
		return StepFailed
	}
	f.refuseNever(needs, err)
	return StepFailed
}

// cannotShare says why a gate cannot share a card though it was asked for.
func (f *flow) cannotShare() (why, next string) {
	g := &f.gate
	switch kind := g.Measured(); {
	case !f.opt.Cards.Share:
		return "", ""
	case kind != config.MeasuresNumbers:
		return "--share-gpu: it measures " + kind + ", and beside somebody else that says nothing", "leave the flag out; --wait " + hoursText(shortWait) + " queues for the card alone"
	case g.VRAM == 0:
		return "--share-gpu: how much memory it uses is not said", `add vram = "8GiB", what it uses of a card at most, in gpuci.toml`
	}
	return "", ""
}

// shares says whether the gate may be on a card with somebody else.
func (f *flow) shares() bool {
	return (f.gate.ShareGPU || f.opt.Cards.Share) && f.gate.VRAM > 0 && f.gate.Measured() == config.MeasuresNumbers
}

// doCard takes the cards. It comes after the build, which takes none, and what is
// waited here is in no time limit.
func (f *flow) doCard(ctx context.Context) StepState {
	if f.gate.Card.Count == 0 {
		return StepNone
	}
	c := &onCards{Cards: f.opt.Cards, share: f.shares(), mine: newMine(false)}
	ids, wait, err := f.candidates(ctx, c)
	if err != nil {
		return f.noCard(ctx, c, err)
	}
	began := time.Now().Add(wait - c.Wait)
	if err := f.takeCards(ctx, c, ids, wait); err != nil {
		return f.noCard(ctx, c, err)
	}
	f.gotCards(c, time.Since(began))
	return StepDone
}
