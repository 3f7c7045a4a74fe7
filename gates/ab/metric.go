package ab

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// Two metrics that every run has: the time of its run step by the clock, and of the
// processors, in seconds.
const (
	Wall = "run-wall"
	CPU  = "run-cpu"
)

// Wanted is a metric as it was named: NAME, with :lower or :higher behind it for what is
// better, and :2% for the least difference that counts.
type Wanted struct {
	Name    string          `json:"name"`
	Better  judge.Direction `json:"better,omitempty"`
	Quality bool            `json:"quality,omitempty"`
	Least   float64         `json:"least,omitempty"` // as a share; 0 for that of the rule
	Ruled   bool            `json:"ruled,omitempty"` // [bank] names it, for gates that print it, and nobody by hand
}

// Metric is what arms are compared by. Its name has its labels behind it, where the
// gate gives some.
type Metric struct {
	judge.Metric
	Time bool `json:"time,omitempty"`
}

// MetricError says that a metric is not there to compare by, or cannot be.
type MetricError struct {
	ArmError
	InBar string // what to do where a bar has named it
}

// Unwrap gives it as any other error of what is to be compared.
func (e *MetricError) Unwrap() error { return &e.ArmError }

// flag is the one that names such a metric.
func (w Wanted) flag() string {
	if w.Quality {
		return "--quality"
	}
	return "--metric"
}

// ParseWanted reads the name of a metric on a command line.
func ParseWanted(text string, quality bool) (Wanted, error) {
	name, rest, said := strings.Cut(text, ":")
	w := Wanted{Name: name, Quality: quality}
	for _, word := range strings.Split(rest, ":") {
		better := judge.Direction(word)
		least, isShare := shareOf(word)
		switch {
		case !said && name != "":
		case name != "" && w.Better == "" && (better == judge.Lower || better == judge.Higher):
			w.Better = better
		case name != "" && w.Least == 0 && isShare:
			w.Least = least
		default:
			return Wanted{}, &ArmError{fmt.Sprintf("%q names no metric", text), "write NAME, NAME:lower or NAME:higher for what is better, and NAME:2% for the least difference that counts"}
		}
	}
	return w, nil
}

// shareOf reads a percentage below 100.
func shareOf(word string) (share float64, ok bool) {
	number, ok := strings.CutSuffix(word, "%")
	v, err := strconv.ParseFloat(number, 64)
	return v / 100, ok && err == nil && v > 0 && v < 100
}

// clock is one of these two as a metric.
func clock(name string) Metric {
	return Metric{judge.Metric{Name: name, Unit: "s", Better: judge.Lower}, true}
}

// choose settles which metrics are compared: those that are named, else the times
// that the gate prints, else the time of its run. Lacking are those of [bank] that it does
// not print. The error, a *MetricError, says what to name.
func choose(g config.Gate, wanted []Wanted, printed []number) (out []Metric, lacking []string, err error) {
	for _, w := range wanted {
		if w.Ruled && !prints(printed, w.Name) {
			lacking = append(lacking, w.Name)
			continue
		}
		found, err := named(g, w, printed)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, found...)
	}
	if !slices.ContainsFunc(out, func(m Metric) bool { return !m.Quality }) {
		times, err := timesIn(g, printed)
		if err != nil {
			return nil, nil, err
		}
		out = append(times, out...)
	}
	slices.SortStableFunc(out, func(a, b Metric) int { // what leads comes first
		switch {
		case a.Quality == b.Quality:
			return 0
		case b.Quality:
			return -1
		}
		return 1
	})
	return out, lacking, nil
}

// prints says whether a metric, or a series of it, is among what was printed. The two times
// of a run are always there.
func prints(printed []number, name string) bool {
	return name == Wall || name == CPU ||
		slices.ContainsFunc(printed, func(n number) bool { return n.Metric == name || n.key == name })
}

// timesIn are the times that a gate prints, or the time of its run where it prints none.
func timesIn(g config.Gate, printed []number) (out []Metric, err error) {
	for _, n := range keysOf(printed) {
		if !metric.Timed(n.Metric, n.Unit) {
			continue
		}
		m, err := metricOf(g, Wanted{Name: n.Metric}, n)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		out = append(out, clock(Wall))
	}
	return out, nil
}

// named are the series of a metric that was named.
func named(g config.Gate, w Wanted, printed []number) (out []Metric, err error) {
	if w.Name == Wall || w.Name == CPU {
		m := clock(w.Name)
		m.Least = w.Least
		return []Metric{m}, nil
	}
	var known []string
	for _, n := range keysOf(printed) {
		known = append(known, n.key)
		if n.Metric != w.Name && n.key != w.Name {
			continue
		}
		m, err := metricOf(g, w, n)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		known = append(known, Wall, CPU)
		why := fmt.Sprintf("the gate prints no metric %s; there is %s", w.Name, strings.Join(known, ", "))
		return nil, &MetricError{ArmError{why, "name one of these by " + w.flag()}, fmt.Sprintf("measure = %q in the bar names one that is there", known[0])}
	}
	return out, nil
}

// metricOf says of a series what is better in it: as it was named, else as its bar
// says, else as its unit does.
func metricOf(g config.Gate, w Wanted, n number) (Metric, error) {
	m := Metric{judge.Metric{Name: n.key, Unit: metric.UnitOf(n.Metric, n.Unit), Better: w.Better, Quality: w.Quality, Least: w.Least}, metric.Timed(n.Metric, n.Unit)}
	for _, b := range g.Bars {
		if b.Metric != n.Metric {
			continue
		}
		said := judge.Direction(b.Better)
		switch {
		case said != "":
		case b.Max != nil && b.Min == nil:
			said = judge.Lower
		case b.Min != nil && b.Max == nil:
			said = judge.Higher
		}
		m.Better = cmp.Or(m.Better, said)
	}
	unit, _, _ := strings.Cut(m.Unit, "/")
	if m.Better == "" && (w.Quality || metric.IsTime(unit) || metric.Sized(n.Metric, n.Unit)) {
		m.Better = judge.Lower
	}
	if m.Better == "" {
		return m, &MetricError{
			ArmError{fmt.Sprintf("whether less or more of %s is better is not said", n.key), fmt.Sprintf("say it by %s '%s:higher' or ':lower'", w.flag(), n.key)},
			`better = "higher" or "lower" in the bar says it`,
		}
	}
	return m, nil
}
