package falsify

import (
	"fmt"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// Planted is what came of one fault, and what to do about it.
type Planted struct {
	history.Planting
	Word string // the outcome as the beginning of a sentence that Why goes on with
	Next []string
	Log  string // of the trial

	fault config.Fault
	trial gates.Verdict // the zero one where nothing was run
	dated bool          // what it changes shows by the times of files
}

// words are the outcomes as people say them; one that is caught needs none.
var words = map[string]string{
	gates.FaultBlind: "is not seen", gates.FaultRotted: "does not apply", gates.FaultUnbuilt: "does not build", gates.FaultBroken: "is not judged",
}

// answer closes what came of a fault.
func (p *Planted) answer(outcome, why string, next ...string) {
	p.Outcome, p.Word, p.Why, p.Next = outcome, words[outcome], why, next
}

// judged says whether a gate saw a fault: v is the trial with it, clean the one
// without.
func judged(g config.Gate, f config.Fault, clean, v gates.Verdict) Planted {
	p := Planted{Planting: history.Planting{Fault: f.Name, Gate: string(v.Outcome), Run: v.Run, Seconds: v.Seconds}, Log: v.Log, fault: f, trial: v}
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
	case v.Outcome == gates.Red && vague(f) && uncompiled(g, clean, v) != "":
		p.answer(gates.FaultUnbuilt, "a source is none any more: "+uncompiled(g, clean, v),
			"mend the fault so that it compiles, or, where the gate is there to refuse just that, say how it does: must = \"finding:exit status 1\"; see "+v.Log)
	case v.Outcome == gates.Broken && !asked[gates.Broken]:
		p.answer(gates.FaultBroken, "the gate is broken with it: "+reason(v),
			`if that is how the fault shows, say so: must = "broken:nan"; else let the gate print every number all the same`)
	case v.Outcome == gates.OutOfTime && !asked[gates.OutOfTime]:
		p.answer(gates.FaultBroken, "the gate ran out of time with it: "+reason(v), `if that is how the fault shows, say so: must = "out-of-time"`)
	case v.Outcome != gates.Red && !asked[v.Outcome]:
		p.green(g, f, clean, v)
	default:
		p.seen(g, f, clean, v)
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
func (p *Planted) seen(g config.Gate, f config.Fault, clean, v gates.Verdict) {
	var blind, apart, broken []string
	for _, m := range p.Moves {
		switch {
		case m.Must == mustMove && m.Value == nil && m.Factor == nil && !m.Beyond:
			broken = append(broken, "the gate is "+string(v.Outcome)+" before it gave "+m.Metric)
		case m.Must == mustMove && !m.Moved:
			blind = append(blind, fmt.Sprintf("the gate is %s, and %s is %s: %s times is asked for", v.Outcome, m.Metric, factorText(m, f.Margin), metric.Format(f.Margin)))
		case m.Must == mustStay:
			moved, gone := strayed(g, m, clean, v)
			if gone != "" {
				broken = append(broken, m.Metric+" must not move, and "+gone)
			} else if moved != "" {
				apart = append(apart, fmt.Sprintf("%s moves too: %s", m.Metric, moved))
			}
		}
	}
	why, unsure := shown(f.Must, v)
	switch {
	case why != "" && unsure:
		broken = append(broken, why)
	case why != "":
		blind = append(blind, why)
	}
	next := "see " + v.Log + ", and mend the gate, or what the fault says of it in " + config.FileName
	switch {
	case len(broken) > 0:
		p.answer(gates.FaultBroken, strings.Join(broken, "; "), "let the gate print its numbers before it fails: see "+v.Log)
	case len(blind) > 0: // the gate is red, and by what it is not said to be
		p.answer(gates.FaultBlind, strings.Join(append(blind, apart...), "; "), next)
		p.Word = "is not shown"
	case len(apart) > 0:
		p.answer(gates.FaultBlind, strings.Join(apart, "; "), next)
		p.Word = "is not told apart"
	default:
		p.answer(gates.FaultCaught, "")
	}
}

// strayed says how a metric that must not move has, or why that cannot be said.
func strayed(g config.Gate, m history.Move, clean, v gates.Verdict) (moved, gone string) {
	_, bar, r := move(g, m.Metric, clean, v)
	if gone = lost(r[0], r[1]); gone != "" {
		return "", gone
	}
	x, known := times(m)
	if moved = stays(bar, x, r[0], r[1]); moved == "" {
		return "", ""
	}
	if strings.HasPrefix(moved, "it is") {
		moved = wentText(m)
	} else if known && x > 1 {
		moved += ", " + factorText(m)
	}
	return moved, ""
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
