package device

import (
	"cmp"
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

// Doubt is a time in which something was on a card and nobody could tell what.
type Doubt struct {
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"` // when it was there last; At, where one look alone has it
	Card    string    `json:"card"`
	PID     int       `json:"pid,omitempty"`     // 0: memory without an owner, or a card that was Unknown or away
	Looks   int       `json:"looks"`             // or samples of the driver's
	Lasting bool      `json:"lasting,omitempty"` // no matter of a Moment
	Why     string    `json:"why"`

	stays bool // whosever it is, it tells that the lists are not to be believed
}

// stay makes it one that is not forgiven.
func (d *Doubt) stay() { d.Lasting, d.stays = true, true }

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
	OwnLooks    int      `json:"own-looks,omitempty"` // in how many looks and samples something of ours was there
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
	Doubts    []Doubt       `json:"doubts,omitempty"`    // the first fifty
	Doubted   int           `json:"doubted,omitempty"`   // how many there were
	Blind     bool          `json:"blind,omitempty"`     // the gap was too long: nothing can be said
	Unseen    bool          `json:"unseen,omitempty"`    // the look after the end was not answered
	Failed    string        `json:"failed,omitempty"`    // the last reason for no answer
	Cards     []Summary     `json:"cards"`
	Last      Look          `json:"-"` // the last one that was answered
}

// Forgiven is how many doubts a watch may have on all cards together, if none of them
// is longer than a Moment. One is a process that the driver still lists and that ended
// as we looked; two and more are somebody who starts one short process after the other.
const Forgiven = 1

// State is Busy when somebody else was seen, Unknown where Unsure says why; else
// Quiet. Elsewhere is the caller's to judge.
func (r Report) State() State {
	switch {
	case len(r.Foreign) > 0:
		return Busy
	case r.Unsure() != "":
		return Unknown
	}
	return Quiet
}

// Unsure says why it is not known who was there, beside those who were seen: it was
// blind, was not answered at the end or ever, or doubts are more than are forgiven.
// "" says that nobody else was.
func (r Report) Unsure() string {
	switch {
	case r.Looks == 0 || r.Blind:
		return fmt.Sprintf("the driver gave no answer for %s%s", r.Gap.Round(100*time.Millisecond), r.failed())
	case r.Unseen:
		return "the looks after it were not answered, or left open who was there" + r.failed()
	}
	return r.doubtful()
}

// doubtful says what the doubts come to.
func (r Report) doubtful() string {
	var sum time.Duration
	var longest Doubt
	lasting := false
	for _, d := range r.Doubts {
		length := d.Until.Sub(d.At)
		if sum += length; longest.Why == "" || length > longest.Until.Sub(longest.At) {
			longest = d
		}
		lasting = lasting || d.Lasting
	}
	switch {
	case r.Doubted > Forgiven:
		length := ""
		if sum > 0 {
			length = fmt.Sprintf(", for %s in all", sum.Round(100*time.Millisecond))
		}
		return fmt.Sprintf("%d times something was there that nobody could tell%s; the longest: %s", r.Doubted, length, longest.text()+r.onWhich(longest.Card))
	case lasting:
		return longest.text() + r.onWhich(longest.Card)
	}
	return ""
}

// onWhich says on which card, where several were watched.
func (r Report) onWhich(uuid string) string {
	at := slices.IndexFunc(r.Cards, func(c Summary) bool { return c.Card.UUID == uuid })
	if len(r.Cards) < 2 || at < 0 {
		return ""
	}
	return ", on " + r.Cards[at].Card.Label()
}

// text says of a doubt how long it was, from when to when, and why it is one.
func (d Doubt) text() string {
	length := d.Until.Sub(d.At).Round(100 * time.Millisecond)
	if length <= 0 {
		return d.Why
	}
	clock := func(t time.Time) string { return t.Local().Format(time.TimeOnly) }
	return fmt.Sprintf("for %s, from %s to %s: %s", length, clock(d.At), clock(d.Until), d.Why)
}

func (r Report) failed() string {
	if r.Failed == "" {
		return ""
	}
	return ": " + r.Failed
}

// Why says in one line what makes the State.
func (r Report) Why() string {
	if len(r.Foreign) == 0 {
		return cmp.Or(r.Unsure(), "nobody was on it but us")
	}
	s := r.Foreign[0]
	p := s.Process
	p.Memory = s.Peak
	text := fmt.Sprintf("from %s to %s: %s", s.First.Format("15:04:05"), s.Last.Format("15:04:05"), p)
	if more := len(r.Foreign) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
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
