package falsify

import (
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// What a fault can say of a metric.
const (
	mustMove = "move"
	mustStay = "stay"
)

// moves are where the metrics went: those that the fault names, and every other one
// that has a bar, or that another fault of the gate names.
func moves(g config.Gate, f config.Fault, clean, v gates.Verdict) (list []history.Move) {
	if f.MustMove != "" {
		m, _, _ := move(g, f.MustMove, clean, v)
		x, known := times(m)
		m.Must, m.Moved = mustMove, known && x > 1 && x >= f.Margin
		list = append(list, m)
	}
	for _, name := range f.MustNotMove {
		m, bar, r := move(g, name, clean, v)
		x, _ := times(m)
		m.Must = mustStay
		m.Moved = r[0].there && r[1].there && stays(bar, x, r[0], r[1]) != ""
		list = append(list, m)
	}
	for _, name := range named(g) {
		if !slices.ContainsFunc(list, func(m history.Move) bool { return m.Metric == name }) {
			m, _, _ := move(g, name, clean, v)
			x, known := times(m)
			m.Moved = known && x > 1
			list = append(list, m)
		}
	}
	return list
}

// named are the metrics that have a bar, and those that faults speak of, with their
// labels.
func named(g config.Gate) (list []string) {
	for _, b := range g.Bars {
		list = append(list, b.Metric)
	}
	for _, f := range g.Faults {
		for _, name := range append([]string{f.MustMove}, f.MustNotMove...) {
			if name != "" && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// factorText is how many times its bar a metric is, told apart from the bar itself and
// from what it stands beside.
func factorText(m history.Move, beside ...float64) string {
	x, known := times(m)
	switch {
	case !known:
		return "not held against its bar"
	case m.Beyond:
		return "beyond any factor of its bar"
	}
	return metric.TimesBeside(append([]float64{x, 1}, beside...)...)[0] + " times its bar"
}

func wentText(m history.Move) string {
	text := went(*m.Unfaulted, *m.Value)
	if x, known := times(m); known && x > 1 {
		text += ", " + factorText(m)
	}
	return text
}
