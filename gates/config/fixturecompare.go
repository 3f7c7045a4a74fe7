package config

import (
	"strings"
)

// comparison reads how the files are held against each other.
func (f *fields) comparison(x *Fixture) {
	compare := f.choice("compare", &x.Compare, `write compare = "bytes" (the same bytes) or "numbers" (the same numbers, within a tolerance)`, CompareBytes, CompareNumbers)
	format := f.choice("format", &x.Format, "the formats are "+strings.Join(Formats(), ", "), Formats()...)
	dtype := f.choice("dtype", &x.Type, "the types are "+strings.Join(Types(), ", "), Types()...)
	shape := f.text("shape", `"tests/fixtures/oracle.shape.json"`, &x.Shape)
	if shape != nil && f.inside(shape, shape.value) && strings.Count(x.Shape, "*") > 1 {
		f.bad(shape, "write one *, as in tests/fixtures/*.shape.json", "has more than one *: %s", quoted(x.Shape))
	}
	values, items := f.texts("values", `["loss"]`)
	for _, item := range items {
		x.Values = append(x.Values, item.text)
	}
	tolerance := f.table.get("tolerance")
	f.tolerances(x)
	if compare == nil && (tolerance != nil || values != nil || dtype != nil) && f.table.get("compare") == nil {
		x.Compare = CompareNumbers
	}
	if dtype != nil && format == nil {
		x.Format = "raw"
	}
	for _, other := range []*entry{tolerance, values} {
		if other != nil && compare != nil && x.Compare == CompareBytes {
			f.add(other.span, `write compare = "numbers"`, "%q in %s means nothing where bytes are compared", other.key, f.label)
		}
	}
	switch {
	case format != nil && x.Format == "raw" && f.table.get("dtype") == nil:
		f.add(format.span, `add dtype = "f32"`, "%q in %s needs %q beside it", "format", f.label, "dtype")
	case dtype != nil && x.Format != "raw":
		f.add(dtype.span, `write format = "raw", or leave the line out`, "%q in %s is for raw numbers; the others say their own", "dtype", f.label)
	case shape != nil && x.Format != "raw":
		f.add(shape.span, `add dtype = "f32", or leave the line out`, "%q in %s is for raw numbers; the others say their own", "shape", f.label)
	}
}

// tolerances reads rel and abs. One of 100 % would let zeros pass for everything.
func (f *fields) tolerances(x *Fixture) {
	t := f.sub("tolerance", "tolerance = { rel = 1e-6, abs = 1e-12 }")
	if t == nil {
		return
	}
	t.label = `"tolerance" of ` + f.label
	for _, key := range []struct {
		name string
		into *float64
	}{{"rel", &x.Rel}, {"abs", &x.Abs}} {
		n, e := t.number(key.name, "1e-6")
		switch {
		case n == nil:
		case *n < 0:
			t.bad(e, "write "+key.name+" = 1e-6", "must not be negative")
		case key.name == "rel" && *n >= 1:
			t.bad(e, "write rel = 1e-6", "must be below 1: zeros in place of all numbers would pass")
		default:
			*key.into = *n
		}
	}
	t.done()
	if x.Rel == 0 && x.Abs == 0 && len(t.table.keys) == 0 {
		f.add(t.table.span, "write tolerance = { rel = 1e-6 }, or leave it out", "%q in %s is empty", "tolerance", f.label)
	}
}
