package trace

import (
	"cmp"
	"slices"
	"time"
)

// period is from when to when.
type period struct{ from, to time.Duration }

// union are periods that are added nearly in their order, those that touch joined. It lets
// go of the early ones of very many, and knows how long they were.
type union struct {
	list []period
	sum  time.Duration // of those that were let go
	past time.Duration // that of the last of them
	most int
}

// unionMost is how many it has before it lets some go, 512 KiB: more than a card's queues
// hold, so that what comes later begins later than these.
const unionMost = 1 << 15

// add takes one in at a time of the host's: what has ended by then may be let go. The answer
// is how much of it is so early that it may have been counted before.
func (u *union) add(p period, now time.Duration) (early time.Duration) {
	if u.sum > 0 && p.from < u.past {
		early = min(p.to, u.past) - p.from
		u.sum += early
		if p.from = u.past; p.to <= u.past {
			return early
		}
	}
	switch n := len(u.list); {
	case n == 0 || p.from > u.list[n-1].to:
		u.list = append(u.list, p)
		u.shorten(now)
	case p.from >= u.list[n-1].from:
		u.list[n-1].to = max(u.list[n-1].to, p.to)
	default:
		u.insert(p)
	}
	return early
}

func (u *union) insert(p period) {
	from, _ := slices.BinarySearchFunc(u.list, p.from, func(o period, at time.Duration) int { return cmp.Compare(o.to, at) })
	to := from
	for to < len(u.list) && u.list[to].from <= p.to {
		p.from, p.to = min(p.from, u.list[to].from), max(p.to, u.list[to].to)
		to++
	}
	u.list = slices.Replace(u.list, from, to, p)
}

// shorten lets go of the earlier half. Where the card is far behind the host, there is
// nothing to let go yet, and more is held.
func (u *union) shorten(now time.Duration) {
	if len(u.list) < max(u.most, unionMost) {
		return
	}
	over, _ := slices.BinarySearchFunc(u.list[:len(u.list)/2], now, func(p period, now time.Duration) int { return cmp.Compare(p.to, now) })
	if over < len(u.list)/4 {
		u.most = 2 * len(u.list)
		return
	}
	for _, p := range u.list[:over] {
		u.sum += p.to - p.from
	}
	u.past = u.list[over-1].to
	u.list = slices.Delete(u.list, 0, over)
}

// length is how long all together are.
func (u *union) length() time.Duration {
	sum := u.sum
	for _, p := range u.list {
		sum += p.to - p.from
	}
	return sum
}

// after is how long they are behind a time, which none of those that were let go is.
func (u *union) after(at time.Duration) (sum time.Duration) {
	for _, p := range u.list {
		sum += max(0, p.to-max(p.from, at))
	}
	return sum
}
