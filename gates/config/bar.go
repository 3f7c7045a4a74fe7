package config

import (
	"fmt"
	"time"
)

// Bar is a limit on a number.
type Bar struct {
	Metric  string
	Pattern string   // with a group `value`; "" where the gate or a Metric gives the number
	Min     *float64 // nil for none
	Max     *float64
	Unit    string // "" where nothing is said
	Atlas   *Atlas `json:",omitempty"` // what the atlas is to count for it; nil where the run prints it

	AB *Compared `json:",omitempty"` // the comparison with the base that holds it; nil for a limit on a number

	Within float64   // share by which it may be worse than its reference, over 0; 0 for none
	Better string    // BetterLower or BetterHigher: of Within and AB which way is worse; "" without
	Since  time.Time // greens before this are no reference; zero for any
	Floor  *float64  // below it the instrument cannot say; nil for none

	Parts     []string // metrics that must add up to this one
	Tolerance float64  // share of the whole, 0 to 1, that the sum may be off; 0 without Parts

	MinMatches int // numbers there must be, at least 1
}

// Metric is a number that is read and recorded, but not judged.
type Metric struct {
	Name    string
	Pattern string // "" with Atlas
	Unit    string
	Atlas   *Atlas `json:",omitempty"` // as of a Bar
}

// defaultTolerance is what timing a whole and its parts apart costs: clocks,
// launches and the glue between the parts.
const defaultTolerance = 0.05

// said is what the bars and metrics of a gate have said so far about each
// number: two patterns or two units for one would mean two things.
type said struct {
	bars, patterns map[string]int // lines
	units          map[string]*entry
	measures       map[string]*entry // of comparisons
	trace          *Trace            // of the gate
}

// metrics reads the bars and the metrics of a gate.
func (f *fields) metrics(g *Gate) {
	s := said{make(map[string]int), make(map[string]int), make(map[string]*entry), make(map[string]*entry), g.Trace}
	for _, t := range f.tables("bar") {
		b := f.item("bar", "metric", t)
		g.Bars = append(g.Bars, b.bar(g, s))
		b.done()
	}
	for _, t := range f.tables("metric") {
		m := f.item("metric", "metric", t)
		g.Metrics = append(g.Metrics, m.metric(s))
		m.done()
	}
	f.countedMeasures(g, s.measures)
}

// item returns the fields of one of a gate's tables, which a key names.
func (f *fields) item(word, key string, table *value) *fields {
	name, label := "", fmt.Sprintf("[[gate.%s]]", word)
	if e := table.get(key); e != nil && e.value.kind == isString {
		name = e.value.text
		label += " " + quoted(name)
	}
	return f.fields(f.place.named(word, name), label+" of "+f.label, table)
}

// once reports a name that comes a second time.
func (f *fields) once(e *entry, seen map[string]int, format string) bool {
	name := e.value.text
	if first, ok := seen[name]; ok {
		hint := "keep one of the two"
		if f.table.get("source") != nil {
			hint += `, or give it a name of its own, and measure = "launches"`
		}
		f.add(e.value.span, hint, format, quoted(name), first)
		return false
	}
	seen[name] = f.line(e.value.span.from)
	return true
}

// sameUnit reports a second unit for a metric, at whichever of the two stands
// further down: all bars are read before the metrics.
func (f *fields) sameUnit(metric, unit *entry, units map[string]*entry) {
	if metric == nil || unit == nil {
		return
	}
	name := metric.value.text
	first, ok := units[name]
	if !ok {
		units[name] = unit
		return
	}
	second := unit
	if second.span.from < first.span.from {
		first, second = second, first
	}
	if a, b := first.value.text, second.value.text; a != b {
		f.add(second.value.span, "give it one unit, or leave one of the two lines out",
			"a second unit for %s: %s, but %s on line %d", quoted(name), quoted(b), quoted(a), f.line(first.span.from))
	}
}

const (
	secondBar     = "a second bar on %s, the first is on line %d"
	secondPattern = "a second pattern for %s, the first is on line %d"
)

func (f *fields) bar(g *Gate, s said) Bar {
	b := Bar{MinMatches: 1}
	f.need("metric", `"worst-rel"`)
	metric := f.word("metric", `"worst-rel"`, &b.Metric)
	if f.isAB() {
		if f.compared(g, &b, metric, s.measures); metric != nil && f.once(metric, s.bars, secondBar) {
			f.once(metric, s.patterns, secondPattern)
		}
		return b
	}
	pattern := f.numberPattern(&b.Pattern)
	if metric != nil && f.once(metric, s.bars, secondBar) && pattern != nil {
		f.once(metric, s.patterns, secondPattern)
	}
	if b.Atlas = f.atlas(metric, s.trace, &b.Unit); b.Atlas != nil && metric != nil && pattern == nil {
		f.once(metric, s.patterns, secondPattern)
	}
	f.within(&b)
	f.bounds(&b)
	if b.Atlas != nil {
		f.notOfAtlas("parts", "tolerance")
	} else {
		f.sameUnit(metric, f.unit(&b.Unit), s.units)
		f.parts(&b)
	}
	f.whole("min-matches", 1, 1<<30, &b.MinMatches)
	return b
}

func (f *fields) bounds(b *Bar) {
	b.Min, _ = f.number("min", "0.5")
	least := f.table.get("min")
	most := f.table.get("max")
	b.Max, _ = f.number("max", "2e-5")
	switch {
	case least == nil && most == nil && f.table.get("within") == nil:
		f.add(f.table.span, `add max = 2e-5, or min, or within = "5%"`, "%s has neither min nor max nor within, so nothing could cross it", f.label)
	case b.Min != nil && b.Max != nil && *b.Min > *b.Max:
		f.bad(most, "swap them", "is below min, so that nothing could hold it")
	}
}

// parts reads the metrics that must add up to this one.
func (f *fields) parts(b *Bar) {
	e, items := f.texts("parts", `["fwd-ms", "bwd-ms"]`)
	seen := make(map[string]bool)
	for _, item := range items {
		switch {
		case !isWord(item.text):
			f.badWord(item, "parts")
		case item.text == b.Metric:
			f.add(item.span, "leave it out", "%q in %s names the whole itself", "parts", f.label)
		case seen[item.text]:
			f.add(item.span, "leave it out", "%q in %s names %s twice", "parts", f.label, quoted(item.text))
		default:
			seen[item.text] = true
			b.Parts = append(b.Parts, item.text)
		}
	}
	if e != nil && len(items) == 0 {
		f.bad(e, `write parts = ["fwd-ms", "bwd-ms"], or leave the line out`, "is empty")
	}
	f.tolerance(b)
}

func (f *fields) tolerance(b *Bar) {
	share, e := f.number("tolerance", "0.05")
	switch {
	case f.table.get("parts") == nil:
		if e != nil {
			f.add(e.span, "add parts, or leave the line out", "%q in %s means nothing without %q", e.key, f.label, "parts")
		}
	case e == nil:
		b.Tolerance = defaultTolerance
	case *share < 0 || *share > 1:
		f.bad(e, "write tolerance = 0.05 for five percent", "must be a share from 0 to 1")
	default:
		b.Tolerance = *share
	}
}

func (f *fields) metric(s said) Metric {
	var m Metric
	f.need("metric", `"worst-rel"`)
	e := f.word("metric", `"worst-rel"`, &m.Name)
	if m.Atlas = f.atlas(e, s.trace, &m.Unit); m.Atlas == nil {
		f.needOr("pattern", `'worst rel (?P<value>[0-9.eE+-]+)'`,
			"; a number that the gate prints as a gpuci:metric line is recorded without an entry")
		f.numberPattern(&m.Pattern)
		f.sameUnit(e, f.unit(&m.Unit), s.units)
	}
	if e != nil {
		f.once(e, s.patterns, secondPattern)
	}
	return m
}
