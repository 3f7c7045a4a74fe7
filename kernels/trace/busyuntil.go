package trace

import (
	"math"
	"slices"
	"time"
)

// busyUntil is how long each card was at work up to a time. It is asked in the order of
// time: what is before the last one counts as that.
type busyUntil struct {
	from  *workStream
	cards []uint16
	sums  []time.Duration // by the place of a card, of what is over
	now   []period        // what the card is at, or was last
	at    time.Duration
}

func newBusyUntil(w *workFile) *busyUntil {
	b := &busyUntil{from: w.byStart(), cards: w.cards, sums: make([]time.Duration, len(w.cards)), now: make([]period, len(w.cards)), at: math.MinInt64}
	for i := range b.now {
		b.now[i] = period{math.MinInt64, math.MinInt64}
	}
	return b
}

func (b *busyUntil) until(at time.Duration) []time.Duration {
	b.at = max(b.at, at)
	for w := b.from.next(); w != nil && w.Start < b.at; w = b.from.next() {
		to := w.End
		if !w.Ended() {
			to = math.MaxInt64 // it went on when the recording ended
		}
		i, _ := slices.BinarySearch(b.cards, w.Card)
		b.add(i, period{w.Start, to})
		b.from.drop()
	}
	all := make([]time.Duration, len(b.cards))
	for i, p := range b.now {
		all[i] = b.sums[i] + min(p.to, b.at) - p.from
	}
	return all
}

func (b *busyUntil) add(i int, p period) {
	now := &b.now[i]
	if p.from > now.to {
		b.sums[i] += now.to - now.from
		*now = p
		return
	}
	now.to = max(now.to, p.to)
}
