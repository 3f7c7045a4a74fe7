package gates

import (
	"bytes"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/gates/reader"
)

// judge reads the lines of a gate's run: counts, numbers, counters.
type judge struct {
	name      string          // of the reader
	whole     bool            // one reader reads all commands, when they have ended
	taken     bool            // and is made
	reader    reader.Reader   // of the command that runs
	counts    []reader.Counts // of those that ended
	collector *metric.Collector
	witnesses []*witness
	shown     *shown    // what the run says it covers
	literals  []*finder // nil when every line must be looked at
}

func newJudge(g config.Gate, sink func(metric.Sample)) (*judge, error) {
	j := &judge{name: g.Reader, whole: reader.OfRun(g.Reader), shown: newShown(g)}
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
		wit.namesOfAtlas(g, w)
		j.witnesses = append(j.witnesses, wit)
	}
	j.literals = j.allLiterals()
	return j, nil
}

// specs are the metrics a gate declares, judged or only recorded.
func specs(g config.Gate) []metric.Spec {
	var out []metric.Spec
	for _, m := range g.Metrics {
		out = append(out, metric.Spec{Metric: m.Name, Pattern: m.Pattern, Unit: m.Unit, Given: m.Atlas != nil})
	}
	for _, b := range g.Bars {
		if b.AB != nil {
			b.Unit = comparedUnit
		}
		out = append(out, metric.Spec{Metric: b.Metric, Pattern: b.Pattern, Unit: b.Unit, Given: b.Atlas != nil || b.AB != nil})
	}
	return out
}

// allLiterals lists texts one of which stands in every line that a pattern
// could match, or nil when some pattern has no such text.
func (j *judge) allLiterals() []*finder {
	list, ok := j.collector.Literals()
	if !ok {
		return nil
	}
	for _, w := range j.witnesses {
		if w.pattern == nil { // the reader's own numbers, or the atlas's: they say when there are none
			continue
		}
		if len(w.pattern.Literal()) == 0 {
			return nil
		}
		list = append(list, w.pattern.Literal())
	}
	list = append(list, []byte(scopePrefix))
	var out []*finder
	for _, text := range list {
		out = append(out, newFinder(text))
	}
	return out
}

// idle says that whole lines are all noise: no pattern can match in them and
// the reader has no use for them. An escape sequence could stand in the middle
// of a text that is looked for, so lines with one are looked at.
func (j *judge) idle(s reader.Stream, lines []byte) bool {
	if j.literals == nil || bytes.IndexByte(lines, 0x1b) >= 0 || bytes.IndexByte(lines, '\r') >= 0 {
		return false
	}
	for _, f := range j.literals {
		if f.in(lines) {
			return false
		}
	}
	return j.reader.Idle(s, lines)
}

// line reads one line and returns what a person should see in its place.
func (j *judge) line(s reader.Stream, line []byte) []byte {
	plain := reader.Plain(line)
	text := j.reader.Line(s, plain)
	if text == nil {
		return nil
	}
	// A terminal shows the last of the texts that carriage returns put over
	// each other; the numbers in the others were printed all the same.
	if end := bytes.LastIndexByte(bytes.TrimRight(line, "\r"), '\r'); end >= 0 && len(text) == len(plain) {
		for part := range bytes.SplitSeq(line[:end], []byte{'\r'}) {
			j.numbers(reader.Plain(part))
		}
	}
	j.numbers(text)
	return text
}

func (j *judge) numbers(text []byte) {
	j.collector.Line(text)
	j.shown.line(text)
	counters := j.counters(text)
	for _, w := range j.witnesses {
		switch {
		case w.pattern != nil:
			w.line(text)
		case w.atlas == nil:
			w.counters(counters)
		}
	}
}

// counters are the numbers that the line gives by name, where the reader is for
// these; each is a metric, too. Of a part of a whole the whole is NAME_of.
func (j *judge) counters(text []byte) map[string]string {
	if j.name != countersReader || metric.IsOwn(text) || bytes.Contains(text, []byte(scopePrefix)) {
		return nil
	}
	found := make(map[string]string)
	for _, n := range reader.Counters(text) {
		found[n.Key] = n.Value
		j.collector.Take(n.Key, n.Value)
		if n.Of != "" {
			found[n.Key+"_of"] = n.Of
			j.collector.Take(n.Key+"_of", n.Of)
		}
	}
	return found
}

const countersReader = "counters"

// command says whose the next lines are.
func (j *judge) command(r reader.Reader) { j.reader = r }

// nextCommand closes the counts of a command: a run that is made of several is
// not green because one of them ran something.
func (j *judge) nextCommand() {
	if !j.whole {
		j.counts = append(j.counts, j.reader.Counts())
	}
}

// close counts what is only known when all commands have ended.
func (j *judge) close() {
	if j.whole {
		j.counts = append(j.counts, j.reader.Counts())
	}
}

// total adds the commands' counts up.
func (j *judge) total() reader.Counts {
	var t reader.Counts
	for _, c := range j.counts {
		t.Passed += c.Passed
		t.Failed += c.Failed
		t.Ignored += c.Ignored
		t.Measured += c.Measured
		t.Filtered += c.Filtered
		t.Suites += c.Suites
		t.FailedNames = append(t.FailedNames, c.FailedNames...)
		t.Contradictions = append(t.Contradictions, c.Contradictions...)
		t.Remarks = append(t.Remarks, c.Remarks...)
		t.Products = append(t.Products, c.Products...)
		t.Roll = t.Roll.Joined(c.Roll)
	}
	return t
}
