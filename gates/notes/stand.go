package notes

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Standing is a note, and which of its conditions have fallen: none while it stands.
type Standing struct {
	Note
	Fell    []Fall
	Remarks []string // what a reader should know though it stands
	Awaits  bool     // its prediction has not been tried by the gate's own run yet
	Proven  bool     // its prediction came true
}

// Stale says that a condition has fallen, or cannot be looked at.
func (s Standing) Stale() bool { return len(s.Fell) > 0 }

// Last is what a gate last had to say.
type Last struct {
	Outcome string // in words; "" where it never said anything
	Red     bool   // red or known red
	Old     string // of a red: what has changed since that the gate reads; "" nothing
	By      Run    // of one that passes: the first since it was last red
}

// Run is one run of a gate.
type Run struct {
	Outcome string
	Commit  string
	Changed bool // it had changes that are in no commit
	When    time.Time
}

// Judge holds notes against how things are.
type Judge struct {
	Lane  worktrees.Lane
	Dir   string // of gpuci.toml, from the lane's root
	Draft worktrees.Draft
	Now   time.Time
	Last  func(ctx context.Context, gate string) (Last, error)

	Cache string // directory for what two commits differ in; "" for none

	between map[string]*changes // by the commit as a note has it
	asked   map[string]answer   // by the gate
}

// Of says whether a note stands. What it predicts is not looked at: see Predict.
func (j *Judge) Of(ctx context.Context, n Note) Standing {
	s := Standing{Note: n, Awaits: n.Expects != ""}
	if n.WhileRed != "" {
		j.whileRed(ctx, &s)
	}
	for _, p := range n.WhileUnchanged {
		j.whileUnchanged(ctx, &s, p)
	}
	if last := n.Until.Format(time.DateOnly); !n.Until.IsZero() && j.Now.Format(time.DateOnly) > last {
		end := time.Date(n.Until.Year(), n.Until.Month(), n.Until.Day(), 23, 59, 59, 0, j.Now.Location())
		s.Fell = append(s.Fell, Fall{Condition: "until " + last, Why: "its last day is over", When: end})
	}
	return s
}

func (s *Standing) fell(condition, why string) *Fall {
	s.Fell = append(s.Fell, Fall{Condition: condition, Why: why})
	return &s.Fell[len(s.Fell)-1]
}

func (s *Standing) unknown(condition, why, next string) {
	f := s.fell(condition, why)
	f.Unknown, f.Next = true, next
}

func (j *Judge) whileRed(ctx context.Context, s *Standing) {
	condition, gate := "while-red "+s.WhileRed, s.WhileRed
	last, err := j.last(ctx, gate)
	switch {
	case err != nil:
		s.unknown(condition, fmt.Sprintf("what gate %s came to is not known: %v", gate, err), "gpuci doctor says what is wrong")
	case last.Outcome == "":
		s.unknown(condition, fmt.Sprintf("gate %s has not said anything here", gate), "run it: gpuci gate "+gate)
	case !last.Red:
		f := s.fell(condition, fmt.Sprintf("gate %s is %s", gate, last.By.Outcome))
		f.Commit, f.Changed, f.When = last.By.Commit, last.By.Changed, last.By.When
		if last.Outcome != last.By.Outcome {
			f.Now = last.Outcome
		}
	case last.Old != "":
		s.Remarks = append(s.Remarks, fmt.Sprintf("gate %s was %s, and is to be run again, for %s: gpuci gate %s", gate, last.Outcome, last.Old, gate))
	}
}

// answer is what Last said of a gate.
type answer struct {
	last Last
	err  error
}

// last asks once for each gate.
func (j *Judge) last(ctx context.Context, gate string) (Last, error) {
	a, ok := j.asked[gate]
	if !ok {
		a.last, a.err = j.Last(ctx, gate)
		if j.asked == nil {
			j.asked = make(map[string]answer)
		}
		j.asked[gate] = a
	}
	return a.last, a.err
}

// whileUnchanged holds a file or a directory against what it was in a commit. Its
// content counts: what was changed and changed back is as it was.
func (j *Judge) whileUnchanged(ctx context.Context, s *Standing, p string) {
	condition := fmt.Sprintf("while-unchanged %s since %s", p, s.Since)
	at := path.Join(j.Dir, p)
	c := j.since(ctx, s.Since)
	switch {
	case errors.Is(c.err, worktrees.ErrGone):
		s.unknown(condition, "that commit is not here (rewritten, or a shallow clone), so that nobody can tell", "name one that is, once you have looked: since = "+short(j.Draft.Commit))
		return
	case c.err != nil:
		s.unknown(condition, "that cannot be told: "+c.err.Error(), "gpuci notes tries again")
		return
	}
	changed, committed := "", false
	for name, in := range c.paths {
		if below(name, at) && (changed == "" || in && !committed || in == committed && name < changed) {
			changed, committed = name, in
		}
	}
	if changed == "" {
		switch there, link, err := j.had(ctx, c, at); {
		case err != nil || !there:
			s.unknown(condition, "there is no "+p+" in that commit, so that nothing can change", "mend the path")
		case link:
			s.unknown(condition, p+" is a symbolic link there, and what it leads to is not looked at", "name what it leads to")
		}
		return
	}
	f := s.fell(condition, changed+" changed, and is not committed")
	if committed {
		f.Why = changed + " changed"
		by := j.by(ctx, c, changed)
		f.Commit, f.When = by.ID, by.When
	}
}

// Predict holds what a note expects against the numbers of a run of the gate that it
// is about: all of each metric, the lowest first and the highest last.
func (s *Standing) Predict(values map[string][]string) {
	p, err := config.ParsePrediction(s.Expects)
	held := false
	if err == nil {
		held, err = p.Holds(values)
	}
	s.Awaits, s.Proven = false, held
	switch {
	case err != nil:
		s.unknown("expects "+s.Expects, err.Error(), "")
	case !held:
		text := ""
		for _, name := range p.Metrics() {
			low, high := values[name][0], values[name][len(values[name])-1]
			if low == high {
				text += fmt.Sprintf(", %s is %s", name, low)
			} else {
				text += fmt.Sprintf(", %s is from %s to %s", name, low, high)
			}
		}
		s.fell("expects "+s.Expects, "refuted"+text)
	}
}

// short is a commit's id as people write it.
func short(id string) string { return fmt.Sprintf("%.10s", id) }
