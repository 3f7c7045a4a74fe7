package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gpuci/kernels/trace"
)

// Trace says that the run of a gate is counted by the atlas, package trace: how its steps
// are found in what it did.
type Trace struct {
	Step  string `json:",omitempty"` // a pattern of lines that end a step, with a group for its number; "" for none
	Range string `json:",omitempty"` // the NVTX range that is a step; "" where Step says it, or for the outermost ranges
	Warm  int    `json:",omitempty"` // first steps of a stage that are set apart; 0: 5 of more than 10, else 1; below 0: none

	Timeline bool `json:",omitempty"` // times of the card are taken as well, which makes launches dearer
}

// Atlas is what a number of the atlas is of.
type Atlas struct {
	Measure string // of trace.MeasureNames
	Stage   string // trace.WholeRun for everything
	Kernel  string `json:",omitempty"` // launches, or nodes of graphs, of kernels in whose name this is found; "" for all
}

// SourceTrace is the source of numbers that the atlas counts.
const SourceTrace = "trace"

// stage is the one that a number is of where nothing is said.
func (t *Trace) stage() string {
	switch {
	case t == nil:
		return ""
	case t.Step != "":
		return trace.LineStep
	case t.Range != "":
		return t.Range
	}
	return trace.WholeRun
}

// trace reads how the run is counted. It comes before the bars.
func (f *fields) trace(g *Gate) {
	t := f.sub("trace", "[gate.trace] above its lines")
	if t == nil {
		return
	}
	g.Trace = &Trace{}
	re, step := t.expression("step", `'step (\d+)'`, &g.Trace.Step)
	if re != nil && re.NumSubexp() == 0 {
		t.bad(step, `write step = 'step (\d+)'`, "has no group for the step's number")
	}
	by := t.text("range", `"step"`, &g.Trace.Range)
	if step != nil && by != nil {
		t.add(by.span, "leave one of the two out", "%q and %q in %s are two ways to tell steps", "step", "range", t.label)
	}
	if e := t.whole("warm", 0, 1<<30, &g.Trace.Warm); e != nil && g.Trace.Warm == 0 {
		g.Trace.Warm = -1
	}
	t.truth("timeline", &g.Trace.Timeline)
	t.done()
}

// sourceHint is for a source that there is not; a bar alone can be on a comparison.
func sourceHint(keys []string) string {
	if len(keys) > 1 {
		return `write source = "trace", in a bar also "ab", or leave the line out for what the run prints`
	}
	return `write source = "trace", or leave the line out for what the run prints`
}

// source reads where a number comes from: nil for what the run prints. Keys are those
// that say more of one of the atlas, and mean nothing else.
func (f *fields) source(t *Trace, keys ...string) *entry {
	e := f.table.get("source")
	var word string
	if f.choice("source", &word, sourceHint(keys), SourceTrace) == nil {
		for _, key := range keys {
			f.know(key)
			if more := f.table.get(key); more != nil && e == nil {
				f.add(more.span, `add source = "trace", or leave the line out`, "%q in %s means nothing without %q", key, f.label, "source")
			}
		}
		return nil
	}
	if t == nil {
		f.add(e.value.span, "add [gate.trace] to the gate", "%q in %s needs %s beside it", "source", f.label, "[gate.trace]")
	}
	return e
}

// atlas reads what a number of the atlas is of; nil for a number that is printed. A
// metric's name says it where measure does not.
func (f *fields) atlas(metric *entry, t *Trace, unit *string) *Atlas {
	if f.source(t, "measure", "stage", "kernel") == nil {
		return nil
	}
	a := &Atlas{}
	f.notOfAtlas("pattern", "unit")
	a.Stage = f.stageOf(t)
	_, kernel := f.expression("kernel", `'kda_fast_.*'`, &a.Kernel)
	measure := f.text("measure", `"launches"`, &a.Measure)
	switch {
	case measure == nil && kernel != nil:
		a.Measure = "launches"
	case measure == nil && metric != nil:
		measure, a.Measure = metric, metric.value.text
	}
	if kernel != nil && a.Measure != "launches" && a.Measure != "graph-kernels" {
		f.add(kernel.span, "leave it out, or measure", "%q in %s picks launches or graph-kernels, and nothing else is known by kernel", "kernel", f.label)
	}
	m, ok := trace.MeasureOf(a.Measure)
	if ok && m.Only && f.table.get("stage") == nil {
		a.Stage = trace.WholeRun
	}
	f.otherMeasure(metric, a)
	if measure != nil && !ok {
		otherwise := "there are " + list(trace.MeasureNames())
		if measure == metric {
			otherwise = `say what it is by measure = "launches", or count kernels by kernel = 'NAME'; ` + otherwise
		}
		f.bad(measure, meant(a.Measure, trace.MeasureNames(), otherwise), "is no number of the atlas: %s", quoted(a.Measure))
	}
	if ok && m.Card && t != nil && !t.Timeline {
		f.add(f.table.get("source").span, "add timeline = true to [gate.trace]", "%s in %s is a time of the card, and none are taken", quoted(a.Measure), f.label)
	}
	if ok && m.Only && a.Stage != trace.WholeRun {
		f.add(f.table.get("source").span, fmt.Sprintf("write stage = %q", trace.WholeRun), "%s in %s is of the whole run, and is not noted by stages", quoted(a.Measure), f.label)
	}
	*unit = m.Unit
	return a
}

// otherMeasure reports a metric that is called as a number of the atlas which it is not.
func (f *fields) otherMeasure(metric *entry, a *Atlas) {
	if metric == nil {
		return
	}
	name := metric.value.text
	if _, is := trace.MeasureOf(name); is && (a.Measure != name || a.Kernel != "") {
		f.bad(metric, "give it a name of its own", "is the name of another number of the atlas: %s", quoted(name))
	}
}

// notOfAtlas reports keys that are for numbers that are printed.
func (f *fields) notOfAtlas(keys ...string) {
	for _, key := range keys {
		if e := f.take(key); e != nil {
			f.add(e.span, "leave it out", "%q in %s means nothing for a number of the atlas", key, f.label)
		}
	}
}

// stageOf reads which stage a number is of.
func (f *fields) stageOf(t *Trace) string {
	stage := t.stage()
	e := f.text("stage", `"step"`, &stage)
	if e == nil || t == nil {
		return stage
	}
	var there []string
	switch {
	case t.Step != "":
		there = []string{trace.LineStep, trace.WholeRun}
	case t.Range != "":
		there = []string{t.Range, trace.WholeRun}
	}
	if there != nil && !slices.Contains(there, stage) {
		f.bad(e, meant(stage, there, "there are "+strings.Join(there, ", ")), "is none that [gate.trace] makes: %s", quoted(stage))
	}
	return stage
}

// CounterName is a metric's name as a witness's relation writes it, which has no - and
// no dots.
func CounterName(metric string) string {
	return strings.NewReplacer("-", "_", ".", "_").Replace(metric)
}

// AtlasCounters are the counters of the atlas that a witness of the gate may name: the
// bars and metrics that are counted by it, by their names, and what else it counts, of
// the stage of the witness.
func (g *Gate) AtlasCounters(w Witness) map[string]Atlas {
	out := make(map[string]Atlas)
	g.eachCounter(w, func(name string, a Atlas) { out[name] = a })
	return out
}

// eachCounter gives each meaning of each name, what the gate says last.
func (g *Gate) eachCounter(w Witness, give func(name string, a Atlas)) {
	for _, name := range trace.MeasureNames() {
		a := Atlas{Measure: name, Stage: w.Stage}
		if m, _ := trace.MeasureOf(name); m.Only {
			a.Stage = trace.WholeRun
		}
		give(CounterName(name), a)
	}
	for _, b := range g.Bars {
		if b.Atlas != nil {
			give(CounterName(b.Metric), *b.Atlas)
		}
	}
	for _, m := range g.Metrics {
		if m.Atlas != nil {
			give(CounterName(m.Name), *m.Atlas)
		}
	}
}

// meanings are what a name in a relation may be; more than one is one too many.
func (g *Gate) meanings(w Witness, name string) (texts []string) {
	g.eachCounter(w, func(n string, a Atlas) {
		text := a.Measure + " of " + a.Stage
		if a.Kernel != "" {
			text += " by " + a.Kernel
		}
		if n == name && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	})
	return texts
}

// expression reads a regular expression under any key.
func (f *fields) expression(key, example string, into *string) (*regexp.Regexp, *entry) {
	e := f.text(key, example, into)
	if e == nil {
		return nil, nil
	}
	re, err := regexp.Compile(e.value.text)
	if err != nil {
		f.noExpression(e, err)
		return nil, e
	}
	return re, e
}
