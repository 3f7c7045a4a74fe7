package verify

import (
	"fmt"
	"math"
)

// Bar is a limit of a check's own on a number, inclusive. Those of differences are ten
// times the float32 noise that package kda's documentation lists.
type Bar struct {
	Metric   string
	Min, Max float64
}

// atMost is a bar from above alone.
func atMost(metric string, most float64) Bar { return Bar{metric, math.Inf(-1), most} }

// Judgement is what a report comes to by the check's own bars.
type Judgement struct {
	Crossed []string // what is beyond a bar, one line each
	Unknown []string // why it cannot be said
	Holds   string   // where neither is: what held, and what was nearest to its bar
}

// Judge holds the report against the bars of its check. A case that failed counts as
// crossed; a NaN, a canary that was not seen, nothing compared and a bar without a number
// as unknown. Where only some cases were asked for, a bar can be without a number, but not
// all of them.
func (r Report) Judge() Judgement {
	var j Judgement
	for _, f := range r.Failures {
		j.Crossed = append(j.Crossed, fmt.Sprintf("case %s: %s", f.Case, f.Text))
	}
	if r.Cases == 0 {
		j.Unknown = append(j.Unknown, "no case was looked at")
	}
	for _, k := range r.Unseen {
		j.Unknown = append(j.Unknown, fmt.Sprintf("a kernel with a finding of kind %s was shown to the backend, which did not see it", k))
	}
	var missing []string
	held, near := 0, nearest{}
	for _, b := range r.bars {
		seen := 0
		for _, n := range r.Numbers {
			if n.Name == b.Metric {
				seen++
				j.hold(b, n)
				near.take(b, n)
			}
		}
		if seen == 0 {
			missing = append(missing, "there is no "+b.Metric)
			continue
		}
		held++
	}
	if !r.partial || len(missing) == len(r.bars) {
		j.Unknown = append(j.Unknown, missing...)
	}
	if len(j.Crossed)+len(j.Unknown) == 0 {
		j.Holds = fmt.Sprintf("%s within %s, on %s with %s%s", plural(r.Cases, "case"), plural(held, "bar"), r.Backend, r.Tool, near.text())
	}
	return j
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// nearest is the number that takes the largest share of what its bar allows.
type nearest struct {
	bar    Bar
	number Number
	share  float64
}

func (x *nearest) take(b Bar, n Number) {
	if share := float64(n.Value) / b.Max; b.Max > 0 && b.Min != b.Max && share > x.share {
		*x = nearest{b, n, share}
	}
}

func (x nearest) text() string {
	if x.share == 0 {
		return ""
	}
	return fmt.Sprintf("; nearest to its bar is %s, %s of %g (%.2g %%)", x.number, x.number.Value, x.bar.Max, 100*x.share)
}

func (j *Judgement) hold(b Bar, n Number) {
	v := float64(n.Value)
	switch {
	case v != v:
		j.Unknown = append(j.Unknown, n.String()+" is NaN")
	case v > b.Max:
		j.Crossed = append(j.Crossed, fmt.Sprintf("%s is %s, at most %g is right%s", n, n.Value, b.Max, n.where))
	case v < b.Min:
		j.Crossed = append(j.Crossed, fmt.Sprintf("%s is %s, at least %g is right%s", n, n.Value, b.Min, n.where))
	}
}
