package gates

import (
	"gpuci/gates/metric"
	"math"
	"slices"
)

// worstOf is how one run came out by itself.
func worstOf(d *repetition) Outcome {
	switch d.run.why {
	case byInterrupt:
		return Interrupted
	case byTimeLimit, byNoProgress:
		return OutOfTime
	case notStarted:
		return Broken
	}
	for _, o := range rank {
		if slices.ContainsFunc(d.findings, func(x Finding) bool { return x.Outcome == o }) {
			return o
		}
	}
	return Green
}

// fewerTests are those of the run that says least for the gate.
func fewerTests(a, b *Tests) *Tests {
	switch {
	case a == nil:
		return b
	case b == nil || a.Failed > b.Failed:
		return a
	case b.Failed > a.Failed || b.Ran() < a.Ran():
		return b
	}
	return a
}

// gravityOf orders the states of bars and witnesses.
func gravityOf(s metric.State) int {
	return slices.Index([]metric.State{metric.Held, metric.Crossed, metric.Unreadable}, s)
}

// mergeBars keeps of each bar the run in which it came out worst.
func mergeBars(all, more []metric.Result) []metric.Result {
	for _, b := range more {
		i := slices.IndexFunc(all, func(a metric.Result) bool { return a.Metric == b.Metric })
		if i < 0 {
			all = append(all, b)
			continue
		}
		a := all[i]
		if x, y := gravityOf(a.State), gravityOf(b.State); y > x || y == x && nearer(b, a) {
			b.Matches += a.Matches
			all[i] = b
		} else {
			all[i].Matches += b.Matches
		}
	}
	return all
}

// nearer says whether the deciding number of a is nearer to the bar's limit than
// that of b, or farther beyond it.
func nearer(a, b metric.Result) bool {
	if a.Worst == nil || b.Worst == nil {
		return a.Worst != nil
	}
	room := func(r metric.Result) float64 {
		left := math.Inf(1)
		if r.Max != nil {
			left = *r.Max - r.Worst.Value
		}
		if r.Min != nil {
			left = min(left, r.Worst.Value-*r.Min)
		}
		return left
	}
	x, y := room(a), room(b)
	if math.IsInf(x, 1) && len(a.Held) > 0 && len(b.Held) > 0 {
		return a.Held[0].Worse > b.Held[0].Worse
	}
	return x < y
}

// mergeWitnesses keeps of each witness the run in which it came out worst.
func mergeWitnesses(all, more []WitnessResult) []WitnessResult {
	for i, w := range more { // each run has all of them, in one order
		if i >= len(all) {
			all = append(all, w)
			continue
		}
		matches := all[i].Matches + w.Matches
		if gravityOf(w.State) > gravityOf(all[i].State) {
			all[i] = w
		}
		all[i].Matches = matches
	}
	return all
}

// mergeMetrics keeps the extremes of all runs.
func mergeMetrics(all, more []MetricSummary) []MetricSummary {
	for _, m := range more {
		i := slices.IndexFunc(all, func(a MetricSummary) bool { return a.Metric == m.Metric })
		if i < 0 {
			m.Series = slices.Clone(m.Series)
			all = append(all, m)
			continue
		}
		a := &all[i]
		if m.Count > 0 && (a.Count == 0 || m.Low.Value < a.Low.Value) {
			a.Low = m.Low
		}
		if m.Count > 0 && (a.Count == 0 || m.High.Value > a.High.Value) {
			a.High = m.High
		}
		a.Count += m.Count
		at := make(map[string]int, len(a.Series))
		for j, s := range a.Series {
			at[s.Labels] = j
		}
		for _, s := range m.Series {
			j, ok := at[s.Labels]
			if !ok {
				a.Series = append(a.Series, s)
				continue
			}
			x := &a.Series[j]
			x.Count += s.Count
			x.Low, x.High, x.Last = min(x.Low, s.Low), max(x.High, s.High), s.Last
		}
	}
	return all
}

// mergeScope keeps of each axis the run that covers least of production.
func mergeScope(all, more []AxisScope) []AxisScope {
	for _, s := range more {
		i := slices.IndexFunc(all, func(a AxisScope) bool { return a.Axis == s.Axis })
		switch {
		case i < 0:
			all = append(all, s)
		case s.Gap > all[i].Gap || s.Gap == all[i].Gap && len(s.Covered) < len(all[i].Covered):
			all[i] = s
		}
	}
	return all
}
