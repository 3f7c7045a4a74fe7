package gates

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/worktrees"
)

// Comparer compares a lane with a base, for bars with source = "ab". Package ab has one.
type Comparer func(context.Context, Asked) Comparison

// Asked is what is compared: the lane as it is, with its base.
type Asked struct {
	Gate config.Gate
	Bars []config.Bar   // that it is for, all of one base
	Lane worktrees.Lane // as it is listed
	Root string         // directory of gpuci.toml in it
	Dir  string         // where its journal is kept
}

// Comparison is what came of one.
type Comparison struct {
	ID      string
	Same    bool     // there is nothing to compare: the lane is its base
	Base    string   // the arm, as gpuci ab has it
	Branch  bool     // Base is the base branch, and no arm
	Commit  string   // that it was built of
	Marks   []string // reservations
	Answers []Compared

	Outcome Outcome // Green, or why there is no answer: Refused, Broken, Interrupted
	Why     string
	Owed    *Owed // of a refused one
	Next    []string
}

// Compared is the answer for one bar.
type Compared struct {
	Metric  string  `json:"metric"` // of the bar
	Measure string  `json:"measure"`
	ID      string  `json:"id,omitempty"`   // of the comparison
	Base    string  `json:"base,omitempty"` // the arm, as gpuci ab has it
	Commit  string  `json:"commit,omitempty"`
	Verdict string  `json:"verdict"` // win, tie, worse, cannot say, or same where there was nothing to compare
	Why     string  `json:"why,omitempty"`
	Worse   float64 `json:"worse"`           // by what share the lane is worse; below 0 it is better
	Low     float64 `json:"low"`             // of the interval of that
	High    float64 `json:"high"`            // the other end
	Limit   float64 `json:"limit,omitempty"` // the floor of the noise, or the least effect where that is more
	Samples int     `json:"samples,omitempty"`
	Branch  bool    `json:"branch,omitempty"` // the base is the base branch
}

// BaseText names the base.
func (c Compared) BaseText() string {
	if c.Branch {
		return "the base branch " + c.Base
	}
	return c.Base
}

// The verdicts that a bar is judged by; package judge has those of an answer.
const (
	ComparedWorse  = "worse"
	ComparedUnsaid = "cannot say"
	ComparedSame   = "same"
)

// Times is how many times its limit the lane is worse: above 1 where the bar is crossed,
// and only there. known is false where it cannot be said.
func (c Compared) Times() (x float64, known bool) {
	switch {
	case c.Verdict == ComparedUnsaid:
		return 0, false
	case c.Limit > 0:
		x = max(0, c.Worse) / c.Limit
	}
	if c.Verdict == ComparedWorse {
		return max(x, math.Nextafter(1, 2)), true
	}
	return min(x, 1), true
}

// compared are the bars of a gate that are held by comparisons, by their bases.
func compared(g config.Gate) (groups [][]config.Bar) {
	for _, b := range g.Bars {
		if b.AB == nil {
			continue
		}
		at := slices.IndexFunc(groups, func(list []config.Bar) bool { return list[0].AB.Base == b.AB.Base })
		if at < 0 {
			groups = append(groups, []config.Bar{b})
		} else {
			groups[at] = append(groups[at], b)
		}
	}
	return groups
}

// doCompare holds the lane against its bases. It comes last: what is wrong by anything
// else is not timed.
func (f *flow) doCompare(ctx context.Context) StepState {
	groups := compared(f.gate)
	switch {
	case len(groups) == 0:
		return StepNone
	case f.v.Partial:
		for _, b := range slices.Concat(groups...) {
			f.mark("not covered by these arguments: " + b.Metric)
		}
		return StepSkipped
	case f.outcome() != Green || f.run == nil || !f.run.ok():
		return StepSkipped
	case f.gate.Expect != "":
		f.mark("it is expected to be red, and what is wrong is not timed: it was not compared with its base")
		return StepSkipped
	case f.opt.Bundle != nil || f.opt.Compare == nil:
		f.find(Broken, "it is held against its base, and here is no lane to build one from")
		f.next("run it in a lane, or leave source = \"ab\" to another gate")
		return StepFailed
	}
	for _, bars := range groups {
		if !f.compareWith(ctx, bars) {
			return StepFailed
		}
	}
	return StepDone
}

// compareWith compares the lane with one base.
func (f *flow) compareWith(ctx context.Context, bars []config.Bar) bool {
	f.opt.note("compare it with its base, for %s", listedBars(bars))
	c := f.opt.Compare(ctx, Asked{Gate: f.opt.Gate, Bars: bars, Lane: f.opt.Lane, Root: f.opt.Root, Dir: f.rec.dir})
	for _, text := range c.Marks {
		f.mark("compared with its base: " + text)
	}
	if ctx.Err() != nil {
		f.cut = true
		return false
	}
	for _, text := range c.Next {
		f.next(text)
	}
	switch {
	case c.Same:
		f.mark("it was compared with nothing: the lane is its base, " + Compared{Base: c.Base, Branch: c.Branch}.BaseText())
		for _, b := range bars {
			f.takeCompared(Compared{Metric: b.Metric, Measure: b.AB.Measure, Base: c.Base, Branch: c.Branch, Commit: c.Commit, Verdict: ComparedSame})
		}
		return true
	case c.Outcome == Refused:
		f.find(Refused, "it was not compared with its base: "+c.Why)
		if c.Owed != nil {
			f.owe(c.Owed.Why, c.Owed.Detail)
		}
		return false
	case c.Outcome != Green:
		f.find(c.Outcome, "it cannot be said whether it is worse than its base: "+c.Why)
		return false
	}
	for _, one := range c.Answers {
		one.ID, one.Base, one.Branch, one.Commit = c.ID, c.Base, c.Branch, c.Commit
		f.takeCompared(one)
	}
	return true
}

// takeCompared makes a number, a bar and a finding of an answer.
func (f *flow) takeCompared(c Compared) {
	f.v.Compared = append(f.v.Compared, c)
	r := metric.Result{Metric: c.Metric, State: metric.Held}
	if c.Samples > 0 {
		s := metric.Sample{Metric: c.Metric, Value: 1 + c.Worse, Unit: comparedUnit, Labels: map[string]string{"measure": c.Measure}}
		s.Text = strconv.FormatFloat(s.Value, 'g', -1, 64)
		r.Worst, r.Matches = &s, 1
		f.rec.sample(s)
		f.v.Metrics = append(f.v.Metrics, MetricSummary{
			Metric: c.Metric, Count: 1, Low: s, High: s, Unit: s.Unit,
			Series: []metric.Series{{Labels: s.Series(), Count: 1, Low: s.Value, High: s.Value, Last: s.Value}},
		})
	}
	switch c.Verdict {
	case ComparedWorse:
		r.State, r.Why = metric.Crossed, []string{c.Why}
		f.find(Red, fmt.Sprintf("%s: worse than its base (%s): %s", c.Metric, c.BaseText(), c.Why))
		f.next("gpuci ab show " + c.ID + " draws both")
	case ComparedUnsaid:
		r.State, r.Why = metric.Unreadable, []string{c.Why}
		f.find(Broken, fmt.Sprintf("%s: it cannot be said whether it is worse than its base (%s): %s", c.Metric, c.BaseText(), c.Why))
		f.next("let one run do more of what is timed, compare on a quieter machine, or raise samples and most in [bank]")
	}
	f.v.Bars = append(f.v.Bars, r)
}

// comparedUnit is that of how many times the base's value a lane has.
const comparedUnit = "times"

func listedBars(bars []config.Bar) string {
	var names []string
	for _, b := range bars {
		names = append(names, b.Metric)
	}
	return strings.Join(names, ", ")
}
