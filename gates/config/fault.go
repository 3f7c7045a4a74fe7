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
	Shown               bool `json:",omitempty"` // what is covered is what the run's gpuci:scope lines show
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
		g.Scope[e.key] = axis.readAxis()
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
	if e.value.kind == isString {
		if all, ok := f.placeRange(e); ok {
			return all
		}
	}
	switch {
	case e.value.kind != isArray:
		hint := placesHint(e, fmt.Sprintf(`write %s = [1, 2, 4], or a range: %[1]s = "1..32"`, key))
		f.add(e.value.span, hint, "%s in %s must be an array of numbers or strings, or a range, not %s", quoted(key), f.label, e.value)
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
