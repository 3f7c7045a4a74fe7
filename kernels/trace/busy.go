package trace

import (
	"cmp"
	"slices"
	"time"
)

// period is from when to when.
type period struct{ from, to time.Duration }

// union joins those that touch, and sorts them.
func union(list []period) []period {
	slices.SortFunc(list, func(a, b period) int { return cmp.Compare(a.from, b.from) })
	joined := list[:0]
	for _, p := range list {
		if n := len(joined); n > 0 && p.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, p.to)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// length is how long all together are, of which none touch.
func length(list []period) (sum time.Duration) {
	for _, p := range list {
		sum += p.to - p.from
	}
	return sum
}

// after is how long they are behind a time.
func after(list []period, at time.Duration) (sum time.Duration) {
	for _, p := range list {
		sum += max(0, p.to-max(p.from, at))
	}
	return sum
}

// busy is when a card did something, whatever it was.
type busy struct {
	at     []period
	before []time.Duration // of each, how long those before it are together
}

func newBusy(list []period) *busy {
	b := &busy{at: union(list)}
	b.before = make([]time.Duration, len(b.at))
	sum := time.Duration(0)
	for i, p := range b.at {
		b.before[i] = sum
		sum += p.to - p.from
	}
	return b
}

// until is how long the card was at work up to a time.
func (b *busy) until(at time.Duration) time.Duration {
	i, _ := slices.BinarySearchFunc(b.at, at, func(p period, at time.Duration) int { return cmp.Compare(p.from, at) })
	if i == 0 {
		return 0
	}
	p := b.at[i-1]
	return b.before[i-1] + min(p.to, at) - p.from
}

// within is how long it was at work in a window.
func (b *busy) within(w period) time.Duration { return max(0, b.until(w.to)-b.until(w.from)) }
