package ci

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gpuci/gates"
)

// LandOutcome is how a landing ended.
type LandOutcome string

// The outcomes of a landing that are none of a gate's; a gate's own (red, broken,
// out of time, build failed, refused, interrupted) is the landing's too where it
// kept the lane from being landed.
const (
	Landed   LandOutcome = "landed"
	Nothing  LandOutcome = "nothing to land"
	WouldTry LandOutcome = "would be tried" // of a dry run
	Conflict LandOutcome = "conflict"
	Refused  LandOutcome = LandOutcome(gates.Refused)
)

// exit is the exit code of a landing.
func (o LandOutcome) exit() int {
	switch o {
	case Landed, Nothing, WouldTry:
		return 0
	case Conflict:
		return gates.Red.ExitCode()
	}
	return gates.Outcome(o).ExitCode()
}

// Landing is what came of landing a lane. Its JSON is a line of STATE/ci/landings.jsonl;
// fields are only ever added.
type Landing struct {
	Type    string      `json:"type"` // always "landing"
	Lane    string      `json:"lane"`
	Branch  string      `json:"branch,omitempty"` // of the lane, "" where HEAD is detached
	Onto    string      `json:"onto"`
	Outcome LandOutcome `json:"outcome"`
	Exit    int         `json:"exit"`

	Commit   string       `json:"commit,omitempty"` // the lane's last, in hex
	Base     string       `json:"base,omitempty"`   // where Onto was
	Tip      string       `json:"tip,omitempty"`    // what was judged: where Onto is, if it was landed
	Commits  int          `json:"commits"`          // that Onto had not: those that are landed, or would be
	Merges   int          `json:"merges,omitempty"` // of the lane, that a replay leaves out
	Known    int          `json:"known,omitempty"`  // of the lane, that Onto has by other commits
	Replayed bool         `json:"replayed"`         // by others of the same content
	In       string       `json:"in,omitempty"`     // lane whose files went along
	Gates    []LandedGate `json:"gates,omitempty"`
	Dropped  []string     `json:"dropped,omitempty"`  // gates that Onto requires and the lane has done away with
	Conflict []string     `json:"conflict,omitempty"` // paths
	Why      string       `json:"why,omitempty"`      // it was not landed
	Next     []string     `json:"next,omitempty"`
	Tries    int          `json:"tries"` // more than 1 where Onto was moved meanwhile

	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
}

// LandedGate is a gate that a landing was judged by.
type LandedGate struct {
	Gate    string        `json:"gate"`
	Outcome gates.Outcome `json:"outcome,omitempty"` // "" in a dry run
	Run     string        `json:"run,omitempty"`
	AsBase  bool          `json:"as-base,omitempty"` // red, and the base is red for the same
	BaseRun string        `json:"base-run,omitempty"`
}

// end closes it. next is what to do, "" for nothing.
func (l *landing) end(o LandOutcome, why, next string) {
	l.Outcome, l.Exit, l.Why, l.Next = o, o.exit(), why, nil
	if next != "" {
		l.Next = []string{next}
	}
}

// interrupted is the outcome of a landing that somebody stopped.
func (l *landing) interrupted(ctx context.Context) {
	l.end(LandOutcome(gates.Interrupted), "stopped; nothing was moved", "")
	var sig gates.Signalled
	if errors.As(context.Cause(ctx), &sig) {
		l.Exit = sig.Exit
	}
}

// countOf is a number of things.
func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// firstFew names the first of some things.
func firstFew(list []string) string {
	const most = 3
	if len(list) > most {
		return strings.Join(list[:most], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}
