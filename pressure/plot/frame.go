package plot

import "time"

// frame is the time that a chart shows, and where on the page each moment is.
type frame struct {
	from   time.Time
	length time.Duration
}

// The shortest time a chart shows, below which its axis has no scale, and the
// longest, so that no sum overflows.
const (
	shortest = 100 * time.Millisecond
	longest  = 200 * 365 * 24 * time.Hour
)

func newFrame(c Chart) frame {
	from, to := c.From.Round(0), c.To.Round(0) // by the wall clock, as files have it
	first, last := extent(c)
	if from.IsZero() {
		from = first
	}
	if to.IsZero() {
		to = last
	}
	if !to.After(from) {
		from, to = first, last
	}
	return frame{from.In(c.From.Location()), min(longest, max(shortest, to.Sub(from)))}
}

// extent is the first and the last moment that a chart has anything of; its
// own From where it has nothing.
func extent(c Chart) (first, last time.Time) {
	see := func(t time.Time) {
		switch {
		case t.IsZero():
			return
		case first.IsZero():
			first, last = t, t
		case t.Before(first):
			first = t
		case t.After(last):
			last = t
		}
	}
	for _, p := range c.Points {
		if p.Length > 0 {
			see(p.Time.Add(-p.Length).Round(0))
			see(p.Time.Round(0))
		}
	}
	for _, b := range c.Bars {
		see(b.From.Round(0))
		see(b.To.Round(0))
	}
	if first.IsZero() {
		return c.From.Round(0), c.From.Round(0)
	}
	return first, last
}

// x is where a moment is on the page, at the nearer edge if it is outside.
func (f frame) x(t time.Time) float64 {
	return f.after(t.Round(0).Sub(f.from))
}

// after is where the moment d after the frame's start is on the page.
func (f frame) after(d time.Duration) float64 {
	share := float64(d) / float64(f.length)
	return plotLeft + plotWidth*min(1, max(0, share))
}

// time is how long so many pixels are.
func (f frame) time(pixels float64) time.Duration {
	return time.Duration(min(1, max(0, pixels/plotWidth)) * float64(f.length))
}

// clock is a moment by the wall clock, as fine as the frame needs it.
func (f frame) clock(t time.Time) string {
	const day = 24 * time.Hour
	t = t.In(f.from.Location())
	switch {
	case f.length > 300*day:
		return t.Format("2006-01-02")
	case f.length > day:
		return t.Format("2 Jan 15:04")
	case f.length < 10*time.Second:
		return t.Format("15:04:05.000")
	}
	return t.Format("15:04:05")
}

// tickClock is a moment of the time axis, no finer than its ticks are apart:
// the start of a run is no round second, and all of them would show the same
// odd end.
func (f frame) tickClock(t time.Time) string {
	const day = 24 * time.Hour
	switch step := tickStep(f.length); {
	case f.length > day:
		return f.clock(t)
	case step < time.Second:
		return t.In(f.from.Location()).Format("15:04:05.000")
	case step < time.Minute:
		return t.In(f.from.Location()).Format("15:04:05")
	}
	return t.In(f.from.Location()).Format("15:04")
}
