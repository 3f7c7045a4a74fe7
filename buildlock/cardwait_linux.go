package buildlock

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// settle is how long somebody who does not wait at all waits for those ahead who
// hold nothing yet and do not wait either: they are choosing, which takes a look
// at the cards, and a look at a driver that hangs ends after seven seconds.
const settle = 10 * time.Second

// cardWait is a place in the line of each of several cards.
type cardWait struct {
	o       CardOptions
	tickets []*Ticket // in the order of Allowed
	began   time.Time
	blocked map[string]bool // tickets that a goroutine of ours waits on
	ended   chan string

	ours   []*Ticket // as of the last look: nobody is ahead of these
	chosen []*Ticket // once there are enough: those that are taken
	ahead  map[*Ticket][]uint64
	why    string             // our turn has come and the cards are not ready
	asked  time.Time          // when they were last asked about
	noted  map[*Ticket]string // what our tickets say
}

// untilOurs returns when the cards are chosen and taken.
func (w *cardWait) untilOurs(ctx context.Context) ([]*Ticket, error) {
	done := make(chan struct{}) // lets go of goroutines that waited for nothing
	defer close(done)
	remind, look := time.NewTicker(cmp.Or(w.o.Every, RemindEvery)), time.NewTicker(lookAgain)
	defer remind.Stop()
	defer look.Stop()
	for told := false; w.chosen == nil; told = true {
		if err := w.step(ctx); err != nil || w.chosen != nil {
			return w.chosen, err
		}
		if w.left() <= 0 {
			return nil, &BusyError{w.line()}
		}
		w.note()
		if !told && w.o.Wait != 0 {
			w.o.tell(w.line())
		}
		w.block(done)
		if err := w.rest(ctx, look, remind); err != nil {
			return nil, err
		}
	}
	return w.chosen, nil
}

// rest waits until there may be something new.
func (w *cardWait) rest(ctx context.Context, look, remind *time.Ticker) error {
	out := time.NewTimer(w.left())
	defer out.Stop()
	again := time.NewTimer(w.again())
	defer again.Stop()
	for {
		select {
		case id := <-w.ended:
			delete(w.blocked, id)
		case <-look.C:
		case <-again.C:
		case <-out.C:
		case <-remind.C:
			if w.o.Wait != 0 {
				w.o.tell(w.line())
			}
			continue
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		return nil
	}
}

// again is the time until Ready is to be asked once more.
func (w *cardWait) again() time.Duration {
	if w.why == "" {
		return never
	}
	return time.Until(w.asked.Add(cmp.Or(w.o.Again, CardAgain)))
}

// left is how long we may still wait.
func (w *cardWait) left() time.Duration {
	limit := w.o.Wait
	switch {
	case limit < 0:
		return never
	case limit == 0 && w.undecided():
		limit = settle
	}
	return limit - time.Since(w.began)
}

// undecided says that enough cards could be ours if those who are first in line
// for them chose others: they hold nothing, and do not say that they wait.
func (w *cardWait) undecided() bool {
	n := len(w.ours)
	for t, ahead := range w.ahead {
		if len(ahead) == 0 {
			continue
		}
		if _, g, err := t.queue.record(ahead[0]); err == nil && g.Granted.IsZero() && g.Held == "" {
			n++
		}
	}
	return w.why == "" && n >= w.o.Count
}

// step looks whose turn it is, and takes the cards if it is ours.
func (w *cardWait) step(ctx context.Context) error {
	if err := w.look(); err != nil {
		return err
	}
	if len(w.ours) < w.o.Count {
		w.why = ""
		return nil
	}
	if w.o.Ready == nil {
		return w.take(w.ours)
	}
	if w.why != "" && w.again() > 0 {
		return nil
	}
	return w.ask(ctx)
}

// look finds out for which cards it is our turn: those first that nobody behind
// us stands in line for, else in our own order.
func (w *cardWait) look() error {
	w.ours, w.ahead = nil, make(map[*Ticket][]uint64)
	behind := make(map[*Ticket]int)
	for _, t := range w.tickets {
		ahead, err := t.queue.ahead(t.Number)
		if err == nil {
			err = t.check()
		}
		if err != nil {
			return err
		}
		if w.ahead[t] = ahead; len(ahead) == 0 {
			w.ours = append(w.ours, t)
			behind[t] = t.queue.behind(t.Number)
		}
	}
	slices.SortStableFunc(w.ours, func(a, b *Ticket) int { return cmp.Compare(behind[a], behind[b]) })
	return nil
}

// behind counts the live tickets with higher numbers.
func (q queue) behind(n uint64) (count int) {
	all, _ := q.numbers()
	for _, m := range all {
		if live, _ := q.live(m); m > n && live {
			count++
		}
	}
	return count
}

// block waits, each in a goroutine, on the nearest ticket ahead in each line: it
// is not our turn there before that one ends.
func (w *cardWait) block(done <-chan struct{}) {
	for t, ahead := range w.ahead {
		if len(ahead) == 0 {
			continue
		}
		n := ahead[len(ahead)-1]
		if id := ticketID(t.queue.lock, n); !w.blocked[id] {
			w.blocked[id] = true
			onEnd(t.queue, n, id, w.ended, done)
		}
	}
}
