package device

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Watching says what is watched.
type Watching struct {
	Cards []string // UUIDs that the gate may use; processes of ours on others are Elsewhere
	Mine  Mine
	// Before are those who were there before, and were let be: they may go as they like.
	Before []Process
	Every  time.Duration // between two looks, 100 ms when 0 (1 s through nvidia-smi)
	Each   time.Duration // between two samples for Sample, 1 s when 0
	Blind  time.Duration // so long without an answer nothing can be said, 3 s when 0

	// Seen, when set, is told every look; Sample of every card of Cards about
	// each second. They are called one after the other, from one goroutine, and
	// hold the watch up while they work. They must not call Stop. Most looks are
	// quick ones, whose Sample has memory alone.
	Seen   func(Look)
	Sample func(Point)
}

// Point is a sample in time.
type Point struct {
	At    time.Time `json:"at"`
	Card  string    `json:"card"`
	State State     `json:"state"`
	Sample
}

// Watcher watches cards while something runs on them.
type Watcher struct {
	Watching
	source *Source
	cancel context.CancelFunc
	done   chan struct{}
	once   sync.Once

	// The rest is the goroutine's until done is closed.
	sight sight
	last  Look // that was answered
}

// bySMI is the least time between two looks through nvidia-smi, each of which
// takes that long, and wakes every card.
const bySMI = time.Second

// Watch begins; the first look is taken at once. It ends with ctx or Stop.
//
// It asks for the processes ten times a second, and beside that for the driver's
// own samples of who used the card, which also have who came and went between two
// looks. It makes no context, and asks for clocks and temperatures once a second.
func Watch(ctx context.Context, s *Source, w Watching) *Watcher {
	w.Every, w.Each, w.Blind = cmp.Or(w.Every, 100*time.Millisecond), cmp.Or(w.Each, time.Second), cmp.Or(w.Blind, 3*time.Second)
	ctx, cancel := context.WithCancel(ctx)
	t := &Watcher{Watching: w, source: s, cancel: cancel, done: make(chan struct{})}
	t.sight = newSight(w, time.Now())
	go t.run(ctx)
	return t
}

func (w *Watcher) run(ctx context.Context) {
	defer close(w.done)
	var sampled time.Time
	for ctx.Err() == nil {
		full := time.Since(sampled) >= w.Each
		if full {
			sampled = time.Now()
		}
		w.look(ctx, full)
		every := w.Every
		if w.sight.report.Source == sourceSMI {
			every = max(every, bySMI)
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
		}
	}
}

// look takes one look, and says whether it was answered.
func (w *Watcher) look(ctx context.Context, full bool) bool {
	l, err := w.source.look(ctx, w.Mine, ask{Lists: !full, Uses: true, Since: w.sight.since})
	if ctx.Err() != nil {
		return false // a look that was broken off says nothing
	}
	if err != nil {
		l = Look{At: time.Now(), Silent: err.Error()}
	}
	w.sight.add(l, time.Now())
	if w.Seen != nil {
		w.Seen(w.sight.told(l))
	}
	if l.Silent != "" {
		return false
	}
	w.last = l
	if full {
		w.points(l)
	}
	return true
}

func (w *Watcher) points(l Look) {
	for _, uuid := range w.Cards {
		c, ok := l.Find(uuid)
		if !ok {
			continue
		}
		w.sight.sample(c)
		if w.Sample != nil {
			w.Sample(Point{At: l.At, Card: uuid, State: c.State, Sample: c.Sample})
		}
	}
}

// lastLook bounds the looks that Stop takes.
const lastLook = 10 * time.Second

// Stop takes a last look, and some more where that one left something open, ends the
// watch and says what it saw. Later calls give the same.
func (w *Watcher) Stop() Report {
	w.once.Do(func() {
		w.cancel()
		<-w.done
		ctx, cancel := context.WithTimeout(context.Background(), lastLook)
		defer cancel()
		w.sight.report.Unseen = !w.lastLooks(ctx)
		w.sight.end(time.Now())
		w.sight.report.Last = w.last
	})
	return w.sight.report
}

// lastLooks says whether they were answered. A driver that hangs is asked once more,
// through another child.
func (w *Watcher) lastLooks(ctx context.Context) bool {
	answered := w.look(ctx, true)
	if !answered {
		answered = w.look(ctx, true)
	}
	if !answered {
		return false
	}
	for w.sight.pending() {
		pause, full := w.Every, w.sight.halfSeen()
		if full { // the next second says whether that was a stray number
			pause = w.Each
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
		if !w.look(ctx, full) {
			return false
		}
	}
	return true
}
