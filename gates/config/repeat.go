package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Repeat says how often a gate's run is run, and what must not differ then. What
// passes in one run and fails in another is never allowed to.
type Repeat struct {
	Times     int                // at least 2
	Identical bool               // the printed text of every number that no Spread is for
	Files     []string           // globs of files that each run writes, relative to Root, ** being any directories: identical byte by byte
	Elements  string             // what the files hold: one of ElementTypes; "" for bytes
	Spread    map[string]float64 // by metric, "" being all others: the most that (max - min) / |median| may be, over 0
}

// ElementTypes are the little-endian numbers that a file can be said to hold, and
// their sizes in bytes.
func ElementTypes() map[string]int {
	return map[string]int{
		"f64": 8, "f32": 4, "f16": 2, "bf16": 2,
		"i64": 8, "i32": 4, "i16": 2, "i8": 1, "u64": 8, "u32": 4, "u16": 2, "u8": 1,
	}
}

// maxRuns is more often than anybody waits for: what differs once in a thousand
// runs is looked for by hand.
const maxRuns = 1000

func (f *fields) repeat(g *Gate) {
	r := &Repeat{Times: 2}
	times := f.whole("repeat", 2, maxRuns, &r.Times)
	f.identical(r)
	elements := f.elements(r)
	f.spread(r)
	given := f.table.get("repeat") != nil
	for _, key := range []string{"identical", "elements", "spread"} {
		if e := f.table.get(key); e != nil && !given {
			f.add(e.span, "add repeat = 5, or leave the line out", "%q in %s means nothing without %q", key, f.label, "repeat")
		}
	}
	if elements != nil && len(r.Files) == 0 && given {
		f.add(elements.span, `add identical = ["out/*.bin"], or leave the line out`, "%q in %s says what files hold, and %q names none", "elements", f.label, "identical")
	}
	if _, all := r.Spread[""]; all && r.Identical && len(r.Files) == 0 {
		f.add(f.table.get("spread").span, `write spread = { step-ms = "2%" } for the numbers that may differ`, "%q in %s is for every number, so that nothing is left to be identical", "spread", f.label)
	}
	if times != nil {
		g.Repeat = r
	}
}

// identical reads true, for numbers, or globs of files, for these as well.
func (f *fields) identical(r *Repeat) {
	const hint = `write identical = true for every number that is printed, or ["out/*.bin"] for these files, too`
	e := f.take("identical")
	switch {
	case e == nil:
	case e.value.kind == isBool:
		f.note(e)
		r.Identical = e.value.text == "true"
	case e.value.kind != isArray:
		f.add(e.value.span, hint, "%q in %s must be true, false or an array of globs, not %s", e.key, f.label, e.value)
	case len(e.value.items) == 0:
		f.bad(e, hint, "is empty")
	default:
		_, items := f.texts("identical", `["out/*.bin"]`)
		for _, item := range items {
			if !f.inside(e, item) {
				continue
			}
			if _, err := path.Match(item.text, ""); err != nil {
				f.add(item.span, "close the brackets", "%q in %s is no glob: %s", e.key, f.label, quoted(item.text))
				continue
			}
			if slices.ContainsFunc(strings.Split(item.text, "/"), func(s string) bool { return s != "**" && strings.Contains(s, "**") }) {
				f.add(item.span, "write ** between slashes, as in out/**/*.bin", "%q in %s has ** beside other letters: %s", e.key, f.label, quoted(item.text))
				continue
			}
			r.Files = append(r.Files, item.text)
		}
		r.Identical = true
	}
}

func (f *fields) elements(r *Repeat) *entry {
	e := f.text("elements", `"f32"`, &r.Elements)
	if e == nil {
		return nil
	}
	if _, ok := ElementTypes()[r.Elements]; !ok {
		f.bad(e, "write one of "+list(slices.Sorted(maps.Keys(ElementTypes()))), "names no type of numbers: %s", quoted(r.Elements))
	}
	return e
}

// spread reads one percentage for all numbers, or one for each.
func (f *fields) spread(r *Repeat) {
	e := f.take("spread")
	switch {
	case e == nil:
	case e.value.kind == isString:
		var share float64
		if f.percent("spread", "2%", &share) != nil {
			r.Spread = map[string]float64{"": share}
		}
	case e.value.kind != isTable:
		f.add(e.value.span, `write spread = "2%", or spread = { step-ms = "2%" }`, "%q in %s must be a percentage or a table of them, not %s", e.key, f.label, e.value)
	default:
		t := f.sub("spread", `spread = { step-ms = "2%" }`)
		r.Spread = make(map[string]float64)
		for _, of := range t.table.keys {
			if !isWord(of.key) {
				t.add(of.span, "use letters, digits, - _ and .", "%s in %s is no name of a metric", quoted(of.key), t.label)
				continue
			}
			var share float64
			if t.percent(of.key, "2%", &share) != nil {
				r.Spread[of.key] = share
			}
		}
		if len(t.table.keys) == 0 {
			f.bad(e, `write spread = { step-ms = "2%" }, or leave the line out`, "is empty")
		}
	}
}

// repeat writes the keys of a repeated gate.
func (p *printer) repeat(r *Repeat) {
	if r == nil {
		return
	}
	p.line("repeat", strconv.Itoa(r.Times))
	switch {
	case len(r.Files) > 0:
		p.strings("identical", r.Files)
	case r.Identical:
		p.line("identical", "true")
	}
	p.optional("elements", r.Elements)
	if share, all := r.Spread[""]; all {
		p.line("spread", tomlPercent(share))
	} else if len(r.Spread) > 0 {
		p.line("spread", tomlTable(slices.Sorted(maps.Keys(r.Spread)), func(name string) string { return tomlPercent(r.Spread[name]) }))
	}
}

// tomlTable writes an inline table.
func tomlTable(keys []string, of func(string) string) string {
	var text string
	for i, k := range keys {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s = %s", tomlKey(k), of(k))
	}
	return "{ " + text + " }"
}
