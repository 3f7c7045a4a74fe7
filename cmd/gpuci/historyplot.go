package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// maxPoints is how many results a course is drawn of: one column each, beside
// its name on a screen of 100.
const maxPoints = 60

// courseText is a series: what it is, how it went, and where it stands.
func courseText(c history.Course, better string) string {
	worst := func(p history.Point) float64 {
		if better == config.BetterHigher {
			return p.Low
		}
		return p.High
	}
	values := make([]float64, 0, len(c.Points))
	for _, p := range c.Points {
		values = append(values, worst(p))
	}
	values = values[max(0, len(values)-maxPoints):]
	return fmt.Sprintf("%s\n  %s  %s\n", seriesText(c.Series), sparkline(values), courseWords(values))
}

// courseWords are where the numbers of a course lie, and how the last one stands.
func courseWords(values []float64) string {
	n := metric.Figures(slices.Min(values), slices.Max(values), values[len(values)-1])
	switch {
	case len(values) == 1:
		return n[0]
	case n[0] == n[1]:
		return "always " + n[0]
	}
	return fmt.Sprintf("%s to %s, last %s%s", n[0], n[1], n[2], changeText(values))
}

// seriesText names a series by all that tells it from others.
func seriesText(s history.Series) string {
	name := s.Metric
	if s.Unit != "" {
		name += " (" + s.Unit + ")"
	}
	return printable(strings.Join(nonempty(name, s.Labels, s.Backend, s.Card, s.Profile), ", "))
}

// changeText is how the last number stands to the middle of those before.
func changeText(values []float64) string {
	before := values[:len(values)-1]
	if len(before) == 0 {
		return ""
	}
	m := median(before)
	if m == 0 || math.Signbit(m) {
		return ""
	}
	return fmt.Sprintf(" (%+.1f%% of the median before)", 100*(values[len(values)-1]/m-1))
}

// decades is from how many powers of ten on a course is drawn by logarithms: an
// error that went from 1e-9 to 1e-5 is a flat line with one peak otherwise.
const decades = 2

var sparks = []rune("▁▂▃▄▅▆▇█")

// sparkline draws numbers from the lowest to the highest of them.
func sparkline(values []float64) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	scale := func(v float64) float64 { return v }
	if low > 0 && high/low >= math.Pow(10, decades) {
		scale = math.Log
	}
	span := scale(high) - scale(low)
	var b strings.Builder
	for _, v := range values {
		at := 0.0
		if span > 0 && !math.IsInf(span, 0) {
			at = (scale(v) - scale(low)) / span
		}
		b.WriteRune(sparks[min(len(sparks)-1, int(at*float64(len(sparks))))])
	}
	return b.String()
}

// median is the middle of some numbers; the higher of two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
