package ci

import (
	"context"
	"errors"
	"time"

	"gpuci/gates/config"
)

// Clock tells the time in both of its forms. Its zero value is the machine's.
type Clock struct {
	Wall func() time.Time     // by the clock on the wall, which people and NTP set
	Ran  func() time.Duration // since some moment; nobody can set it, and it stands still while the machine sleeps
}

// machineClock fills in what is not given.
func machineClock(c Clock) Clock {
	if c.Wall == nil {
		c.Wall = func() time.Time { return time.Now().Round(0) } // without its monotonic part
	}
	if c.Ran == nil {
		start := time.Now()
		c.Ran = func() time.Duration { return time.Since(start) }
	}
	return c
}

// errNightOver is the cause of a context that the end of the night has ended.
var errNightOver = errors.New("the night is over")

// due is the end of a night. Both clocks can bring it: the wall's may be set back
// again and again, and the other one does not know of a machine that slept.
type due struct {
	clock Clock
	at    time.Time     // zero: there is none
	ran   time.Duration // the same moment on the other clock, as it looked in the beginning
}

// dueAt is the next time the wall shows "07:00", from now on.
func dueAt(clock Clock, until string) (due, error) {
	if until == "" {
		return due{clock: clock}, nil
	}
	now := clock.Wall()
	at, err := nextAt(now, until)
	if err != nil {
		return due{}, err
	}
	return due{clock, at, clock.Ran() + at.Sub(now)}, nil
}

// nextAt is the next moment at which a clock in now's zone shows a time of day. On
// the day that it is skipped by summer time it is the moment as far from midnight.
func nextAt(now time.Time, until string) (time.Time, error) {
	d, err := config.ParseClock(until)
	if err != nil {
		return time.Time{}, err
	}
	hour, minute := int(d/time.Hour), int(d/time.Minute)%60
	for day := now.Day(); ; day++ { // a day beyond the month's last is one of the next
		at := time.Date(now.Year(), now.Month(), day, hour, minute, 0, 0, now.Location())
		if at.After(now) {
			return at, nil
		}
	}
}

// left is how long the night goes on at most.
func (d due) left() time.Duration {
	return min(d.at.Sub(d.clock.Wall()), d.ran-d.clock.Ran())
}

func (d due) over() bool { return !d.at.IsZero() && d.left() <= 0 }

// fits says whether something of a usual length would end before the night does.
// Of what was never run, nobody knows: it may begin.
func (d due) fits(usual time.Duration) bool { return d.at.IsZero() || d.left() >= usual }

// look is how often the clocks are looked at. A timer would miss one that is set.
const look = time.Second

// within is a context that ends with the night, by errNightOver.
func (d due) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if d.at.IsZero() {
		return ctx, func() { cancel(nil) }
	}
	go func() {
		ticks := time.NewTicker(look)
		defer ticks.Stop()
		for !d.over() {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
			}
		}
		cancel(errNightOver)
	}()
	return ctx, func() { cancel(nil) }
}

// word is how people say when it ends.
func (d due) word() string { return d.at.Format("15:04") }
