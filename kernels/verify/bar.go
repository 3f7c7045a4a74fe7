package verify

import (
	"fmt"
	"math"
)

// Bar is a limit of the document on a number, inclusive.
type Bar struct {
	Metric   string
	Min, Max float64
}

// atMost is a bar from above alone.
func atMost(metric string, most float64) Bar { return Bar{metric, math.Inf(-1), most} }

// Judgement is what a report comes to by the document's bars.
type Judgement struct {
	Crossed []string // what is beyond a bar, one line each
	Unknown []string // why it cannot be said
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
	for _, b := range r.bars {
		seen := 0
		for _, n := range r.Numbers {
			if n.Name == b.Metric {
				seen++
				j.hold(b, n)
			}
		}
		if seen == 0 {
			missing = append(missing, "there is no "+b.Metric)
		}
	}
	if !r.partial || len(missing) == len(r.bars) {
		j.Unknown = append(j.Unknown, missing...)
	}
	return j
}

func (j *Judgement) hold(b Bar, n Number) {
	v, name := float64(n.Value), n.Name
	for _, l := range n.Labels {
		name += " " + l.Key + "=" + l.Value
	}
	switch {
	case v != v:
		j.Unknown = append(j.Unknown, name+" is NaN")
	case v > b.Max:
		j.Crossed = append(j.Crossed, fmt.Sprintf("%s is %s, at most %g is right", name, n.Value, b.Max))
	case v < b.Min:
		j.Crossed = append(j.Crossed, fmt.Sprintf("%s is %s, at least %g is right", name, n.Value, b.Min))
	}
}
