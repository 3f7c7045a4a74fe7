package falsify

import (
	"math"
	"strconv"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// reading is what a run gave of a metric, or of those of its series that a selector
// picks.
type reading struct {
	low, high float64
	there     bool
}

// read picks numbers out of a verdict.
func read(v gates.Verdict, s config.Selector) (r reading) {
	for _, m := range v.Metrics {
		if m.Metric != s.Metric || m.Count == 0 {
			continue
		}
		if len(s.Labels) == 0 {
			return reading{m.Low.Value, m.High.Value, true}
		}
		for _, series := range m.Series {
			if !carries(series.Labels, s.Labels) {
				continue
			}
			if !r.there {
				r = reading{series.Low, series.High, true}
			}
			r.low, r.high = min(r.low, series.Low), max(r.high, series.High)
		}
	}
	return r
}

// carries says whether the labels of a series, as metric.Sample.Series writes them,
// have all that are wanted.
func carries(series string, want map[string]string) bool {
	have := make(map[string]string)
	for series != "" {
		key, rest, ok := strings.Cut(series, "=")
		if !ok {
			return false
		}
		var value string
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && strings.HasPrefix(rest, `"`) {
			value, _ = strconv.Unquote(quoted)
			series = strings.TrimPrefix(rest[len(quoted):], " ")
		} else {
			value, series, _ = strings.Cut(rest, " ")
		}
		have[key] = value
	}
	for k, v := range want {
		if have[k] != v {
			return false
		}
	}
	return true
}

// factor is how many times its bar a reading comes to, 1 being the bar itself:
//
//   - over max: value / max; where max is below 0, 1 + (value - max) / |max|
//   - below min: min / value; beyond any factor at 0 and below; where min is
//     below 0, 1 + (min - value) / |min|
//   - of a bar of 0, what crosses it is beyond any factor, however little it is:
//     the bar says that nothing at all may be there
//   - with within: how much worse than the reference / within
//   - with parts: the share of the whole that is in none / tolerance
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

// staysBy is by how much a number may change that must not move: rounding and
// another order of sums do less, and a defect that reaches a number does more.
const staysBy = 10

// stays says whether a reading is where it was: within its bar, if it has one, and
// within a factor of ten either way of what it was without the fault. One with a
// bar may also change by a hundredth of it: next to 0 a factor says nothing. what
// says how it moved.
func stays(bar *config.Bar, f float64, clean, now reading) (what string) {
	if bar != nil && f > 1 {
		return "is over its bar"
	}
	room := 0.0
	if bar != nil {
		for _, limit := range []*float64{bar.Max, bar.Min} {
			if limit != nil {
				room = max(room, math.Abs(*limit)/100)
			}
		}
	}
	for _, pair := range [][2]float64{{clean.high, now.high}, {clean.low, now.low}} {
		was, is := pair[0], pair[1]
		ratio := is / was
		near := was == is || math.Abs(is-was) <= room || was != 0 && ratio >= 1.0/staysBy && ratio <= staysBy
		if !near {
			return "went from " + short(was) + " to " + short(is)
		}
	}
	return ""
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

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
