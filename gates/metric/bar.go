package metric

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Bar is a limit on a metric.
type Bar struct {
	Metric     string
	Min, Max   *float64
	Floor      *float64 // below it the instrument cannot say
	Within     Within
	Parts      []string // metrics whose sum must be this one
	Tolerance  float64  // share of the whole that the parts may leave over or exceed
	MinMatches int      // fewer samples than this, and the gate could not say; 1 when 0
}

// State says how a bar came out.
type State string

// The three ways: a bar is held, crossed, or the metric could not be read.
const (
	Held       State = "held"
	Crossed    State = "crossed"
	Unreadable State = "unreadable"
)

// Result is a bar held against what was read.
type Result struct {
	Metric  string    `json:"metric"`
	State   State     `json:"state"`
	Why     []string  `json:"why,omitempty"` // empty when held
	Worst   *Sample   `json:"worst,omitempty"`
	Matches int       `json:"matches"`
	Min     *float64  `json:"min,omitempty"`
	Max     *float64  `json:"max,omitempty"`
	Floor   *float64  `json:"floor,omitempty"`
	Printed bool      `json:"-"`                // every number was printed well: what is wrong is what it is
	Held    []Against `json:"within,omitempty"` // each series against its reference, the worst first
	Parts   []string  `json:"parts,omitempty"`  // what adds up to it
	Rest    float64   `json:"rest,omitempty"`   // the largest share of it that is in no part
}

// Judge holds a bar against the samples. An unreadable number outranks a
// crossed limit: what was not read may be worse than what was.
func (c *Collector) Judge(b Bar) Result {
	r := Result{Metric: b.Metric, State: Held, Min: b.Min, Max: b.Max, Floor: b.Floor, Parts: b.Parts}
	f := c.found[b.Metric]
	if f == nil {
		f = &Found{}
	}
	r.Matches = f.Count
	for _, text := range f.Faults {
		r.fail(Unreadable, text)
	}
	if extra := f.Faulty - len(f.Faults); extra > 0 && len(f.Faults) == maxFaults {
		r.fail(Unreadable, fmt.Sprintf("and %d more like these", extra))
	}
	if need := max(1, b.MinMatches); f.Count < need && f.Faulty == 0 {
		r.fail(Unreadable, missing(b, f.Count, need))
	}
	r.Printed = r.State == Held
	if f.Count == 0 {
		return r
	}
	worst, over := b.worst(f)
	r.Worst = &worst
	if over != "" {
		r.fail(Crossed, over)
	}
	if b.Floor != nil && f.Low.Value < *b.Floor {
		r.fail(Unreadable, beside(f.Low.Value, "is below the floor of", *b.Floor)+": the instrument cannot say")
	}
	c.sum(b, f, &r)
	c.within(b, &r)
	return r
}

func (r *Result) fail(s State, why string) {
	if r.State != Unreadable {
		r.State = s
	}
	r.Why = append(r.Why, why)
}

func missing(b Bar, got, need int) string {
	if got == 0 {
		return "no line of the output gave it"
	}
	if got == 1 {
		return fmt.Sprintf("1 of at least %d was printed", need)
	}
	return fmt.Sprintf("%d of at least %d were printed", got, need)
}

// worst picks the sample that decides: one beyond its limit, else the one
// that comes nearest to its limit.
func (b Bar) worst(f *Found) (Sample, string) {
	switch {
	case b.Max != nil && f.High.Value > *b.Max:
		return f.High, beside(f.High.Value, "is above", *b.Max) + of(f.High.Series())
	case b.Min != nil && f.Low.Value < *b.Min:
		return f.Low, beside(f.Low.Value, "is below", *b.Min) + of(f.Low.Series())
	case b.Max == nil && b.Min == nil && !b.Within.Higher:
		return f.High, ""
	case b.Max == nil:
		return f.Low, ""
	case b.Min == nil, *b.Max-f.High.Value <= f.Low.Value-*b.Min:
		return f.High, ""
	}
	return f.Low, ""
}

// beside is a sentence of two numbers.
func beside(v float64, verb string, limit float64) string {
	n := Figures(v, limit)
	return n[0] + " " + verb + " " + n[1]
}

// sum checks that the parts add up to the whole, sample by sample and series
// by series, and names what is left over.
func (c *Collector) sum(b Bar, whole *Found, r *Result) {
	if len(b.Parts) == 0 {
		return
	}
	for _, part := range b.Parts {
		f := c.found[part]
		if f == nil || f.Count == 0 || f.Faulty > 0 {
			r.fail(Unreadable, fmt.Sprintf("its part %s was not read", part))
			return
		}
		if f.Count > maxPaired || whole.Count > maxPaired {
			r.fail(Unreadable, fmt.Sprintf("more than %d samples: the sum of its parts was not checked", maxPaired))
			return
		}
		for _, series := range slices.Sorted(maps.Keys(f.paired)) {
			if n, w := len(f.paired[series]), len(whole.paired[series]); n != w {
				r.fail(Unreadable, fmt.Sprintf("its part %s was read %s for %s, the whole %s", part, times(n), named(series), times(w)))
				return
			}
		}
	}
	for _, series := range slices.Sorted(maps.Keys(whole.paired)) {
		for i := range whole.paired[series] {
			share, s, why := c.addUp(b, series, i)
			r.Rest = max(r.Rest, math.Abs(share))
			if s != Held {
				r.fail(s, why)
				return // the first remainder says it; a thousand would not say it better
			}
		}
	}
}

// addUp holds sample i of the whole against the same sample of its parts, and
// gives the share of the whole that is in none of them.
func (c *Collector) addUp(b Bar, series string, i int) (share float64, s State, why string) {
	whole, total := c.found[b.Metric].paired[series][i], 0.0
	for _, part := range b.Parts {
		values := c.found[part].paired[series]
		if i >= len(values) {
			return 0, Unreadable, fmt.Sprintf("its part %s was not read for %s", part, named(series))
		}
		total += values[i]
	}
	rest := whole - total
	if math.IsNaN(rest) || math.IsInf(rest, 0) {
		return 0, Unreadable, fmt.Sprintf("%s is beyond a float64, for %s", strings.Join(b.Parts, " + "), named(series))
	}
	switch {
	case whole != 0:
		share = max(-maxShare, min(rest/math.Abs(whole), maxShare))
	case rest != 0:
		share = 1 // parts of a whole of nothing
	}
	if math.Abs(rest) <= b.Tolerance*math.Abs(whole) {
		return share, Held, ""
	}
	verb := "leave %s of %s in no part"
	if rest < 0 {
		verb = "exceed it: %s remain of %s"
	}
	percent := TimesBeside(100*math.Abs(share), 100*b.Tolerance)
	return share, Crossed, fmt.Sprintf("%s "+verb+" (%s %%, tolerance %s %%), for %s", strings.Join(b.Parts, " + "),
		Figure(rest), Figure(whole), percent[0], percent[1], named(series))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func named(series string) string {
	if series == "" {
		return "the unlabelled series"
	}
	return series
}
