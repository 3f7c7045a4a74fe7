package ci

import (
	"context"
	"math"
	"slices"

	"gpuci/gates"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// Pace is a time that left the range in which it usually is.
type Pace struct {
	Metric string  `json:"metric"` // "seconds" is the whole gate
	Labels string  `json:"labels,omitempty"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`  // of the last greens of the base branch
	High   float64 `json:"high"` // the same
	Points int     `json:"points"`
	Slower bool    `json:"slower"` // else faster
}

// The rule by which a time is slower or faster: it lies beyond all of the last
// greens of the base branch, by more than the distance between their quartiles.
// Fewer than five points have no spread to speak of; more than twenty go back to
// another machine.
const (
	fewestPoints = 5
	mostPoints   = 20
)

// pace holds a time against points. Where all points are equal, every other time
// lies beyond them; that is what they say.
func pace(value float64, points []float64) (p Pace, out bool) {
	if len(points) < fewestPoints {
		return p, false
	}
	p.Value, p.Low, p.High, p.Points = value, slices.Min(points), slices.Max(points), len(points)
	spread := quantile(points, 0.75) - quantile(points, 0.25)
	p.Slower = value > p.High+spread
	return p, p.Slower || value < p.Low-spread
}

// quantile interpolates between the two nearest points (Hyndman and Fan's seventh).
func quantile(points []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(points))
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// isTime says whether numbers of a unit are times, of which more is slower.
func isTime(unit string) bool {
	switch unit {
	case "ns", "us", "ms", "s":
		return true
	}
	return false
}

// paces holds what a green run took, as a whole and in each of its times, against
// the last greens of the base branch.
func (p *past) paces(ctx context.Context, v gates.Verdict) (out []Pace) {
	if v.Outcome != gates.Green || p.plan.Base == "" || p.store == nil {
		return nil
	}
	if found, beyond := pace(v.Seconds, p.seconds(v)); beyond {
		found.Metric, found.Unit = "seconds", "s"
		out = append(out, found)
	}
	for _, m := range v.Metrics {
		for _, s := range m.Series {
			of := history.Series{Gate: v.Gate, Metric: m.Metric, Labels: s.Labels, Unit: m.Unit, Backend: v.Bound.Backend, Card: v.Bound.Card, Profile: v.Bound.Profile}
			if !isTime(m.Unit) || s.Count == 0 {
				continue
			}
			if found, beyond := pace(middle(s), p.points(ctx, of)); beyond {
				found.Metric, found.Labels, found.Unit = m.Metric, s.Labels, m.Unit
				out = append(out, found)
			}
		}
	}
	return out
}

// seconds are what greens of the base took as a whole. Only those of scratch lanes
// count, which build from nothing as this one did.
func (p *past) seconds(v gates.Verdict) (points []float64) {
	for _, r := range p.runs[v.Gate] {
		if r.Outcome == string(gates.Green) && r.Branch == p.plan.Base && r.Run != v.Run && p.ours(r) && len(points) < mostPoints {
			points = append(points, r.Seconds)
		}
	}
	return points
}

// points are the last greens of the base in one series.
func (p *past) points(ctx context.Context, of history.Series) (points []float64) {
	greens, err := p.store.Greens(ctx, of, history.Query{Branch: p.plan.Base, Until: p.plan.Began, Believed: true, Limit: mostPoints})
	if err != nil {
		return nil
	}
	for _, g := range greens {
		if p.store.Believes(g.UID, g.Started) {
			points = append(points, (g.Low+g.High)/2)
		}
	}
	return points
}

// middle is the one number that a run gave of a series, or the middle of several.
func middle(s metric.Series) float64 { return (s.Low + s.High) / 2 }
