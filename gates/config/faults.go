package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault is a planted defect that the gate must notice. It is planted in one of
// three ways: by a patch, a replacement or commands.
type Fault struct {
	Name    string
	Patch   string    // relative to Root; "" for none
	Replace *Replace  // nil for none
	Command []Command // run in the directory of the gate; nil for none

	MustMove    string   // a Selector of a metric with a bar; "" for none
	Margin      float64  // how many times its bar MustMove must come to, at least 1; 0 without MustMove
	MustNotMove []string // Selectors of metrics
	Must        string   // how else it shows: one of the Must words, with a name after a colon where it has one
}

// Replace is a text of a file that stands there Count times, and what comes in
// its place.
type Replace struct {
	File     string // relative to Root
	From, To string
	Count    int // at least 1
}

// How a fault shows that no metric does. The last four take a name after a colon;
// MustBroken can go without.
const (
	MustRed     = "red"         // however it is red
	MustTime    = "out-of-time" // it hangs
	MustFail    = "test-failed" // a test of this name fails
	MustWitness = "witness"     // a witness of this name, or of this relation, does not hold
	MustBroken  = "broken"      // the gate cannot say, and this is in a reason for it
	MustFind    = "finding"     // this is in a reason for the outcome, or is its kind
)

// defaultMargin is far beyond what rounding or another compiler does to a number,
// and what a gate sees only by such a margin it sees on any machine.
const defaultMargin = 100

func (f *fields) faults(g *Gate) {
	seen := make(map[string]int)
	for _, table := range f.tables("fault") {
		t := f.item("fault", "name", table)
		var fault Fault
		t.need("name", `"double-exp"`)
		if e := t.word("name", `"double-exp"`, &fault.Name); e != nil {
			t.once(e, seen, "a second fault %s, the first is on line %d")
		}
		t.planted(&fault)
		t.mustMove(g, &fault)
		t.mustNotMove(&fault)
		t.must(g, &fault)
		if t.table.get("must-move") == nil && t.table.get("must") == nil {
			t.add(t.table.span, `add must-move = "worst-rel", or must = "red"`, "%s says neither must-move nor must, so nothing could show that it is caught", t.label)
		}
		t.done()
		g.Faults = append(g.Faults, fault)
	}
}

// planted reads how it gets into the source.
func (f *fields) planted(fault *Fault) {
	if e := f.text("patch", `"faults/double-exp.patch"`, &fault.Patch); e != nil {
		f.inside(e, e.value)
	}
	fault.Replace = f.replace()
	fault.Command = f.commands("command")
	var ways []*entry
	for _, key := range []string{"patch", "replace", "command"} {
		if e := f.table.get(key); e != nil {
			ways = append(ways, e)
		}
	}
	switch {
	case len(ways) == 0:
		f.add(f.table.span, `add patch = "faults/double-exp.patch", or replace, or command`, "%s has neither patch nor replace nor command, so that nothing is planted", f.label)
	case len(ways) > 1:
		f.add(ways[1].span, "make two faults of them", "%q and %q in %s are two ways to plant it", ways[0].key, ways[1].key, f.label)
	}
}

// replace reads a counted replacement.
func (f *fields) replace() *Replace {
	const example = `{ file = "src/kernel.cu", from = "exp(g)", to = "exp(exp(g))", count = 1 }`
	t := f.sub("replace", "replace = "+example)
	if t == nil {
		return nil
	}
	t.label = fmt.Sprintf("%q of %s", "replace", f.label)
	r := &Replace{Count: 1}
	t.need("file", `"src/kernel.cu"`)
	if e := t.text("file", `"src/kernel.cu"`, &r.File); e != nil {
		t.inside(e, e.value)
	}
	t.need("from", `"exp(g)"`)
	from := t.text("from", `"exp(g)"`, &r.From)
	t.need("to", `"exp(exp(g))"`)
	to := t.take("to") // what is replaced by nothing is left out
	switch {
	case to == nil:
	case to.value.kind != isString:
		t.wrong(to, "a string", `to = "exp(exp(g))"`)
	default:
		t.note(to)
		if r.To = to.value.text; from != nil && r.To == r.From {
			t.bad(to, "write what is wrong in place of what is right", "is what stands there already")
		}
	}
	t.whole("count", 1, maxCount, &r.Count)
	t.done()
	return r
}

// maxCount bounds how often a text can stand in one file.
const maxCount = 1 << 20

// mustMove reads the metric by which the gate must go red.
func (f *fields) mustMove(g *Gate, fault *Fault) {
	e := f.text("must-move", `"worst-rel"`, &fault.MustMove)
	margin, at := f.number("margin", "10")
	if e != nil {
		s, ok := f.selector(e, e.value)
		var barred []string
		for _, b := range g.Bars {
			barred = append(barred, b.Metric)
		}
		if ok && !slices.Contains(barred, s.Metric) {
			f.bad(e, meant(s.Metric, barred, "name one that has a [[gate.bar]], or add one"), "names %s, which has no bar to go red by", quoted(s.Metric))
		}
		fault.Margin = defaultMargin
	}
	switch {
	case at == nil:
	case f.table.get("must-move") == nil:
		f.add(at.span, "add must-move, or leave the line out", "%q in %s means nothing without %q", at.key, f.label, "must-move")
	case *margin < 1:
		f.bad(at, "write margin = 1 for whatever crosses the bar", "must be at least 1: the gate is not red below its bar")
	default:
		fault.Margin = *margin
	}
}

// mustNotMove reads one metric, or several.
func (f *fields) mustNotMove(fault *Fault) {
	const key, example = "must-not-move", `["one-chunk-rel", "worst-rel term=d_q"]`
	e := f.take(key)
	if e == nil {
		return
	}
	items := []*value{e.value}
	if e.value.kind == isArray {
		if e, items = f.texts(key, example); e == nil {
			return
		}
	} else {
		var one string
		if e = f.text(key, `"one-chunk-rel"`, &one); e == nil {
			return
		}
	}
	for _, item := range items {
		if _, ok := f.selector(e, item); !ok {
			continue
		}
		if item.text == fault.MustMove {
			f.add(item.span, "leave it out of one of the two", "%s in %s must move and must not", quoted(item.text), f.label)
			continue
		}
		fault.MustNotMove = append(fault.MustNotMove, item.text)
	}
}

// must reads how a fault shows that moves no metric.
func (f *fields) must(g *Gate, fault *Fault) {
	const hint = `write must = "red", "out-of-time", "test-failed:NAME", "witness:RELATION", "broken:nan" or "finding:race"`
	e := f.text("must", `"red"`, &fault.Must)
	if e == nil {
		return
	}
	word, name, named := strings.Cut(fault.Must, ":")
	words := []string{MustRed, MustTime, MustFail, MustWitness, MustBroken, MustFind}
	switch {
	case !slices.Contains(words, word):
		f.bad(e, meant(word, words, hint), "cannot be %s", quoted(fault.Must))
	case (word == MustRed || word == MustTime) && named, word != MustRed && word != MustTime && word != MustBroken && !named, named && strings.TrimSpace(name) == "":
		f.bad(e, hint, "cannot be %s", quoted(fault.Must))
	case word == MustWitness && !slices.ContainsFunc(g.Witnesses, func(w Witness) bool { return w.Is(name) }):
		f.bad(e, meant(name, g.witnessNames(), "name one of its [[gate.witness]], by its name or its relation"), "names no witness of the gate: %s", quoted(name))
	case word == MustFail && !Counts(g.Reader):
		f.bad(e, "give the gate a reader that names tests", "needs the names of tests, and the reader %s has none", quoted(g.Reader))
	}
}

// witnessNames are what its witnesses are called, each by its name or its relation.
func (g *Gate) witnessNames() (names []string) {
	for _, w := range g.Witnesses {
		names = append(names, cmp.Or(w.Name, w.Holds))
	}
	return names
}

// Is says whether a name, or a relation, is that of a witness.
func (w Witness) Is(name string) bool {
	return name == w.Name || strings.Join(strings.Fields(name), " ") == strings.Join(strings.Fields(w.Holds), " ")
}
