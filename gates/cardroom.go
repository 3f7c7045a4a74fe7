package gates

import (
	"fmt"
	"time"

	"gpuci/kernels/device"
)

// roomBlind is for how long a run may go on beside somebody while nobody can tell
// whether there is memory for both.
const roomBlind = 5 * time.Second

// free ends the run where a card that it shares has too little memory left. Alone on
// it, it may use what it likes.
func (g *guard) free(l device.Look) {
	told := l.Silent == ""
	for _, uuid := range g.uuids {
		card, ok := l.Find(uuid)
		if !ok || !card.Card.Free.Known || l.Silent != "" {
			told = false
			continue
		}
		if alone := !g.company(l.At, card); alone && !g.beside {
			continue
		}
		if free := card.Card.Free.Value; free < g.cards.Headroom {
			g.over(short(free, g.cards.Headroom) + " on " + card.Label() + ", which it shares; who was there first must not run out of memory")
		}
	}
	g.mu.Lock()
	if told {
		g.room = time.Now()
	}
	long := time.Since(g.room)
	near := g.beside || len(g.known) > 0
	g.mu.Unlock()
	if near && long > roomBlind {
		g.over(fmt.Sprintf("for %s nobody could tell how much memory is free on the card that it shares; who was there first must not run out of it", long.Round(time.Second)))
	}
}

// odd is how often in a row it could not be told whether we are alone on a card.
type odd struct {
	looks int
	since time.Time
}

// oddLooks is how many looks that takes, or device.Moment: lists and memory do not fit
// for a moment where a process of ours begins or ends.
const oddLooks = 3

// company says whether somebody else is on a card, or may be for more than a moment. What
// our own processes have just left on it is nobody.
func (g *guard) company(at time.Time, card device.Seen) bool {
	if card.State != device.Unknown || card.Ours {
		delete(g.odd, card.UUID)
		return card.State == device.Busy
	}
	o := g.odd[card.UUID]
	if o.looks++; o.looks == 1 {
		o.since = at
	}
	g.odd[card.UUID] = o
	return o.looks >= oddLooks || at.Sub(o.since) >= device.Moment
}

// short says how little memory was free.
func short(free, headroom int64) string {
	if free <= 0 {
		return "nothing was free (" + device.Size(headroom) + " should be)"
	}
	return device.Size(free) + " of " + device.Size(headroom) + " were free"
}
