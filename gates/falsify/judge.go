package falsify

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// Planted is what came of one fault, and what to do about it.
type Planted struct {
	history.Planting
	Next []string
	Log  string // of the trial
}

// answer closes what came of a fault.
func (p *Planted) answer(outcome, why string, next ...string) {
	p.Outcome, p.Why, p.Next = outcome, why, append(p.Next, next...)
}

// judged says whether a gate saw a fault: v is the trial with it, clean the one
// without.
func judged(g config.Gate, f config.Fault, clean, v gates.Verdict) Planted {
	p := Planted{Planting: history.Planting{Fault: f.Name, Gate: string(v.Outcome), Run: v.Run, Seconds: v.Seconds}, Log: v.Log}
	p.Moves = moves(g, f, clean, v)
	word, _, _ := strings.Cut(f.Must, ":")
	asked := map[gates.Outcome]bool{ // beside red
		gates.Broken:    word == config.MustBroken || word == config.MustFind,
		gates.OutOfTime: word == config.MustTime,
	}
	switch {
	case v.Outcome == gates.BuildFailed:
		p.answer(gates.FaultUnbuilt, "it does not build: "+reason(v), "mend the fault so that it compiles: see "+v.Log)
	case v.Outcome == gates.Red && nothingRan(g, v):
		p.answer(gates.FaultUnbuilt, "no test ran with it: "+reason(v), "does it compile? see "+v.Log+"; a build of its own in `build` tells that apart")
	case v.Outcome == gates.Broken && !asked[gates.Broken]:
		p.answer(gates.FaultBroken, "the gate is broken with it: "+reason(v),
			`if that is how the fault shows, say so: must = "broken:nan"; else let the gate print every number all the same`)
	case v.Outcome == gates.OutOfTime && !asked[gates.OutOfTime]:
		p.answer(gates.FaultBroken, "the gate ran out of time with it: "+reason(v), `if that is how the fault shows, say so: must = "out-of-time"`)
	case v.Outcome != gates.Red && !asked[v.Outcome]:
		p.green(g, f, clean, v)
	default:
		p.seen(g, f, v)
	}
	return p
}

// nothingRan says that a gate which counts tests counted none.
func nothingRan(g config.Gate, v gates.Verdict) bool {
	return config.Counts(g.Reader) && (v.Tests == nil || v.Tests.Ran() == 0)
}

// green is for a gate that is not red with the fault.
func (p *Planted) green(g config.Gate, f config.Fault, clean, v gates.Verdict) {
	if v.Outcome != gates.Green && v.Outcome != gates.Attention {
		p.answer(gates.FaultBroken, fmt.Sprintf("the gate is %s with it: %s", v.Outcome, reason(v)), v.Next...)
		return
	}
	why := fmt.Sprintf("the gate is %s with it", v.Outcome)
	for _, m := range p.Moves {
		if m.Must == mustMove {
			why += ": " + m.Metric + " is " + factorText(m)
		}
	}
	next := "let the gate look at what the fault changes: more shapes, a comparison of its own, or a closer bar"
	if unchanged(clean, v) {
		why += "; what was built is the same to the byte as without it"
		next = "is what the fault changes in what the gate builds and runs at all? see " + v.Log
	}
	p.answer(gates.FaultBlind, why, next)
}

// unchanged says that the build products are those of the trial without the fault.
func unchanged(clean, v gates.Verdict) bool {
	a, b := clean.Bound.Products, v.Bound.Products
	if len(a) == 0 || len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Path != b[i].Path || a[i].SHA256 != b[i].SHA256 {
			return false
		}
	}
	return true
}

// seen holds a gate that is not green against what the fault says of it.
func (p *Planted) seen(g config.Gate, f config.Fault, v gates.Verdict) {
	var blind, broken []string
	for _, m := range p.Moves {
		switch {
		case m.Must == mustMove && m.Value == nil && m.Factor == nil && !m.Beyond:
			broken = append(broken, "the gate is "+string(v.Outcome)+" before it gave "+m.Metric)
		case m.Must == mustMove && !m.Moved:
			blind = append(blind, fmt.Sprintf("the gate is %s, and %s is %s: %s times is asked for", v.Outcome, m.Metric, factorText(m), metric.Format(f.Margin)))
		case m.Must == mustStay && m.Value == nil:
			broken = append(broken, m.Metric+" must not move, and was not given")
		case m.Must == mustStay && m.Moved:
			blind = append(blind, "it moves what it must not: "+m.Metric+" "+wentText(m))
		}
	}
	if why := shown(f.Must, v); why != "" {
		blind = append(blind, why)
	}
	switch {
	case len(broken) > 0:
		p.answer(gates.FaultBroken, strings.Join(broken, "; "), "let the gate print its numbers before it fails: see "+v.Log)
	case len(blind) > 0:
		p.answer(gates.FaultBlind, strings.Join(blind, "; "), "see "+v.Log+", and mend the gate, or what the fault says of it in "+config.FileName)
	default:
		p.answer(gates.FaultCaught, "")
	}
}

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

func factorText(m history.Move) string {
	x, known := times(m)
	switch {
	case !known:
		return "not held against its bar"
	case m.Beyond:
		return "beyond any factor of its bar"
	}
	return short(x) + " times its bar"
}

func wentText(m history.Move) string {
	if m.Unfaulted == nil || m.Value == nil {
		return "was not given"
	}
	text := "went from " + short(*m.Unfaulted) + " to " + short(*m.Value)
	if x, known := times(m); known && x > 1 {
		text += ", " + factorText(m)
	}
	return text
}

// reason is why a gate is not green, in one line.
func reason(v gates.Verdict) string {
	const most = 3
	var texts []string
	for _, x := range v.Findings[:min(most, len(v.Findings))] {
		texts = append(texts, strings.ReplaceAll(x.Text, "\n", "; "))
	}
	if len(v.Findings) > most {
		texts = append(texts, fmt.Sprintf("and %d more", len(v.Findings)-most))
	}
	if len(texts) == 0 {
		return string(v.Outcome)
	}
	return strings.Join(texts, "; ")
}
