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

// Fall is a condition that does not hold any more, or of which nobody can say.
type Fall struct {
	Condition string    `json:"condition"`
	Why       string    `json:"why"`
	Commit    string    `json:"commit,omitempty"` // by which it fell
	When      time.Time `json:"when,omitzero"`    // when, where that is known
	Unknown   bool      `json:"unknown,omitempty"`
	Next      string    `json:"next,omitempty"` // where it is another thing than to renew the note
}

// Last is what a gate last had to say.
type Last struct {
	Outcome string    // in words; "" where it never said anything
	Red     bool      // red or known red
	Commit  string    // of that run; of a green one, of the first since it was last red
	When    time.Time // of the same
	Old     string    // what has changed since that the gate reads; "" nothing
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
		f := s.fell(condition, fmt.Sprintf("gate %s is %s", gate, last.Outcome))
		f.Commit, f.When = last.Commit, last.When
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
		if there, err := j.had(ctx, c, at); err != nil || !there {
			s.unknown(condition, "there is no "+p+" in that commit, so that nothing can change", "mend the path")
		}
		return
	}
	f := s.fell(condition, changed+" changed, and is not committed")
	if committed {
		f.Why = changed + " changed"
		j.byCommit(ctx, f, c.Since.ID, changed)
	}
}

// byCommit names the first commit that changed a file since another one.
func (j *Judge) byCommit(ctx context.Context, f *Fall, since, name string) {
	steps, err := worktrees.Steps(ctx, j.Lane, since, j.Draft.Commit, name)
	if err != nil || len(steps) == 0 { // the history was rewritten: it is otherwise all the same
		return
	}
	f.Commit = steps[len(steps)-1].Commit
	if c, err := worktrees.CommitOf(ctx, j.Lane, f.Commit); err == nil {
		f.When = c.When
	}
}

// Predict holds what a note expects against the numbers of a run of the gate that it
// is about: lowest and highest of each metric, as they were printed.
func (s *Standing) Predict(values map[string][2]string) {
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
			v := values[name]
			if v[0] == v[1] {
				text += fmt.Sprintf(", %s is %s", name, v[0])
			} else {
				text += fmt.Sprintf(", %s is from %s to %s", name, v[0], v[1])
			}
		}
		s.fell("expects "+s.Expects, "refuted"+text)
	}
}

// short is a commit's id as people write it.
func short(id string) string { return fmt.Sprintf("%.10s", id) }

// Text is why a condition fell, with what did it.
func (f Fall) Text(now time.Time) string {
	text := f.Condition + ": " + f.Why
	if f.Commit != "" {
		text += " by " + short(f.Commit)
	}
	if !f.When.IsZero() {
		text += fmt.Sprintf(" (%s, %s)", f.When.Local().Format("2006-01-02 15:04"), ago(now.Sub(f.When)))
	}
	return text
}

// ago is how long something has been so, as people say it.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
