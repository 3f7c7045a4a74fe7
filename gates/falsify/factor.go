package falsify

import (
	"math"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// factor is how many times its bar a reading comes to, 1 being the bar itself:
//
//   - over max: value / max; where max is below 0, 1 + (value - max) / |max|
//   - below min: min / value; beyond any factor at 0 and below; where min is
//     below 0, 1 + (min - value) / |min|
//   - of a bar of 0, what crosses it is beyond any factor, however little it is:
//     the bar says that nothing at all may be there
//   - with within: how much worse than the reference / within
//   - with parts: the share of the whole that is in none / tolerance
//   - with source = "ab": how much worse than the base / the floor of the noise
//
// The largest of those that a bar has counts, and it is infinite where it is beyond
// any factor. known is false where the bar could not be held against anything.
func factor(bar config.Bar, v gates.Verdict, s config.Selector, r reading) (f float64, known bool) {
	take := func(x float64) { f, known = max(f, x), true }
	if bar.Max != nil && r.there {
		take(over(r.high, *bar.Max))
	}
	if bar.Min != nil && r.there {
		take(below(r.low, *bar.Min))
	}
	for _, c := range v.Compared {
		if x, said := c.Times(); said && c.Metric == bar.Metric && len(s.Labels) == 0 {
			take(x)
		}
	}
	for _, result := range v.Bars {
		if result.Metric != bar.Metric {
			continue
		}
		for _, a := range result.Held {
			if bar.Within > 0 && a.Standing == metric.Compared && carries(a.Labels, s.Labels) {
				take(a.Worse / bar.Within)
			}
		}
		if len(bar.Parts) > 0 && len(s.Labels) == 0 && r.there {
			take(over(result.Rest, bar.Tolerance))
		}
	}
	return f, known
}

func over(value, limit float64) float64 {
	switch {
	case limit > 0:
		return value / limit
	case value <= limit:
		if limit == 0 {
			return 0
		}
		return max(0, 1+(value-limit)/-limit)
	case limit == 0:
		return math.Inf(1)
	}
	return 1 + (value-limit)/-limit
}

func below(value, limit float64) float64 {
	switch {
	case limit > 0 && value <= 0:
		return math.Inf(1)
	case limit > 0:
		return limit / value
	}
	return over(-value, -limit)
}

// move puts together where a metric went.
func move(g config.Gate, name string, clean, v gates.Verdict) (history.Move, *config.Bar, [2]reading) {
	s, _ := config.ParseSelector(name) // it was checked with the configuration
	var bar *config.Bar
	for i := range g.Bars {
		if g.Bars[i].Metric == s.Metric {
			bar = &g.Bars[i]
		}
	}
	before, now := read(clean, s), read(v, s)
	m := history.Move{Metric: name, Value: deciding(bar, now), Unfaulted: deciding(bar, before)}
	if bar == nil {
		return m, nil, [2]reading{before, now}
	}
	if f, known := factor(*bar, v, s, now); known && math.IsInf(f, 0) {
		m.Beyond = true
	} else if known {
		m.Factor = &f
	}
	return m, bar, [2]reading{before, now}
}

// deciding is the number that a bar is held against: the lowest where it has only a
// least one.
func deciding(bar *config.Bar, r reading) *float64 {
	if !r.there {
		return nil
	}
	if bar != nil && bar.Max == nil && (bar.Min != nil || bar.Better == config.BetterHigher) {
		return &r.low
	}
	return &r.high
}

// times is a factor as one number, infinite where it is beyond any.
func times(m history.Move) (f float64, known bool) {
	switch {
	case m.Beyond:
		return math.Inf(1), true
	case m.Factor == nil:
		return 0, false
	}
	return *m.Factor, true
}
