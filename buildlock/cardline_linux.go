package buildlock

import (
	"context"
	"fmt"
	"time"
)

// note says in our tickets why they hold nothing though nobody is ahead of them.
func (w *cardWait) note() {
	text := w.why
	if text == "" {
		text = "waits for another card as well"
	}
	for _, t := range w.ours {
		if w.noted[t] != text {
			w.noted[t] = text
			t.note(granted{Held: Clip(text)})
		}
	}
}

// line says how far we are: in the line that is the shortest before us, or, when
// it is our turn, what the cards are waited for.
func (w *cardWait) line() Line {
	near := w.shortest()
	if near == nil {
		return Line{Lock: w.ours[0].queue.lock, Slots: 1, Place: 1, Waited: time.Since(w.began), Limit: w.o.Wait, Held: true, Note: w.why}
	}
	q := Queue{Lock: near.queue.lock, Slots: 1}
	list, err := near.queue.entries(context.Background(), near.Number)
	q.Entries = append(list, Entry{Number: near.Number, State: StateWaits})
	l := q.Line(near.Number)
	l.Waited, l.Limit = time.Since(w.began), w.o.Wait
	if n := len(w.tickets); n > 1 {
		l.Note = fmt.Sprintf("any %d of %d cards will do", w.o.Count, n)
	}
	if err != nil {
		l.Note = err.Error()
	}
	return l
}

// shortest is our ticket with the fewest ahead, of those that have any; nil when
// it is our turn.
func (w *cardWait) shortest() (short *Ticket) {
	if len(w.ours) >= w.o.Count {
		return nil
	}
	for _, t := range w.tickets {
		if n := len(w.ahead[t]); n > 0 && (short == nil || n < len(w.ahead[short])) {
			short = t
		}
	}
	return short
}
