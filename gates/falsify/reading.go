package falsify

import (
	"strconv"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// reading is what a run gave of a metric, or of those of its series that a selector
// picks.
type reading struct {
	low, high float64
	there     bool
	series    map[string]metric.Series // by their labels
}

// read picks numbers out of a verdict.
func read(v gates.Verdict, s config.Selector) (r reading) {
	for _, m := range v.Metrics {
		if m.Metric != s.Metric || m.Count == 0 {
			continue
		}
		r.series = make(map[string]metric.Series)
		for _, series := range m.Series {
			if !carries(series.Labels, s.Labels) {
				continue
			}
			if !r.there {
				r.low, r.high, r.there = series.Low, series.High, true
			}
			r.low, r.high = min(r.low, series.Low), max(r.high, series.High)
			r.series[series.Labels] = series
		}
		if len(s.Labels) == 0 { // also those beyond the series that are kept apart
			r.low, r.high, r.there = m.Low.Value, m.High.Value, true
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
