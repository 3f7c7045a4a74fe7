package gates

import (
	"bytes"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/gates/reader"
)

// judge reads the lines of a gate's run: counts, numbers, counters.
type judge struct {
	reader    reader.Reader
	none      bool // nothing to count: lines without a literal need no look
	collector *metric.Collector
	witnesses []*witness
	literals  [][]byte // nil when every line must be looked at
}

func newJudge(g config.Gate, sink func(metric.Sample)) (*judge, error) {
	j := &judge{none: g.Reader == "none"}
	var err error
	if j.reader, err = reader.New(g.Reader); err != nil {
		return nil, err
	}
	if j.collector, err = metric.New(specs(g), sink); err != nil {
		return nil, err
	}
	for _, b := range g.Bars {
		if len(b.Parts) == 0 {
			continue
		}
		j.collector.Pair(b.Metric)
		for _, part := range b.Parts {
			j.collector.Pair(part)
		}
	}
	for _, w := range g.Witnesses {
		wit, err := newWitness(w)
		if err != nil {
			return nil, err
		}
		j.witnesses = append(j.witnesses, wit)
	}
	j.literals = j.allLiterals()
	return j, nil
}

// specs are the metrics a gate declares, judged or only recorded.
func specs(g config.Gate) []metric.Spec {
	var out []metric.Spec
	for _, m := range g.Metrics {
		out = append(out, metric.Spec{Metric: m.Name, Pattern: m.Pattern, Unit: m.Unit})
	}
	for _, b := range g.Bars {
		out = append(out, metric.Spec{Metric: b.Metric, Pattern: b.Pattern, Unit: b.Unit})
	}
	return out
}

// allLiterals lists texts one of which stands in every line that a pattern
// could match, or nil when some pattern has no such text.
func (j *judge) allLiterals() [][]byte {
	list, ok := j.collector.Literals()
	if !ok {
		return nil
	}
	for _, w := range j.witnesses {
		if len(w.pattern.Literal()) == 0 {
			return nil
		}
		list = append(list, w.pattern.Literal())
	}
	return list
}

// quiet says that no pattern can match anything in the data. An escape
// sequence could stand in the middle of a literal, so data with one is not
// quiet.
func (j *judge) quiet(data []byte) bool {
	if j.literals == nil || bytes.IndexByte(data, 0x1b) >= 0 {
		return false
	}
	for _, l := range j.literals {
		if bytes.Contains(data, l) {
			return false
		}
	}
	return true
}

// counts says whether lines matter even when no pattern can match.
func (j *judge) counts() bool { return !j.none }

// line reads one line and returns what a person should see in its place.
func (j *judge) line(s reader.Stream, line []byte, quiet bool) []byte {
	text := j.reader.Line(s, reader.Plain(line))
	if quiet || text == nil {
		return text
	}
	j.collector.Line(text)
	for _, w := range j.witnesses {
		w.line(text)
	}
	return text
}
