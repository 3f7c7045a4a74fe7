package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gpuci/gates"
)

// longestHold is how long a card may be held at most. A week is a long training
// run; what is longer is a machine of its own, and mostly a slip of the pen.
const longestHold = 7 * 24 * time.Hour

// untilHint is how a time is written.
const untilHint = "write 07:00 (the next one, by this machine's clock), 8h, 2d, or 2026-12-01T07:00"

// parseUntil is the time that somebody means by a time of the day (the next one
// there is), by a length of time from now on, or by a date.
func parseUntil(text string, now time.Time) (time.Time, error) {
	until, err := readUntil(text, now)
	usage := func(text string) error { return coded{gates.ExitUsage, text, untilHint} }
	switch {
	case err != nil:
		return until, usage(err.Error())
	case !until.After(now):
		return until, overError(text, now)
	case until.Sub(now) > longestHold:
		return until, usage(fmt.Sprintf("--until %s is more than %d days from now, which is the most that a card is held for", text, longestHold/(24*time.Hour)))
	}
	return until, nil
}

// overError says that a time is no more to come.
func overError(text string, now time.Time) error {
	return coded{gates.ExitUsage, fmt.Sprintf("--until %s is over: it is %s now", text, now.Format("2006-01-02 15:04")), untilHint}
}

// readUntil reads the time as it is written.
func readUntil(text string, now time.Time) (time.Time, error) {
	if clock, err := time.Parse("15:04", text); err == nil {
		return nextClock(clock, now), nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d), nil
	}
	if t, ok := daysOn(text, now); ok {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04", text, now.Location()); err == nil {
		return t, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return time.Time{}, fmt.Errorf("--until %s has no unit: write %sh for hours, %s:00 for a time of the day", text, text, text)
	}
	return time.Time{}, fmt.Errorf("--until %q is no time", text)
}

// daysOn is a time some days on, at the same hour, or as many hours later as stand
// behind the days: 2d, 1d12h.
func daysOn(text string, now time.Time) (time.Time, bool) {
	days, rest, ok := strings.Cut(text, "d")
	n, err := strconv.ParseUint(days, 10, 16)
	if !ok || err != nil {
		return time.Time{}, false
	}
	var more time.Duration
	if rest != "" {
		if more, err = time.ParseDuration(rest); err != nil || more < 0 {
			return time.Time{}, false
		}
	}
	return now.AddDate(0, 0, int(n)).Add(more), true
}

// nextClock is the next time that a clock on the wall shows this, today or
// tomorrow. A day is not always 24 hours long.
func nextClock(clock, now time.Time) time.Time {
	at := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, clock.Hour(), clock.Minute(), 0, 0, now.Location())
	}
	if today := at(0); today.After(now) {
		return today
	}
	return at(1)
}

// clockText is a time for people: with its date where that is not today's.
func clockText(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}
