package ab

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// compared says whether a metric that the gate prints is one that the arms are compared
// by, or could be: one that was named, or a time.
func (s *session) compared(name, unit string) bool {
	for _, w := range s.log().Wanted {
		if word, _, _ := strings.Cut(w.Name, " "); !w.Quality && word == name {
			return true
		}
	}
	return metric.Timed(name, unit)
}

// checked is the gate as an arm must be green by it: with the arm's arguments, without
// what is agreed upon its red, and without the bars of times and of what is compared. An
// arm that is slower than a bar allows is not wrong, but slower.
func (s *session) checked(d *side) (config.Gate, error) {
	g := s.o.Gate
	g.Expect, g.Faults = "", nil
	g.Bars, g.Metrics = nil, slices.Clone(g.Metrics)
	for _, b := range s.o.Gate.Bars {
		if b.AB != nil {
			continue
		}
		if b.Atlas != nil || !s.compared(b.Metric, b.Unit) {
			g.Bars = append(g.Bars, b)
		} else if b.Pattern != "" {
			g.Metrics = append(g.Metrics, config.Metric{Name: b.Metric, Pattern: b.Pattern, Unit: b.Unit})
		}
	}
	if len(d.Args) == 0 {
		return g, nil
	}
	if err := gates.CheckArgs(g, d.Args); err != nil {
		return g, &ArmError{"arm " + d.Name + ": " + err.Error(), `put "$@" into the string where the arguments belong, or write run as an array`}
	}
	g.Run = slices.Clone(g.Run)
	last := &g.Run[len(g.Run)-1]
	last.Argv = append(slices.Clone(last.Argv), d.Args...)
	return g, nil
}

// sampled is the same without what the check has done: nothing is built again, the run
// is run once, and the atlas counts nothing in it: to be counted takes time.
func sampled(g config.Gate) config.Gate {
	g.Build, g.Repeat = nil, nil
	if g.Trace == nil {
		return g
	}
	g.Trace = nil
	g.Bars = slices.DeleteFunc(slices.Clone(g.Bars), func(b config.Bar) bool { return b.Atlas != nil })
	g.Metrics = slices.DeleteFunc(slices.Clone(g.Metrics), func(m config.Metric) bool { return m.Atlas != nil })
	g.Witnesses = slices.DeleteFunc(slices.Clone(g.Witnesses), func(w config.Witness) bool { return w.Source == config.SourceTrace })
	return g
}

// counted says whether a metric is the atlas's, and so in no sample.
func counted(g config.Gate, name string) bool {
	return slices.ContainsFunc(g.Bars, func(b config.Bar) bool { return b.Metric == name && b.Atlas != nil }) ||
		slices.ContainsFunc(g.Metrics, func(m config.Metric) bool { return m.Name == name && m.Atlas != nil })
}

// Check says what keeps a gate from being compared at all, before anything is made.
func Check(g config.Gate, wanted []Wanted) error {
	s := session{o: Options{Gate: g}}
	s.journal = &Journal{Log: Log{Session: Session{Wanted: wanted}}}
	switch {
	case g.Expect != "":
		return errors.New("it is a known red, and what is wrong is not timed")
	case slices.ContainsFunc(wanted, func(w Wanted) bool { return !w.Ruled && counted(g, w.Name) }):
		at := slices.IndexFunc(wanted, func(w Wanted) bool { return !w.Ruled && counted(g, w.Name) })
		return &ArmError{
			fmt.Sprintf("%s is counted by the atlas, and its counts are not compared: to be counted takes time, so that samples run without it", wanted[at].Name),
			"leave " + wanted[at].flag() + " " + wanted[at].Name + " out; a bar with within holds a count against the last green",
		}
	case g.Profile == debugProfile && s.timed():
		return errors.New(`it is of profile "debug": its times say nothing of a release`)
	}
	return nil
}

// debugProfile is the one whose times say nothing.
const debugProfile = "debug"

// timed says whether times are compared, as far as that is known before a run.
func (s *session) timed() bool {
	for _, w := range s.log().Wanted {
		if !w.Quality {
			return w.Name == Wall || w.Name == CPU || metric.Timed(w.Name, unitOf(s.o.Gate, w.Name))
		}
	}
	return true
}

// unitOf is the unit that the gate declares for a metric.
func unitOf(g config.Gate, name string) string {
	for _, b := range g.Bars {
		if b.Metric == name && b.Unit != "" {
			return b.Unit
		}
	}
	for _, m := range g.Metrics {
		if m.Name == name {
			return m.Unit
		}
	}
	return ""
}
