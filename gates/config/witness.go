package config

import (
	"errors"
	"regexp"
	"slices"
	"strconv"

	"gpuci/gates/expr"
)

// Witness is a relation between counters that the gate prints.
type Witness struct {
	Name    string // "" where none is given
	Pattern string // its named groups are the counters
	Holds   string // in the language of package expr
}

func (f *fields) witnesses(g *Gate) {
	for i, t := range f.tables("witness") {
		w := f.item("witness", "name", t)
		w.place = f.place.named("witness", strconv.Itoa(i+1))
		g.Witnesses = append(g.Witnesses, w.witness(g.Reader == countersReader))
		w.done()
	}
}

// witness reads one. Where the reader reads counters by their names, it needs no
// pattern.
func (f *fields) witness(named bool) Witness {
	var w Witness
	f.word("name", `"took-the-fused-path"`, &w.Name)
	const example = `'fused=(?P<fused>\d+)/(?P<asked>\d+)'`
	if !named {
		f.needOr("pattern", example, `; with reader = "counters" a line's key=number words are the counters`)
	}
	re, e := f.pattern(example, &w.Pattern)
	if re != nil && len(groups(re)) == 0 {
		f.bad(e, `name the counters: (?P<fused>\d+)`, "has no named group, so there is nothing to hold against anything")
		re = nil
	}
	f.need("holds", `"fused == asked"`)
	if e := f.text("holds", `"fused == asked"`, &w.Holds); e != nil {
		f.relation(e, re)
	}
	return w
}

// relation checks what must hold; re is nil where the pattern is wrong itself.
func (f *fields) relation(e *entry, re *regexp.Regexp) {
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
