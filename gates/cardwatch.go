package gates

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"gpuci/kernels/device"
)

// watching is a run under watch.
type watching struct {
	*device.Watcher
	guard *guard
	file  *os.File
	fault error
	stop  context.CancelCauseFunc
}

// watchCards watches the cards of the run from now on. The context ends where it must
// not go on.
func (f *flow) watchCards(ctx context.Context) (context.Context, *watching) {
	if f.card == nil {
		return ctx, nil
	}
	w := &watching{}
	ctx, w.stop = context.WithCancelCause(ctx)
	src, err := f.card.source(ctx)
	if err != nil { // it was there a moment ago
		w.fault = err
		return ctx, w
	}
	if w.file, err = f.rec.create(cardFile); err != nil {
		f.mark("what the card does cannot be written down: " + err.Error())
	}
	w.guard = newGuard(f.card, f.v.Card, w.stop)
	w.Watcher = device.Watch(context.WithoutCancel(ctx), src, device.Watching{
		Cards: f.v.Card.UUIDs, Mine: f.card.mine.is, Before: f.card.before(), Sample: w.write, Seen: w.guard.look,
	})
	return ctx, w
}

// before are those who were on the cards when the gate got them.
func (c *onCards) before() (list []device.Process) {
	for _, s := range c.states {
		list = append(list, s.Foreign...)
	}
	return list
}

func (w *watching) write(p device.Point) {
	if w.file == nil || w.fault != nil {
		return
	}
	line, err := json.Marshal(p)
	if err == nil {
		_, err = w.file.Write(append(line, '\n'))
	}
	w.fault = err
}

// endWatch closes the watch and judges what it saw. The run does not stand where it says
// StepFailed.
func (f *flow) endWatch(w *watching, state StepState) StepState {
	if w == nil {
		return state
	}
	defer w.stop(nil)
	var r device.Report
	if w.Watcher != nil {
		w.guard.runOver()
		r = w.Watcher.Stop()
		w.guard.end(r.Last)
	} else {
		r.Failed, r.Blind = w.fault.Error(), true
	}
	if w.file != nil {
		_ = w.file.Close()
	}
	if w.Watcher != nil && w.fault != nil {
		f.mark("what the card did is not written down whole: " + w.fault.Error())
	}
	use := f.v.Card
	use.Source, use.Looks, use.Gap, use.After, use.Doubts, use.Cards = r.Source, r.Looks, r.Gap.Seconds(), r.Ended, r.Doubts, r.Cards
	if use.After.IsZero() {
		use.After = time.Now()
	}
	f.cardMarks(r)
	f.card.learn(w.guard)
	use.wait = f.card.waitFor(time.Now(), f.gate.Card.Count)
	if !f.judgeWatch(w, r) {
		state = StepFailed
	}
	return state
}
