package ci

import (
	"fmt"
	"slices"
	"time"

	"gpuci/gates"
)

// State says how a night came to an outcome.
type State string

// A gate ran, or an outcome from before stands for the same content, settings and
// tools, or the night did not come to it.
const (
	Ran    State = "ran"
	Stands State = "stands"
	NotRun State = "not run"
)

// Cell is what came of one gate at one content.
type Cell struct {
	Gate    string        `json:"gate"`
	State   State         `json:"state"`
	Outcome gates.Outcome `json:"outcome,omitempty"` // none where it was not run
	Exit    int           `json:"exit"`
	Why     string        `json:"why,omitempty"`     // it is not green, or was not run: the first reason
	Reasons []string      `json:"reasons,omitempty"` // of an outcome all, in their order
	Next    []string      `json:"next,omitempty"`    // what to do
	Marks   []string      `json:"marks,omitempty"`

	Run     string    `json:"run,omitempty"`
	Of      string    `json:"of,omitempty"`     // lane that the run was of
	Commit  string    `json:"commit,omitempty"` // and the commit
	Log     string    `json:"log,omitempty"`
	Job     string    `json:"job,omitempty"`  // that ran it on another machine
	Host    string    `json:"host,omitempty"` // which one that was
	Started time.Time `json:"started,omitzero"`
	Seconds float64   `json:"seconds,omitempty"`
	Pace    []Pace    `json:"pace,omitempty"` // what went slower or faster than it usually does

	// What is told of one lane, against what it came to before this night.
	Change Change    `json:"change,omitempty"`
	Since  time.Time `json:"since,omitzero"`         // of a red that stays
	From   string    `json:"since-commit,omitempty"` // the commit of that
	Before string    `json:"before,omitempty"`       // the outcome before, of what changed
	Stale  string    `json:"stale,omitempty"`        // the last outcome there is, where this night gave none: it is of something else
	Still  string    `json:"still,omitempty"`        // the same of the very content that this night was to judge
	Last   *Last     `json:"last,omitempty"`         // which one that is
}

// Last is the last outcome that is known of a gate in a lane which a night gave none.
type Last struct {
	Outcome gates.Outcome `json:"outcome"`
	Since   time.Time     `json:"since,omitzero"` // of a red: when it began
	From    string        `json:"since-commit,omitempty"`
	Started time.Time     `json:"started,omitzero"`
	Commit  string        `json:"commit,omitempty"`
}

// Change is how an outcome differs from the one before.
type Change string

// Changes.
const (
	NewlyRed   Change = "newly red"
	NewlyGreen Change = "newly green"
	StillRed   Change = "still red"
)

// leaning says to which side an outcome counts, 1 for those that people are glad
// of, -1 for those that they are woken for, 0 for what says nothing of the code.
func leaning(o gates.Outcome) int {
	switch o {
	case gates.Green, gates.KnownRed, gates.Attention:
		return 1
	case gates.Red, gates.BuildFailed, gates.Broken, gates.OutOfTime:
		return -1
	}
	return 0
}

// judged says whether an outcome is one that the same content would come to again.
// A gate that could not say, was out of time or refused may do better next time.
func judged(o gates.Outcome) bool {
	switch o {
	case gates.Green, gates.KnownRed, gates.Attention, gates.Red, gates.BuildFailed:
		return true
	}
	return false
}

// passed says whether gates that come after it are run.
func (c Cell) passed() bool { return c.State != NotRun && leaning(c.Outcome) > 0 }

// notRun is the cell of a gate that the night did not come to. Exit is what that
// alone makes of the night.
func notRun(gate, why string, exit int) Cell {
	return Cell{Gate: gate, State: NotRun, Why: why, Exit: exit}
}

// cellOf is what came of a run.
func cellOf(v gates.Verdict) Cell {
	c := Cell{
		Gate: v.Gate, State: Ran, Outcome: v.Outcome, Exit: v.Exit, Next: v.Next, Marks: v.Marks,
		Run: v.Run, Of: v.Bound.Lane, Commit: v.Bound.Commit, Log: v.Log, Started: v.Started, Seconds: v.Seconds,
	}
	c.because(v.Findings)
	return c
}

// because gives a cell its reasons: that a known red is one no more, what leads to
// the outcome, then all else that was found.
func (c *Cell) because(list []gates.Finding) {
	rank := func(f gates.Finding) int {
		switch {
		case f.Overdue():
			return 0
		case f.Outcome == c.Outcome, f.Outcome == gates.Red && c.Outcome == gates.KnownRed:
			return 1
		}
		return 2
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b gates.Finding) int { return rank(a) - rank(b) })
	c.Reasons = nil
	for _, f := range list {
		if f.Text != "" && !slices.Contains(c.Reasons, f.Text) {
			c.Reasons = append(c.Reasons, f.Text)
		}
	}
	c.Why = firstOf(c.Reasons)
}

// reason is the first one in a line, and how many more there are.
func (c Cell) reason() string {
	if more := len(c.Reasons) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d more)", c.Why, more)
	}
	return c.Why
}
