package trace

import "time"

// rough is more than the kernel's own clock of a delay, that of a processor, is off.
const rough = time.Millisecond

// Came is when something that a program has written came. The two times are one where it
// is known.
type Came struct {
	From, To time.Time // its first byte was written between these
	Read     time.Time // all of it was
}

// CameAt is what came at a time that is known.
func CameAt(at time.Time) Came { return Came{at, at, at} }

// rest is that of what is behind its first line: that alone woke whoever waited.
func (c Came) rest() Came { return Came{c.From, c.Read, c.Read} }

// Line is a line that came so and ends a step.
func (c Came) Line(step int) Line {
	return Line{At: c.To, Step: step, Late: c.To.Sub(c.From), Read: c.Read.Sub(c.To)}
}
