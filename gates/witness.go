package gates

import (
	"fmt"

	"gpuci/gates/config"
	"gpuci/gates/expr"
	"gpuci/gates/metric"
)

// witness holds a relation against every match of its pattern.
type witness struct {
	name    string
	pattern *metric.Pattern // nil: the reader gives the counters
	holds   *expr.Expr
	atlas   map[string]config.Atlas // the counters that the atlas counts; nil for none
	printed []printedCounters       // of such a one, until it has
	result  WitnessResult
}

func newWitness(w config.Witness) (*witness, error) {
	var p *metric.Pattern
	if w.Pattern != "" {
		var err error
		if p, err = metric.CompileCounters(w.Pattern); err != nil {
			return nil, err
		}
	}
	e, err := expr.Parse(w.Holds)
	if err != nil {
		return nil, fmt.Errorf("witness %q: %w", w.Holds, err)
	}
	name := w.Name
	if name == "" {
		name = w.Holds
	}
	return &witness{name: name, pattern: p, holds: e,
		result: WitnessResult{Name: name, Holds: w.Holds, State: metric.Held}}, nil
}

// line evaluates the relation for every match. The first match that fails
// decides and is kept; an unreadable one outranks it, as with bars.
func (w *witness) line(text []byte) {
	for _, m := range w.pattern.Counters(text) {
		if w.atlas != nil {
			w.hold(m.Groups, m.Fault)
			continue
		}
		w.match(m.Groups, m.Fault)
	}
}

// counters evaluates the relation for a line that has all of its counters.
func (w *witness) counters(line map[string]string) {
	own := make(map[string]string)
	for _, n := range w.holds.Names() {
		value, there := line[n.Text]
		if !there {
			return
		}
		own[n.Text] = value
	}
	w.match(own, "")
}

func (w *witness) match(counters map[string]string, why string) {
	r := &w.result
	r.Matches++
	if r.Matches == 1 {
		r.Counters = counters
	}
	held := true
	if why == "" {
		var err error
		if held, err = w.holds.Eval(counters); err != nil {
			why = err.Error()
		}
	}
	switch {
	case why != "" && r.State != metric.Unreadable:
		r.State, r.Why, r.Counters = metric.Unreadable, why, counters
	case why == "" && !held && r.State == metric.Held:
		r.State, r.Counters = metric.Crossed, counters
		r.Why = "the relation does not hold"
	}
}

// verdict closes the witness: no match at all proves nothing.
func (w *witness) verdict() WitnessResult {
	if w.result.Matches == 0 {
		w.result.State, w.result.Why = metric.Unreadable, "no line of the output gave its counters"
	}
	return w.result
}
