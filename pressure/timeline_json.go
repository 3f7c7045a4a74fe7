package pressure

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// pointJSON is a point in a file: one line. Shares are 0 to 1; what is unknown
// is left out. Fields are only ever added.
type pointJSON struct {
	Time       *time.Time `json:"time"`
	Seconds    *float64   `json:"seconds"`
	CPUSome    *float64   `json:"cpu-some,omitempty"`
	IOSome     *float64   `json:"io-some,omitempty"`
	IOFull     *float64   `json:"io-full,omitempty"`
	MemorySome *float64   `json:"memory-some,omitempty"`
	MemoryFull *float64   `json:"memory-full,omitempty"`
	OwnIOSome  *float64   `json:"own-io-some,omitempty"`
	OwnIOFull  *float64   `json:"own-io-full,omitempty"`
	OwnCPU     *float64   `json:"own-cpu,omitempty"`
	Busy       *float64   `json:"busy,omitempty"`
	Waiting    bool       `json:"waiting,omitempty"`
}

// maxSeconds bounds the length of a step, so that it fits into a Duration:
// three years.
const maxSeconds = 1e8

// shares pairs the fields of a line with those of a point.
func (j *pointJSON) shares(p *Point) []struct {
	name string
	text **float64
	of   *Share
} {
	return []struct {
		name string
		text **float64
		of   *Share
	}{
		{"cpu-some", &j.CPUSome, &p.CPU.Some},
		{"io-some", &j.IOSome, &p.IO.Some},
		{"io-full", &j.IOFull, &p.IO.Full},
		{"memory-some", &j.MemorySome, &p.Memory.Some},
		{"memory-full", &j.MemoryFull, &p.Memory.Full},
		{"own-io-some", &j.OwnIOSome, &p.OwnIO.Some},
		{"own-io-full", &j.OwnIOFull, &p.OwnIO.Full},
		{"own-cpu", &j.OwnCPU, &p.OwnCPU},
		{"busy", &j.Busy, &p.Busy},
	}
}

// MarshalJSON writes a point with its time in milliseconds, UTC, and its shares
// rounded to a hundredth of a percent.
func (p Point) MarshalJSON() ([]byte, error) {
	at, seconds := p.Time.UTC().Truncate(time.Millisecond), round(p.Length.Seconds())
	j := pointJSON{Time: &at, Seconds: &seconds, Waiting: p.Waiting}
	for _, s := range j.shares(&p) {
		if s.of.Known && isShare(s.of.Value) {
			v := round(s.of.Value)
			*s.text = &v
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote. Fields it does not know are
// passed over; a share that is none is an error.
func (p *Point) UnmarshalJSON(data []byte) error {
	var j pointJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	if j.Time == nil || j.Seconds == nil {
		return errors.New("it has no time or no seconds: it is no step of a timeline")
	}
	if s := *j.Seconds; !(s >= 0 && s <= maxSeconds) {
		return fmt.Errorf("seconds: %v is no length of a step", s)
	}
	at := j.Time.UTC()
	if at.Year() < 1 || at.Year() > 9999 {
		return fmt.Errorf("time: %v has a year that cannot be written", at)
	}
	read := Point{Time: at, Length: time.Duration(math.Round(*j.Seconds * 1e9)), Waiting: j.Waiting}
	for _, s := range j.shares(&read) {
		if *s.text == nil {
			continue
		}
		if !isShare(**s.text) {
			return fmt.Errorf("%s: %v is no share, 0 to 1", s.name, **s.text)
		}
		*s.of = Share{**s.text, true}
	}
	*p = read
	return nil
}

func isShare(v float64) bool { return v >= 0 && v <= 1 }

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
