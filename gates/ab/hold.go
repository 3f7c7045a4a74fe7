package ab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/worktrees"
)

// Holder compares lanes with their bases, for bars with source = "ab". Prepare gives the
// options as for Run; all are required.
type Holder struct {
	Bank       config.Bank
	Branch     string // base of the workspace, "" for the usual one
	State      string
	ScratchDir string
	Version    string
	Prepare    func(g config.Gate, scratch worktrees.Lane, root string) (gates.Options, error)
	Note       func(string)
}

// What the two arms are called.
const (
	baseArm = "base"
	laneArm = "lane"
)

// Compare is the gates.Comparer.
func (h Holder) Compare(ctx context.Context, a gates.Asked) gates.Comparison {
	c := gates.Comparison{Outcome: gates.Green}
	arms, err := h.arms(ctx, a, &c)
	if err != nil || c.Same {
		return unsaid(c, err)
	}
	rule := RuleOf(h.Bank)
	rule.All = true
	o := Options{
		Gate: a.Gate, Lane: a.Lane, Root: a.Root, State: h.State, Books: a.Dir, ScratchDir: h.ScratchDir, Version: h.Version,
		Arms: arms, Rule: rule, Bank: h.Bank, Note: h.Note,
		Prepare: func(scratch worktrees.Lane, root string) (gates.Options, error) {
			return h.Prepare(a.Gate, scratch, root)
		},
	}
	for _, b := range a.Bars {
		o.Wanted = append(o.Wanted, Wanted{Name: b.AB.Measure, Better: judge.Direction(b.Better)})
	}
	r, err := Run(ctx, o)
	if same := (*SameError)(nil); errors.As(err, &same) {
		c.Same = true
		if at, err := worktrees.CommitOf(ctx, a.Lane, arms[0].Commit); err == nil && arms[0].Commit != "" {
			c.Commit = at.ID
		}
		return c
	}
	if err != nil {
		return unsaid(c, err)
	}
	return held(c, a.Bars, r)
}

// unsaid is for a comparison that did not begin.
func unsaid(c gates.Comparison, err error) gates.Comparison {
	if err == nil {
		return c
	}
	c.Outcome, c.Why = gates.Broken, err.Error()
	if arm := (*ArmError)(nil); errors.As(err, &arm) && arm.Next != "" {
		c.Next = []string{arm.Next}
	}
	if m := (*MetricError)(nil); errors.As(err, &m) { // no flag has named it
		c.Next = []string{m.InBar}
	}
	return c
}

// arms are the base and the lane as it is. Where nothing is said, the base is the commit
// at which the lane left the base branch: what that has got since is not the lane's loss.
func (h Holder) arms(ctx context.Context, a gates.Asked, c *gates.Comparison) ([]Arm, error) {
	this := Arm{Name: laneArm}
	if c.Base = a.Bars[0].AB.Base; c.Base != "" {
		return ParseArms([]string{baseArm + "=" + c.Base, laneArm + "=" + here})
	}
	if a.Lane.Root == "" {
		return nil, &ArmError{"there is no base to compare it with: this is no git worktree", "run it in a lane"}
	}
	state, err := worktrees.ReadState(ctx, a.Lane)
	if err != nil {
		return nil, err
	}
	branch, left, err := gates.LeftAt(ctx, a.Lane, state.Commit, h.Branch)
	if err != nil {
		return nil, &ArmError{err.Error(), "name it by base in [workspace], or in the bar: base = \"commit:REF\""}
	}
	c.Branch = true
	c.Base, c.Commit, c.Same = branch, left, left == state.Commit && !state.Dirty
	return []Arm{{Name: baseArm, Commit: left}, this}, nil
}

// held is what a comparison says of the bars.
func held(c gates.Comparison, bars []config.Bar, r *Report) gates.Comparison {
	c.ID, c.Marks = r.ID, r.Marks
	if len(r.Arms) > 0 && r.Arms[0].At != "" {
		c.Commit = r.Arms[0].At
	}
	switch r.End.State {
	case Answered:
		for _, b := range bars {
			c.Answers = append(c.Answers, worstAnswer(b, r))
		}
		return c
	case Owing:
		c.Outcome, c.Why, c.Owed = gates.Refused, r.End.Why, r.Owed
		return c
	}
	c.Outcome, c.Why = gates.Broken, r.End.Why
	if r.End.State == Failed { // of one that was stopped it is how to go on with it, which a gate does not
		c.Next = r.Next
	}
	if r.End.Why == "" {
		c.Why = "it has no answer"
	}
	return c
}

// gravity orders what may be said of a series, the worst last.
var gravity = []judge.Verdict{judge.Win, judge.Tie, judge.CannotSay, judge.Worse}

// worstAnswer is that of a bar: of the series of its measure the worst.
func worstAnswer(b config.Bar, r *Report) gates.Compared {
	var worst *judge.Answer
	for i, x := range r.Judged.Answers {
		if x.Metric.Name != b.AB.Measure && !strings.HasPrefix(x.Metric.Name, b.AB.Measure+" ") {
			continue
		}
		if worst == nil || slices.Index(gravity, x.Verdict) > slices.Index(gravity, worst.Verdict) {
			worst = &r.Judged.Answers[i]
		}
	}
	if worst == nil {
		return gates.Compared{Metric: b.Metric, Measure: b.AB.Measure, Verdict: gates.ComparedUnsaid, Why: fmt.Sprintf("%s was not compared", b.AB.Measure)}
	}
	x := *worst
	out := gates.Compared{
		Metric: b.Metric, Measure: x.Metric.Name, Verdict: string(x.Verdict), Why: x.Why,
		Limit: max(x.Floor, r.Rule.Least), Samples: min(x.Control.Samples, x.Arm.Samples),
	}
	if x.Ratio == 0 { // no look was reached
		out.Samples = 0
		return out
	}
	out.Worse, out.Low, out.High = x.Ratio-1, x.Interval.Low, x.Interval.High
	if x.Metric.Better == judge.Higher {
		out.Worse, out.Low, out.High = -out.Worse, -out.High, -out.Low
	}
	return out
}
