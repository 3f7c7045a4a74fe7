package config

import (
	"fmt"
	"math"
	"strconv"
)

// Axis is one dimension of the shapes a gate covers, held against those that
// production uses. A point is an int64, a float64 or a string.
type Axis struct {
	Covered, Production []any
}

// Fault is a planted defect that the gate must notice. The last three are
// read as text.
type Fault struct {
	Name        string
	Patch       string // relative to Root
	MustMove    string // a metric
	MustNotMove string // a metric
	Must        string
}

func (f *fields) faults(g *Gate) {
	seen := make(map[string]int)
	for _, table := range f.tables("fault") {
		t := f.item("fault", "name", table)
		var fault Fault
		t.need("name", `"double-exp"`)
		if e := t.word("name", `"double-exp"`, &fault.Name); e != nil {
			t.once(e, seen, "a second fault %s, the first is on line %d")
		}
		t.need("patch", `"faults/double-exp.patch"`)
		if e := t.text("patch", `"faults/double-exp.patch"`, &fault.Patch); e != nil {
			t.inside(e, e.value)
		}
		t.word("must-move", `"worst-rel"`, &fault.MustMove)
		t.word("must-not-move", `"one-chunk-rel"`, &fault.MustNotMove)
		t.text("must", `"fail"`, &fault.Must)
		t.done()
		g.Faults = append(g.Faults, fault)
	}
}

const axisExample = "{ covered = [1, 2, 4], production = [32] }"

// scope reads the axes, whose names are the file's own.
func (f *fields) scope(g *Gate) {
	t := f.sub("scope", "[gate.scope] above its lines")
	if t == nil {
		return
	}
	for _, e := range t.table.keys {
		if !isWord(e.key) {
			t.add(e.span, "use letters, digits, - _ and .", "%s in %s is no name", quoted(e.key), t.label)
			continue
		}
		axis := t.sub(e.key, fmt.Sprintf("%s = %s; a key of the gate itself stands above the gate's first sub-table", e.key, axisExample))
		if axis == nil {
			continue
		}
		axis.label = fmt.Sprintf("%q of %s", e.key, t.label)
		if g.Scope == nil {
			g.Scope = make(map[string]Axis)
		}
		g.Scope[e.key] = Axis{Covered: axis.points("covered"), Production: axis.points("production")}
		axis.done()
		t.note(e)
	}
}

// points reads the places on an axis.
func (f *fields) points(key string) []any {
	if !f.need(key, "[1, 2, 4]") {
		return nil
	}
	e := f.take(key)
	switch {
	case e.value.kind != isArray:
		f.wrong(e, "an array of numbers or strings", key+" = [1, 2, 4]")
		return nil
	case len(e.value.items) == 0:
		f.bad(e, "write "+key+" = [1, 2, 4]", "is empty")
		return nil
	}
	var all []any
	for _, item := range e.value.items {
		p, err := point(item)
		if err != nil {
			f.add(item.span, "write "+key+" = [1, 2, 4]", "%q in %s %s", key, f.label, err)
			continue
		}
		all = append(all, p)
	}
	return all
}

func point(v *value) (any, error) {
	switch v.kind {
	case isString:
		return v.text, nil
	case isFloat:
		return parseNumber(v)
	case isInteger:
		n, err := strconv.ParseInt(v.text, 0, 64)
		if err != nil {
			return nil, fmt.Errorf("must be at most %d", math.MaxInt64)
		}
		return n, nil
	}
	return nil, fmt.Errorf("must hold numbers or strings, not %s", v)
}
