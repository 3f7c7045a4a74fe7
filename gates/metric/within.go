package metric

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Within is a limit that the history gives: a number may be worse than its
// reference by a share of it. The zero value is none.
type Within struct {
	Share  float64 // over 0
	Higher bool    // whether more is better
	// Of is the reference of a series, by its labels. It is asked once for each
	// series that was read.
	Of func(labels string) (Reference, Standing)
}

// Standing says what there is to hold a series against.
type Standing string

// A series is compared; is the first of its kind and becomes the reference; is
// let pass without one; or cannot be judged, because there is none.
const (
	Compared Standing = "compared"
	First    Standing = "first"
	Passed   Standing = "no reference"
	Missing  Standing = "missing"
)

// Reference is the run that a series is held against. Where Standing is
// Missing, Why says what is missing.
type Reference struct {
	Low, High float64
	Run       string
	Commit    string
	Started   time.Time
	Why       string
}

// Against is a series held against its reference.
type Against struct {
	Labels    string   `json:"labels,omitempty"`
	Standing  Standing `json:"standing"`
	Value     float64  `json:"value"`               // the worst of the series
	Reference *float64 `json:"reference,omitempty"` // the worst of the reference
	Worse     float64  `json:"worse"`               // share of the reference, below 0 where it is better
	Run       string   `json:"run,omitempty"`       // the reference
	Commit    string   `json:"commit,omitempty"`
}

// within holds each series against its reference. The worst of a series stands
// for it, here and there: a gate that prints a number five times has five chances
// to be worse, and so had its reference.
func (c *Collector) within(b Bar, r *Result) {
	if b.Within.Of == nil {
		return
	}
	for _, s := range c.Series(b.Metric) {
		ref, standing := b.Within.Of(s.Labels)
		a := Against{Labels: s.Labels, Standing: standing, Value: b.Within.worst(s.Low, s.High)}
		switch standing {
		case First:
			if a.Value <= 0 {
				a.Standing = Missing
				r.fail(Unreadable, Figure(a.Value)+" cannot become what later runs are held against"+of(s.Labels)+": no share of it says anything; give max or min")
			}
		case Missing:
			r.fail(Unreadable, ref.Why+of(s.Labels))
		case Compared:
			b.Within.compare(&a, ref, r)
		}
		r.Held = append(r.Held, a)
	}
	if c.dropped {
		r.fail(Unreadable, fmt.Sprintf("more than %d sets of labels were printed, and not all of them are held against their reference", maxSeries))
	}
	slices.SortStableFunc(r.Held, func(x, y Against) int { return cmp.Compare(y.Worse, x.Worse) })
}

func (w Within) worst(low, high float64) float64 {
	if w.Higher {
		return low
	}
	return high
}

// maxShare bounds what is said to be a share of something: a number a million times
// another one was measured otherwise, not worse.
const maxShare = 1e6

func (w Within) compare(a *Against, ref Reference, r *Result) {
	v := w.worst(ref.Low, ref.High)
	a.Reference, a.Run, a.Commit = &v, ref.Run, ref.Commit
	if v < 0 || a.Value < 0 {
		r.fail(Unreadable, beside(a.Value, "against", v)+of(a.Labels)+": a share of a number below zero says nothing")
		return
	}
	if v == 0 {
		r.fail(Unreadable, fmt.Sprintf("%s against 0 of the last green%s: no share of 0 is anything; give max or min in place of within", Figure(a.Value), of(a.Labels)))
		return
	}
	if a.Value == 0 {
		r.fail(Unreadable, fmt.Sprintf("0 against %s of the last green%s: nothing could be held against it afterwards; give max or min", Figure(v), of(a.Labels)))
		return
	}
	if ratio := a.Value / v; ratio > maxShare || ratio < 1/maxShare { // as numbers next to 0 make it
		r.fail(Unreadable, fmt.Sprintf("%s of the last green%s: more than %s times apart, it is no number to be held; print it in the unit it had, or give max or min",
			beside(a.Value, "against", v), of(a.Labels), Format(maxShare)))
		return
	}
	limit := v * (1 + w.Share)
	worse := a.Value > limit
	if w.Higher {
		limit = v * (1 - w.Share)
		worse = a.Value < limit
	}
	if a.Worse = a.Value/v - 1; w.Higher {
		a.Worse = -a.Worse
	}
	if worse {
		percent := TimesBeside(100*a.Worse, 100*w.Share)
		r.fail(Crossed, fmt.Sprintf("%s of the last green (%s, %.10s)%s, and may be by %s", beside(a.Value, "is "+more(a.Worse, percent[0])+" than", v),
			ref.Started.Local().Format("2006-01-02 15:04"), cmp.Or(ref.Commit, "no commit"), of(a.Labels), percent[1]+"%"))
	}
}

// more says by how many percent one is worse.
func more(worse float64, percent string) string {
	if worse == 0 {
		return "worse"
	}
	return percent + "% worse"
}

func of(labels string) string {
	if labels == "" {
		return ""
	}
	return " (" + labels + ")"
}
