package device

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Sighting is a process that was on a card while it was watched.
type Sighting struct {
	Process
	Card  string    `json:"card"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Peak  Reading   `json:"peak,omitzero"` // most bytes
	Looks int       `json:"looks"`         // in how many looks
}

// Doubt is something that was seen and could not be told any more.
type Doubt struct {
	At   time.Time `json:"at"`
	Card string    `json:"card"`
	PID  int       `json:"pid,omitempty"` // 0: memory without an owner, or a card that was Unknown
	Why  string    `json:"why"`
}

// Range is what became of a number.
type Range struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Count  int     `json:"count"` // samples; 0: it was never told
}

// Summary is what one card did while it was watched.
type Summary struct {
	Card        Card     `json:"card"`
	Util        Range    `json:"util"`
	SM          Range    `json:"sm"`  // MHz
	Mem         Range    `json:"mem"` // MHz
	Temperature Range    `json:"temperature"`
	Power       Range    `json:"power"` // mW
	SMMax       Reading  `json:"sm-max,omitzero"`
	Throttle    []string `json:"throttle,omitempty"`  // all reasons that were seen, idle not among them
	LeastFree   Reading  `json:"least-free,omitzero"` // bytes
	PeakUsed    Reading  `json:"peak-used,omitzero"`  // bytes, with others'
	PeakOwn     Reading  `json:"peak-own,omitzero"`   // bytes of ours
}

// Report is what a watch comes to.
type Report struct {
	Source    string        `json:"source"`
	Began     time.Time     `json:"began"`
	Ended     time.Time     `json:"ended"`
	Looks     int           `json:"looks"` // that were answered
	Gap       time.Duration `json:"gap"`   // the longest time without an answer
	Foreign   []Sighting    `json:"foreign,omitempty"`
	Elsewhere []Sighting    `json:"elsewhere,omitempty"` // ours, on a card that is not
	Doubts    []Doubt       `json:"doubts,omitempty"`
	Blind     bool          `json:"blind,omitempty"`  // the gap was too long: nothing can be said
	Failed    string        `json:"failed,omitempty"` // the last reason for no answer
	Cards     []Summary     `json:"cards"`
}

// Forgiven is how many doubts a watch may have on all cards together. One is a
// process that the driver still lists and that ended as we looked; two and more are
// somebody who starts one short process after the other.
const Forgiven = 1

// State is Busy when somebody else was seen, Unknown when it was blind, never
// answered, or doubts add up to more than Forgiven; else Quiet. Elsewhere is the
// caller's to judge.
func (r Report) State() State {
	switch {
	case len(r.Foreign) > 0:
		return Busy
	case r.Blind || r.Looks == 0 || len(r.Doubts) > Forgiven:
		return Unknown
	}
	return Quiet
}

// Why says in one line what makes the State.
func (r Report) Why() string {
	switch {
	case len(r.Foreign) > 0:
		s := r.Foreign[0]
		p := s.Process
		p.Memory = s.Peak
		text := fmt.Sprintf("from %s to %s: %s", s.First.Format("15:04:05"), s.Last.Format("15:04:05"), p)
		if more := len(r.Foreign) - 1; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return text
	case r.Looks == 0 || r.Blind:
		text := fmt.Sprintf("the driver gave no answer for %s", r.Gap.Round(100*time.Millisecond))
		if r.Failed != "" {
			text += ": " + r.Failed
		}
		return text
	case len(r.Doubts) > Forgiven:
		return fmt.Sprintf("%d times something was there that nobody could tell; the first: %s", len(r.Doubts), r.Doubts[0].Why)
	}
	return "nobody was on it but us"
}

// summarize makes a Range of some numbers.
func summarize(list []float64) (r Range) {
	r.Count = len(list)
	if r.Count == 0 {
		return r
	}
	list = slices.Sorted(slices.Values(list))
	r.Low, r.High = list[0], list[r.Count-1]
	for _, v := range list {
		r.Mean += v / float64(r.Count)
	}
	half := r.Count / 2
	r.Median = list[half]
	if r.Count%2 == 0 {
		r.Median = (list[half-1] + list[half]) / 2
	}
	r.Mean = math.Round(r.Mean*100) / 100
	return r
}
