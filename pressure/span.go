package pressure

import "time"

// Share is a part of a stretch of time, 0 to 1. What is not known is not 0.
type Share struct {
	Value float64
	Known bool
}

// Percent is the share in percent, 0 where it is not known.
func (s Share) Percent() float64 { return 100 * s.Value }

// Shares are those of one resource.
type Shares struct {
	Some Share // some tasks waited
	Full Share // all that were not idle waited at once
}

// Span is what was waited between two readings, by the differences of their
// totals: true for any stretch of time, where the kernel's averages lag.
type Span struct {
	From, To             time.Time
	CPU, IO, Memory, IRQ Shares
}

// Length is how long the span is.
func (s Span) Length() time.Duration { return s.To.Sub(s.From) }

// Between is the span between two readings of the same directory.
func Between(before, after Reading) Span {
	wall := after.Time.Sub(before.Time)
	one := func(b, a *Level) Share {
		v, ok := Stall(b, a, wall)
		return Share{v, ok}
	}
	both := func(b, a Resource) Shares { return Shares{one(b.Some, a.Some), one(b.Full, a.Full)} }
	return Span{
		From: before.Time, To: after.Time,
		CPU: both(before.CPU, after.CPU), IO: both(before.IO, after.IO),
		Memory: both(before.Memory, after.Memory), IRQ: both(before.IRQ, after.IRQ),
	}
}
