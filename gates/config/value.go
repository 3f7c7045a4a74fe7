package config

import (
	"fmt"
	"strings"
)

// kind is what a value is in TOML.
type kind int

const (
	isString kind = iota
	isInteger
	isFloat
	isBool
	isDate // any of TOML's four dates and times
	isArray
	isTable
)

// made is how a table or an array came to be, which decides what may be added
// to it further down in the file.
type made int

const (
	byValue  made = iota // written as a value: closed
	byPath               // named on the way to another table: may still get a header
	byHeader             // [table]: closed but for tables inside it
	byDots               // a.b = …: open to other dotted keys
	byList               // [[table]]: open to more of them
)

// value is one value of a document, and where it stands.
type value struct {
	kind  kind
	made  made
	span  span   // of a [table] its header
	text  string // a string's content; a number, a date or a truth as written
	body  span   // where a string's content is written letter for letter, if it is
	items []*value
	keys  []*entry // of a table, in the order of the file
	index map[string]*entry
}

// entry is one key of a table.
type entry struct {
	key   string
	span  span // of the key
	value *value
}

func newTable(m made, at span) *value {
	return &value{kind: isTable, made: m, span: at, index: make(map[string]*entry)}
}

func (v *value) get(key string) *entry { return v.index[key] }

func (v *value) set(key string, at span, to *value) {
	e := &entry{key, at, to}
	v.keys = append(v.keys, e)
	v.index[key] = e
}

// piece is the place of a part of a string's content: that part where the
// string is written letter for letter, else the whole string.
func (v *value) piece(from, to int) span {
	if v.body.to == 0 {
		return v.span
	}
	return span{v.body.from + from, v.body.from + to}
}

// String says what was found where something else was wanted.
func (v *value) String() string {
	switch v.kind {
	case isString:
		return "the string " + quoted(v.text)
	case isInteger, isFloat:
		return "the number " + clip(v.text)
	case isDate:
		return "the date " + clip(v.text)
	case isBool:
		return v.text
	case isArray:
		if v.made == byList {
			return "a list of tables"
		}
		return "an array"
	}
	return "a table"
}

// maxQuoted is the most of a text, in characters, that a message repeats: the
// source line stands below it anyway.
const maxQuoted = 60

func clip(s string) string {
	if r := []rune(s); len(r) > maxQuoted {
		return string(r[:maxQuoted]) + "…"
	}
	return s
}

// quoted shows a text from a file within a message.
func quoted(s string) string { return fmt.Sprintf("%q", clip(s)) }

// list shows several names within a message.
func list(names []string) string { return strings.Join(names, ", ") }
