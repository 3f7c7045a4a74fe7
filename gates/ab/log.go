package ab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gpuci/gates/ab/judge"
)

// Session is what a comparison was asked to be. Who goes on with it does so by this,
// whatever the configuration says by then.
type Session struct {
	ID       string            `json:"id"`
	Gate     string            `json:"gate"`
	Settings string            `json:"settings"`           // hash of the gate's settings
	Compared map[string]string `json:"compared,omitempty"` // by the arm's name, what of them it is compared by; see settingsOf
	Profile  string            `json:"profile,omitempty"`  // as the gate says it
	Lane     string            `json:"lane"`               // that we stood in
	Started  time.Time         `json:"started"`
	Host     string            `json:"host"`
	Gpuci    string            `json:"gpuci,omitempty"`
	Arms     []Arm             `json:"arms"` // the first is the base
	AA       bool              `json:"aa,omitempty"`
	Wanted   []Wanted          `json:"wanted,omitempty"` // metrics that were named
	Rule     Rule              `json:"rule"`
	Plan     judge.Plan        `json:"plan"`            // of the first arm beside the base; see Log.plan
	Again    string            `json:"again,omitempty"` // the decision that is looked at again
}

// Built is an arm in its scratch lane: what it is, and that it is right.
type Built struct {
	Arm      string    `json:"arm"`
	Twin     bool      `json:"twin,omitempty"` // the arm's second lane
	Commit   string    `json:"commit"`
	Clean    bool      `json:"clean"`              // all of it is that commit's, but for its edits
	Tree     string    `json:"tree"`               // id of all that is in it, edits included
	Products []string  `json:"products,omitempty"` // hashes of what was built
	Reads    []string  `json:"reads,omitempty"`    // what of the lane the build read, where that is known
	Run      string    `json:"run"`                // the check, whose directory has its logs
	Outcome  string    `json:"outcome"`
	Card     string    `json:"card,omitempty"`
	Driver   string    `json:"driver,omitempty"`
	Throttle []string  `json:"throttle,omitempty"` // why the card's clocks were not higher in the check
	Seconds  float64   `json:"seconds"`
	At       time.Time `json:"at"`
}

// Sample is one run of one arm.
type Sample struct {
	judge.Sample
	Of     string         `json:"of,omitempty"` // the arm that the round is of, where there are several
	Run    string         `json:"run"`
	Wall   float64        `json:"wall-seconds"`
	Steps  map[string]int `json:"steps,omitempty"`  // how many numbers each value is the median of
	Slowed []string       `json:"slowed,omitempty"` // what held the card's clocks down, as it did in every arm's check
	Shared bool           `json:"shared,omitempty"` // somebody else was on the card
	Thrown string         `json:"thrown,omitempty"` // Contended, Throttled or Stalled: it counts for nothing
	Why    string         `json:"why,omitempty"`    // it was thrown out
}

// Why a sample counts for nothing.
const (
	Contended = "contended" // somebody came on the card
	Throttled = "throttled" // the card's clocks were held down
	Stalled   = "stalled"   // the machine stood still because of others
)

// Mark is a reservation that the answer carries, whoever reads it.
type Mark struct {
	Arm    string `json:"arm,omitempty"` // that it is about; "" for all
	Text   string `json:"text"`
	Uneven bool   `json:"uneven,omitempty"` // the arm's runs find what those before them have left
}

// End is how a comparison ended. One that was stopped, refused or cut short is gone on
// with by --resume.
type End struct {
	State string    `json:"state"` // Answered, Failed, Stopped or Owing
	Why   string    `json:"why,omitempty"`
	At    time.Time `json:"at"`
}

// How a comparison ends.
const (
	Answered = "answered"
	Failed   = "failed"  // an arm does not build, or is wrong: there is nothing to compare
	Stopped  = "stopped" // by a signal
	Owing    = "owed"    // refused for something that passes
)

// line is a line of a journal: one of these.
type line struct {
	Session *Session `json:"session,omitempty"`
	Built   *Built   `json:"built,omitempty"`
	Metrics []Metric `json:"metrics,omitempty"`
	Lacking []string `json:"lacking,omitempty"` // beside the metrics
	Sample  *Sample  `json:"sample,omitempty"`
	Mark    *Mark    `json:"mark,omitempty"`
	End     *End     `json:"end,omitempty"`
}

// Log is what a journal says.
type Log struct {
	Session
	Built   []Built // the last of each arm
	Metrics []Metric
	Lacking []string // qualities of [bank] that the gate does not print
	Samples []Sample
	Marks   []Mark
	End     *End // nil where it goes on, or was killed
}

// take adds a line.
func (l *Log) take(n line) {
	switch {
	case n.Session != nil:
		l.Session = *n.Session
	case n.Built != nil:
		l.Built = slices.DeleteFunc(l.Built, func(b Built) bool { return b.Arm == n.Built.Arm && b.Twin == n.Built.Twin })
		l.Built = append(l.Built, *n.Built)
	case n.Metrics != nil:
		l.Metrics, l.Lacking = n.Metrics, n.Lacking
	case n.Sample != nil:
		l.Samples = append(l.Samples, *n.Sample)
		l.End = nil
	case n.Mark != nil:
		l.Marks = append(l.Marks, *n.Mark)
	case n.End != nil:
		l.End = n.End
	}
}

// Unfinished says that there is something to go on with.
func (l Log) Unfinished() bool {
	return l.End == nil || l.End.State == Stopped || l.End.State == Owing
}

// built is what an arm came to, nil where it did not.
func (l Log) built(arm string, twin bool) *Built {
	at := slices.IndexFunc(l.Built, func(b Built) bool { return b.Arm == arm && b.Twin == twin })
	if at < 0 {
		return nil
	}
	return &l.Built[at]
}

// Taken is what the judge is given, of a comparison of two arms.
func (l Log) Taken() judge.Session {
	s := judge.Session{Plan: l.Plan}
	for _, x := range l.Samples {
		if x.Thrown == "" {
			s.Samples = append(s.Samples, x.Sample)
		} else {
			s.Thrown = append(s.Thrown, judge.Thrown{Place: x.Place, At: x.At, Why: x.Thrown})
		}
	}
	return s
}

// readLog reads the whole lines of a journal.
func readLog(r io.Reader) (log Log, err error) {
	in := bufio.NewReader(io.LimitReader(r, maxJournal))
	for n := 1; ; n++ {
		text, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // what has no end is somebody's who is writing, or was killed
			break
		}
		var one line
		if err == nil {
			err = json.Unmarshal(text, &one)
		}
		if err != nil {
			return log, fmt.Errorf("read journal, line %d: %w", n, err)
		}
		log.take(one)
	}
	if log.ID == "" {
		return log, errors.New("read journal: it does not say which comparison it is of")
	}
	if len(log.Arms) < 2 {
		return log, fmt.Errorf("read journal: comparison %s has %d arms", log.ID, len(log.Arms))
	}
	return log, nil
}
