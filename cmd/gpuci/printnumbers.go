package main

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/metric"
)

// numbers shows every bar and witness that held; those that did not are among
// the findings already. What is only recorded shows with -v.
func numbers(v gates.Verdict, verbose bool, row func(key, text string)) {
	judged := make(map[string]bool)
	for _, r := range v.Bars {
		judged[r.Metric] = true
		at := slices.IndexFunc(v.Compared, func(c gates.Compared) bool { return c.Metric == r.Metric })
		switch {
		case r.State != metric.Held && !verbose:
		case at >= 0:
			row("bar", comparedText(v.Compared[at], v.Bound.Branch))
		default:
			row("bar", barText(r))
		}
	}
	for _, w := range v.Witnesses {
		if w.State == metric.Held || verbose {
			row("witness", fmt.Sprintf("%s: %s%s", w.Name, w.State, counters(w)))
		}
	}
	for _, m := range v.Metrics {
		if !judged[m.Metric] && verbose {
			row("metric", m.Metric+": "+spanText(m))
		}
	}
}

// comparedText is a bar that was held against the lane's base. A lane may be called as the
// base branch is, with another branch in it.
func comparedText(c gates.Compared, branch string) string {
	base := c.BaseText()
	if c.Commit != "" {
		base += fmt.Sprintf(" at %.10s", c.Commit)
	}
	if c.Samples == 0 {
		return fmt.Sprintf("%s: %s as its base, %s", c.Metric, c.Verdict, base)
	}
	side, share := "worse", c.Worse
	if share < 0 {
		side, share = "better", -share
	}
	if c.Branch && branch != "" {
		side += " on " + branch
	}
	return fmt.Sprintf("%s: %s %s %s than %s: %s; up to %s is noise; %d samples of each (%s)", c.Metric, c.Measure, abShare(share), side, base, c.Verdict, abShare(c.Limit), c.Samples, c.ID)
}

// spanText is where the values of a metric lie.
func spanText(m gates.MetricSummary) string {
	n := metric.Figures(m.Low.Value, m.High.Value)
	if m.Low.Value == m.High.Value {
		if m.Count == 1 {
			return n[0]
		}
		return fmt.Sprintf("%s, each of %d values", n[0], m.Count)
	}
	return fmt.Sprintf("%d values from %s to %s", m.Count, n[0], n[1])
}

func counters(w gates.WitnessResult) string {
	if len(w.Counters) == 0 {
		return ""
	}
	return " (" + metric.Sample{Labels: w.Counters}.Series() + ")"
}

func barText(r metric.Result) string {
	if r.Worst == nil {
		return fmt.Sprintf("%s: %s", r.Metric, r.State)
	}
	numbers := []float64{r.Worst.Value} // those of one row are told apart
	for _, limit := range []*float64{r.Max, r.Min} {
		if limit != nil {
			numbers = append(numbers, *limit)
		}
	}
	figures := metric.Figures(numbers...)
	text := r.Metric + " " + figures[0]
	if r.Worst.Unit != "" {
		text += " " + r.Worst.Unit
	}
	if r.Max != nil {
		text += ", max " + figures[1]
	}
	if r.Min != nil {
		text += ", min " + figures[len(figures)-1]
	}
	if r.Matches > 1 {
		text += fmt.Sprintf("; worst of %d", r.Matches)
	}
	if s := r.Worst.Series(); s != "" {
		text += ", " + s
	}
	if len(r.Held) > 0 {
		text += "; " + againstText(r.Held[0], len(r.Held))
	}
	if len(r.Parts) > 0 {
		text += fmt.Sprintf("; %s within %.2g %% of it", strings.Join(r.Parts, " + "), 100*r.Rest)
	}
	return text
}

// againstText is the worst of the series against its reference.
func againstText(w metric.Against, n int) string {
	of := ""
	if n > 1 {
		of = fmt.Sprintf(", the worst of %d series", n)
	}
	switch w.Standing {
	case metric.First:
		return "the first of its kind" + of
	case metric.Compared:
		than := fmt.Sprintf("%s at %.10s%s", metric.Figures(*w.Reference, w.Value)[0], orNone(w.Commit), of)
		switch {
		case w.Worse == 0:
			return "the same as " + than
		case w.Worse < 0:
			return byText(-w.Worse) + " better than " + than
		}
		return byText(w.Worse) + " worse than " + than
	}
	return string(w.Standing) + of
}

// byText is by how many percent numbers that are shown differ: never 0.0.
func byText(share float64) string {
	if text := fmt.Sprintf("%.1f%%", 100*share); text != "0.0%" {
		return text
	}
	return metric.Times(100*share) + "%"
}
