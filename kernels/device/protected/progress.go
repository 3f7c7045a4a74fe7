package protected

import (
	"fmt"
	"strconv"
	"time"
)

// Progress is how far a run is, by its log, and how fast that goes.
type Progress struct {
	Done, Total float64       // of a percentage, Total is 100; both 0 where the log gives the time that is left
	Unit        string        // what is counted: "step", where the pattern does not say
	Left        time.Duration // that the log gives itself, as of Seen; below 0 when it does not
	Seen        time.Time     // when that was written, as far as can be told
	Rate        float64       // of Done, in a second; 0 when it is not known
	Basis       string        // of the rate: "by its log since 09:30"
	Log         string        // that was read
	Why         string        // why there is no saying when it will be over; "" when there is
}

// far is the longest time that is foretold: what seems to take longer is a rate of
// next to nothing.
const far = 365 * 24 * time.Hour

// FreeAt is when the run will be over, and by what that is known. When ok is
// false, the basis says why it is not known.
func (r Run) FreeAt(now time.Time) (at time.Time, basis string, ok bool) {
	p := r.Progress
	if p.Why != "" {
		return at, p.Why, false
	}
	left := p.Left
	if left < 0 {
		seconds := (p.Total - p.Done) / p.Rate // no number when the rate is 0
		if !(seconds >= 0 && seconds < far.Seconds()) {
			return at, fmt.Sprintf("%s, and hardly moving", p.position()), false
		}
		left = time.Duration(seconds * float64(time.Second))
	}
	at = p.Seen.Add(left)
	if at.Before(now) {
		return at, fmt.Sprintf("it was to be over at %s by its log, %s, and is not", Clock(at.Round(time.Minute), now), p.position()), false
	}
	return at, p.position() + ", by its log", true
}

// FreeText is FreeAt for a refusal: "free at about 14:30 (step 41200 of 80000, by
// its log)".
func (r Run) FreeText(now time.Time) string {
	at, basis, ok := r.FreeAt(now)
	if !ok {
		return "when it will be over is not known (" + basis + ")"
	}
	return fmt.Sprintf("free at about %s (%s)", Clock(at.Round(time.Minute), now), basis)
}

// position is how far it is, for people.
func (p Progress) position() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch {
	case p.Total == 0:
		return p.Left.Round(time.Second).String() + " left"
	case p.Unit == "%":
		return number(p.Done) + " %"
	}
	return p.Unit + " " + number(p.Done) + " of " + number(p.Total)
}
