package config

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gpuci/gates/expr"
	"gpuci/kernels/trace"
)

// Witness is a relation between counters that the gate prints.
type Witness struct {
	Name    string // "" where none is given
	Pattern string // its named groups are the counters
	Holds   string // in the language of package expr
	Source  string `json:",omitempty"` // SourceTrace: it may name what the atlas counted, too, and needs no pattern
	Stage   string `json:",omitempty"` // of what the atlas counted
}

func (f *fields) witnesses(g *Gate) {
	for i, t := range f.tables("witness") {
		w := f.item("witness", "name", t)
		w.place = f.place.named("witness", strconv.Itoa(i+1))
		g.Witnesses = append(g.Witnesses, w.witness(g))
		w.done()
	}
}

// witness reads one. Where the reader reads counters by their names, or the atlas
// counts them, it needs no pattern.
func (f *fields) witness(g *Gate) Witness {
	var w Witness
	f.word("name", `"took-the-fused-path"`, &w.Name)
	if f.source(g.Trace, "stage") != nil {
		w.Source, w.Stage = SourceTrace, f.stageOf(g.Trace)
	}
	const example = `'fused=(?P<fused>\d+)/(?P<asked>\d+)'`
	if g.Reader != countersReader && f.table.get("source") == nil {
		f.needOr("pattern", example, `; with reader = "counters" a line's key=number words are the counters`)
	}
	re, e := f.pattern(example, &w.Pattern)
	if re != nil && len(groups(re)) == 0 {
		f.bad(e, `name the counters: (?P<fused>\d+)`, "has no named group, so there is nothing to hold against anything")
		re = nil
	}
	f.need("holds", `"fused == asked"`)
	if e := f.text("holds", `"fused == asked"`, &w.Holds); e != nil {
		f.relation(e, re, g, w)
	}
	return w
}

// relation checks what must hold; re is nil where the pattern is wrong itself.
func (f *fields) relation(e *entry, re *regexp.Regexp, g *Gate, w Witness) {
	x, err := expr.Parse(e.value.text)
	if err != nil {
		at := e.value.span
		var xe *expr.Error
		if errors.As(err, &xe) {
			at = e.value.piece(xe.Offset, xe.Offset+1)
			err = errors.New(xe.Msg)
		}
		f.add(at, `write a relation between counters, like "node_bwd > 0 && fused == asked"`, "%q in %s is no relation: %s", e.key, f.label, err)
		return
	}
	if len(x.Names()) == 0 {
		f.bad(e, "", "names no counter, so it could not fail")
		return
	}
	if !f.full() && alwaysHolds(x) {
		f.bad(e, `hold counters against each other or against a number, like "node_bwd > 0 && fused == asked"`,
			"holds for every value tried, so nothing could fail it")
	}
	if w.Source != "" {
		f.counted(e, x, re, g, w)
		return
	}
	if re == nil {
		return
	}
	for _, n := range x.Names() {
		if slices.Contains(groups(re), n.Text) {
			continue
		}
		hint := meant(n.Text, groups(re), "the groups are "+list(groups(re)))
		f.add(e.value.piece(n.Offset, n.Offset+len(n.Text)), hint, "%q in %s names %s, which is no group of its pattern", e.key, f.label, quoted(n.Text))
	}
}

// counted checks the names of a relation that may name what the atlas counted.
func (f *fields) counted(e *entry, x *expr.Expr, re *regexp.Regexp, g *Gate, w Witness) {
	var printed []string
	if re != nil {
		printed = groups(re)
	}
	counters, own := g.AtlasCounters(w), 0
	known := append(slices.Sorted(maps.Keys(counters)), printed...)
	for _, n := range x.Names() {
		at := e.value.piece(n.Offset, n.Offset+len(n.Text))
		a, is := counters[n.Text]
		m, _ := trace.MeasureOf(a.Measure)
		switch in := slices.Contains(printed, n.Text); {
		case in && is:
			f.add(at, "call the group otherwise", "%q in %s names %s, which is a group of its pattern and what the atlas counts", e.key, f.label, quoted(n.Text))
		case !in && !is:
			f.add(at, meant(n.Text, known, "the atlas has "+list(known)), "%q in %s names %s, which nothing counts", e.key, f.label, quoted(n.Text))
		case is && len(g.meanings(w, n.Text)) > 1:
			f.add(at, "say of which stage the witness is, or give the number a name of its own", "%q in %s names %s, which may be %s", e.key, f.label, quoted(n.Text), strings.Join(g.meanings(w, n.Text), " or "))
		case is && m.Kind == trace.TimeMeasure:
			f.add(at, "give it a bar", "%q in %s names %s, which is a time and no counter", e.key, f.label, quoted(n.Text))
		case is:
			own++
		}
	}
	if own == 0 && re != nil {
		f.add(f.table.get("source").span, "leave the line out", "%q in %s means nothing: its relation names nothing that the atlas counts", "source", f.label)
	}
}
