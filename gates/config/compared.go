package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Compared says that a bar is held by a comparison of the lane with its base, by the
// rules of [bank]: no worse by more than the noise.
type Compared struct {
	Measure string // of what the run prints, or one of RunTimes
	Base    string `json:",omitempty"` // an arm as gpuci ab has it; "" for where the lane left the base branch
}

// SourceAB is the source of a bar on what a comparison comes to.
const SourceAB = "ab"

// RunTimes are times that every run has: of its run step by the clock, and of the
// processors. Package ab measures them.
func RunTimes() []string { return []string{"run-wall", "run-cpu"} }

// armForm is that of an arm that can be a base.
var armForm = regexp.MustCompile(`^(\.(,|$)|(commit|lane|env|args|config):.)`)

// isAB says whether the table is of a bar on what a comparison comes to.
func (f *fields) isAB() bool {
	e := f.table.get("source")
	return e != nil && e.value.kind == isString && e.value.text == SourceAB
}

// compared reads such a bar, but for its name.
func (f *fields) compared(g *Gate, b *Bar, metric *entry, measures map[string]*entry) {
	source := f.take("source")
	f.note(source)
	b.AB, b.MinMatches = &Compared{}, 1
	f.need("measure", `"step-ms"`)
	measure := f.word("measure", `"step-ms"`, &b.AB.Measure)
	f.choice("better", &b.Better, `write better = "lower" or better = "higher"`, BetterLower, BetterHigher)
	f.armBase(b.AB)
	for _, key := range []string{"pattern", "unit", "min", "max", "within", "since", "floor", "parts", "tolerance", "min-matches", "stage", "kernel"} {
		if e := f.take(key); e != nil {
			f.add(e.span, "leave it out: [bank] has the rules", "%q in %s means nothing for a comparison with the base", key, f.label)
		}
	}
	if measure != nil && metric != nil && metric.value.text == measure.value.text {
		f.bad(metric, "give it a name of its own, as "+quoted("base-"+b.AB.Measure), "is the name of the number that is compared")
	}
	if measure != nil {
		measures[b.AB.Measure] = measure
	}
	if g.Profile == "debug" {
		f.add(source.value.span, `write profile = "release" in the gate, and build that`, `%s could never say anything: the times of a gate of profile "debug" are not compared`, f.label)
	}
}

// countedMeasures reports measures that the atlas counts, which runs in no comparison. It
// comes when all numbers are read.
func (f *fields) countedMeasures(g *Gate, measures map[string]*entry) {
	atlas := make(map[string]bool)
	for _, b := range g.Bars {
		atlas[b.Metric] = b.Atlas != nil
	}
	for _, m := range g.Metrics {
		atlas[m.Name] = m.Atlas != nil
	}
	for _, name := range slices.Sorted(maps.Keys(measures)) {
		if atlas[name] {
			f.add(measures[name].value.span, "compare by a number that the run prints, or by "+strings.Join(RunTimes(), ", "),
				"%s is counted by the atlas, which counts nothing in a comparison: to be counted takes time", quoted(name))
		}
	}
}

// armBase reads what the lane is held against.
func (f *fields) armBase(c *Compared) {
	const hint = `write base = "commit:v1.2", "lane:L", "env:K=V", "args:--tile 32" or "config:FILE:FROM=>TO", or leave the line out for where the lane left the base branch`
	e := f.text("base", `"commit:v1.2"`, &c.Base)
	switch {
	case e == nil:
	case !armForm.MatchString(c.Base):
		f.bad(e, hint, "is no arm: %s", quoted(c.Base))
	case c.Base == ".":
		f.bad(e, hint, "is the lane itself, so nothing could be worse than it")
	}
}

// compared writes what such a bar is held by.
func (p *printer) compared(b Bar) {
	p.line("source", tomlString(SourceAB))
	p.line("measure", tomlString(b.AB.Measure))
	p.optional("better", b.Better)
	p.optional("base", b.AB.Base)
}
