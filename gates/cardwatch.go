package gates

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"gpuci/gates/config"
	"gpuci/kernels/device"
)

// crowded is why a run is ended that shares a card: what must stay free there is not
// free any more, and the other one comes first.
type crowded struct {
	card device.Seen
	room int64 // bytes
}

func (c crowded) Error() string {
	return fmt.Sprintf("%s of %s were free on %s, which it shares", GiB(c.card.Card.Free.Value), GiB(c.room), c.card.Label())
}

// watching is a run under watch.
type watching struct {
	*device.Watcher
	file   *os.File
	fault  error
	cancel context.CancelCauseFunc
	once   sync.Once
	crowd  *crowded
}

// watchCards watches the cards of the run from now on. The context ends where it must
// not go on.
func (f *flow) watchCards(ctx context.Context) (context.Context, *watching) {
	if f.card == nil {
		return ctx, nil
	}
	w := &watching{}
	ctx, w.cancel = context.WithCancelCause(ctx)
	src, err := f.card.source(ctx)
	if err != nil { // it was there a moment ago
		w.fault = err
		return ctx, w
	}
	if w.file, err = f.rec.create(cardFile); err != nil {
		f.mark("what the card does cannot be written down: " + err.Error())
	}
	o := device.Watching{Cards: f.v.Card.UUIDs, Mine: f.card.mine.is, Sample: w.write}
	if len(f.v.Card.Shared) > 0 {
		room := f.card.Headroom
		o.Seen = func(l device.Look) { w.room(l, o.Cards, room) }
	}
	w.Watcher = device.Watch(context.WithoutCancel(ctx), src, o)
	return ctx, w
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

// room ends the run where a card that it shares has too little memory left.
func (w *watching) room(l device.Look, cards []string, headroom int64) {
	for _, uuid := range cards {
		card, ok := l.Find(uuid)
		if !ok || !card.Card.Free.Known || card.Card.Free.Value >= headroom {
			continue
		}
		w.once.Do(func() {
			w.crowd = &crowded{card, headroom}
			w.cancel(*w.crowd)
		})
	}
}

// end closes the watch and judges what it saw. The run does not stand where it says
// StepFailed.
func (f *flow) endWatch(ctx context.Context, w *watching, state StepState) StepState {
	if w == nil {
		return state
	}
	defer w.cancel(nil)
	var r device.Report
	if w.Watcher != nil {
		r = w.Stop()
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
	if !f.judgeWatch(w, r) {
		state = StepFailed
	}
	f.lookAfter(ctx)
	return state
}

// judgeWatch says whether what the run gave stands, and if not, why.
func (f *flow) judgeWatch(w *watching, r device.Report) bool {
	stands := f.stayedOn(r)
	again := "run it again: gpuci gate " + f.gate.Name + " --wait 2h queues for the card"
	fail := func(why, text string) {
		f.owe(why, text)
		f.refuse(text, again)
		stands = false
	}
	came := f.came(r)
	f.v.Card.Came = came
	switch {
	case w.crowd != nil:
		fail(OweContended, "it was ended: "+w.crowd.Error()+"; who was there first must not run out of memory")
	case len(came) > 0 && !f.card.share:
		fail(OweContended, contended+strings.Join(came, ", ")+"; what the run gave does not stand")
	case r.Blind || len(r.Doubts) > device.Forgiven || r.State() == device.Unknown:
		r.Foreign = nil // those were let in
		fail(OweUnknown, "who was on the card while it ran is not known: "+r.Why())
	case len(came) > 0:
		f.mark(contended + strings.Join(came, ", "))
		f.sharedSeries()
	}
	return stands
}

// contended begins what is said of somebody who came.
const contended = "contended: on the card came "

// came are those who came on the cards while the gate ran.
func (f *flow) came(r device.Report) (out []string) {
	for _, s := range r.Foreign {
		was := slices.ContainsFunc(f.card.states, func(c CardState) bool {
			return slices.ContainsFunc(c.Foreign, func(p device.Process) bool { return p.PID == s.PID && p.Start == s.Start })
		})
		if !was {
			if !s.Memory.Known {
				s.Memory = s.Peak
			}
			out = append(out, f.card.Who(s.Process)+" at "+s.First.Local().Format(time.TimeOnly))
		}
	}
	return out
}

// stayedOn says whether the gate's processes stayed on the cards it was given: numbers
// of another card are not the gate's, and there somebody may be at work.
func (f *flow) stayedOn(r device.Report) bool {
	if len(r.Elsewhere) == 0 {
		return true
	}
	var parts []string
	for _, s := range r.Elsewhere {
		parts = append(parts, f.card.Who(s.Process)+" on "+s.Card)
	}
	f.find(Broken, "it was on a card that it was not given ("+strings.Join(f.v.Card.UUIDs, ", ")+"): "+strings.Join(parts, ", "))
	f.next("take " + visibleVar + " and fixed numbers of cards out of what it runs: gpuci gives it its card")
	return false
}

// throttledMark begins the mark of times that are worse than the card's own.
const throttledMark = "throttled: "

// cardMarks says what makes times worse than the card.
func (f *flow) cardMarks(r device.Report) {
	for _, c := range r.Cards {
		if len(c.Throttle) > 0 && f.gate.Measured() == config.MeasuresTime {
			f.mark(throttledMark + strings.Join(c.Throttle, ", ") + " on " + c.Card.Label())
		}
		if over := c.PeakOwn; f.gate.VRAM > 0 && over.Known && over.Value > f.gate.VRAM {
			f.mark(fmt.Sprintf("it used %s of %s, and vram in gpuci.toml says %s", GiB(over.Value), c.Card.Label(), GiB(f.gate.VRAM)))
		}
	}
}

// lookAfter looks once more when all has ended, and says what of the gate is still
// there: a daemon that may stay, or one that would not end. Its dead may be listed for
// a moment still.
func (f *flow) lookAfter(ctx context.Context) {
	src, err := f.card.source(ctx)
	if err != nil || f.card.passed() {
		return
	}
	look, err := src.Look(context.WithoutCancel(ctx), f.card.mine.is)
	if err != nil {
		return
	}
	for _, uuid := range f.v.Card.UUIDs {
		card, _ := look.Find(uuid)
		left := slices.DeleteFunc(card.Own, func(p device.Process) bool { return !p.Valid })
		if len(left) > 0 {
			f.mark("still on " + card.Label() + " when it had ended: " + f.card.whoIsOn(left))
		}
	}
}
