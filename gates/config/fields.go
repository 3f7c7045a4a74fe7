package config

import (
	"fmt"
	"slices"
	"strings"
)

// fields reads one table. Every key that is asked for is known; done reports
// the others. So what the format knows is said once, by reading it.
//
// The readers return the entry they found, or nil where the key is missing or
// its value cannot be used; the second has been reported then.
type fields struct {
	*layer
	place place
	label string // as messages call the table
	table *value

	known    []string // keys that may stand here
	reported []string // keys that may not, and of which that has been said
}

func (l *layer) fields(at place, label string, table *value) *fields {
	return &fields{layer: l, place: at, label: label, table: table}
}

// take returns the entry of a key, and makes the key known.
func (f *fields) take(key string) *entry {
	f.know(key)
	return f.table.get(key)
}

// know makes a key one of those that a misspelt one is compared with.
func (f *fields) know(key string) {
	if !slices.Contains(f.known, key) {
		f.known = append(f.known, key)
	}
}

// done reports the keys that nobody asked for.
func (f *fields) done() {
	for _, e := range f.table.keys {
		if slices.Contains(f.known, e.key) || slices.Contains(f.reported, e.key) || f.full() {
			continue
		}
		hint := meant(e.key, f.known, "known here: "+list(f.known))
		if where := f.belongs(e.key); where != "" {
			hint = where
		}
		f.add(e.span, hint, "unknown key %s in %s", quoted(e.key), f.label)
	}
}

// belongs says where a key goes that is known, and not here. In TOML every line
// below a [table] is that table's, so keys of the file itself end up in the last
// one when they are added at the end.
func (f *fields) belongs(key string) string {
	switch key {
	case "links":
		return "it belongs at the top of the file, above the first [table]"
	case "lock-dir":
		return "it belongs at the top of the machine's or your own file, above the first [table]"
	case "wait":
		return "it belongs in [build], for the link lock, or in [gpu], for a card"
	case "serialize":
		return "it belongs in [build]"
	case "headroom", "harmless":
		return "it belongs in [gpu]"
	case "carry", "memory", "cpus":
		return "it belongs in [gate.slurm], of one gate"
	case "account", "qos", "gres", "in-flight", "attempts":
		return "it belongs in [slurm]"
	}
	return ""
}

// need reports a key that must be there and is not; example is its value.
func (f *fields) need(key, example string) bool {
	return f.needOr(key, example, "")
}

// needOr is need with a way to do without the key, which the hint ends with.
func (f *fields) needOr(key, example, without string) bool {
	f.know(key)
	if f.table.get(key) != nil {
		return true
	}
	f.add(f.table.span, fmt.Sprintf("add %s = %s%s", key, example, without), "%s has no %q", f.label, key)
	return false
}

// wrong reports a value of the wrong type.
func (f *fields) wrong(e *entry, want, example string) {
	f.add(e.value.span, "write "+example, "%s in %s must be %s, not %s", quoted(e.key), f.label, want, e.value)
}

// bad reports a value of the right type that cannot be meant.
func (f *fields) bad(e *entry, hint, format string, args ...any) {
	f.add(e.value.span, hint, "%s in %s %s", quoted(e.key), f.label, fmt.Sprintf(format, args...))
}

// note records where a value came from.
func (f *fields) note(e *entry) {
	at := f.place.in(e.key)
	f.config.origins[at.key] = setting{
		Origin: Origin{f.name, f.line(e.span.from)},
		word:   at.word, text: f.report.text, span: e.value.span,
	}
}

// text reads a string that must not be empty and that a program can be given.
func (f *fields) text(key, example string, into *string) *entry {
	e := f.take(key)
	switch {
	case e == nil:
		return nil
	case e.value.kind != isString:
		f.wrong(e, "a string", fmt.Sprintf("%s = %s", key, example))
	case e.value.text == "":
		f.bad(e, fmt.Sprintf("write %s = %s", key, example), "is empty")
	case strings.Contains(e.value.text, "\x00"):
		f.bad(e, "", "has a NUL byte in it")
	default:
		f.note(e)
		*into = e.value.text
		return e
	}
	return nil
}

// title reads a name for people. Blanks alone are none.
func (f *fields) title(key, example string, into *string) *entry {
	e := f.text(key, example, into)
	if e != nil && strings.TrimSpace(e.value.text) == "" {
		f.bad(e, fmt.Sprintf("write %s = %s", key, example), "is blank")
		return nil
	}
	return e
}

// word reads a name of letters, digits, "-", "_" and ".".
func (f *fields) word(key, example string, into *string) *entry {
	e := f.text(key, example, into)
	if e == nil || isWord(e.value.text) {
		return e
	}
	f.badWord(e.value, key)
	return nil
}

func (f *fields) badWord(v *value, key string) {
	f.add(v.span, "use letters, digits, - _ and .", "%q in %s is no name: %s", key, f.label, quoted(v.text))
}

func isWord(s string) bool {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-_.", r):
		default:
			return false
		}
	}
	return s != ""
}

// texts reads an array of strings, of which none may be empty.
func (f *fields) texts(key, example string) (*entry, []*value) {
	e := f.take(key)
	if e == nil {
		return nil, nil
	}
	usage := fmt.Sprintf("%s = %s", key, example)
	if e.value.kind != isArray {
		f.wrong(e, "an array of strings", usage)
		return nil, nil
	}
	for _, item := range e.value.items {
		if item.kind != isString || item.text == "" {
			f.add(item.span, "write "+usage, "%q in %s must hold strings that are not empty, not %s", key, f.label, item)
			return nil, nil
		}
	}
	f.note(e)
	return e, e.value.items
}

// sub returns the table under a key, ready to be read.
func (f *fields) sub(key, example string) *fields {
	e := f.take(key)
	if e == nil {
		return nil
	}
	if e.value.kind != isTable {
		f.wrong(e, "a table", example)
		return nil
	}
	at := f.place.in(key)
	label := fmt.Sprintf("[%s]", at.word)
	if f.place.word == "gate" {
		label += " of " + f.label
	}
	return f.fields(at, label, e.value)
}

// tables returns the tables of a list of them.
func (f *fields) tables(key string) []*value {
	e := f.take(key)
	if e == nil {
		return nil
	}
	header := fmt.Sprintf("[[%s]]", f.place.in(key).word)
	if e.value.kind != isArray {
		f.wrong(e, "a list of tables", header+" above its lines")
		return nil
	}
	for _, item := range e.value.items {
		if item.kind != isTable {
			f.add(item.span, "write "+header+" above its lines", "%q in %s must hold tables, not %s", key, f.label, item)
			return nil
		}
	}
	return e.value.items
}
