package config

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// valueGroup is the group of a pattern that a number is read from.
const valueGroup = "value"

// pattern reads a regular expression in RE2 syntax. The result is nil where
// there is none.
func (f *fields) pattern(example string, into *string) (*regexp.Regexp, *entry) {
	e := f.text("pattern", example, into)
	if e == nil {
		return nil, nil
	}
	re, err := regexp.Compile(e.value.text)
	if err == nil {
		return f.oneOfEach(re, e), e
	}
	f.noExpression(e, err)
	return nil, nil
}

// noExpression reports what is wrong with a regular expression, where it is.
func (f *fields) noExpression(e *entry, err error) {
	at := e.value.span
	var se *syntax.Error
	if errors.As(err, &se) {
		at = fragment(e.value, se.Expr)
		err = errors.New(string(se.Code))
	}
	f.add(at, "see https://golang.org/s/re2syntax; "+`a literal string, '…', needs no \\`, "%q in %s is no regular expression: %s", e.key, f.label, err)
}

// oneOfEach refuses two groups of one name, which Go allows: only the first
// would ever be read, and a match of the second lost without a word.
func (f *fields) oneOfEach(re *regexp.Regexp, e *entry) *regexp.Regexp {
	seen := make(map[string]bool)
	for _, name := range groups(re) {
		if seen[name] {
			f.bad(e, "put the alternatives inside one group", "has two groups named %s", quoted(name))
			return nil
		}
		seen[name] = true
	}
	return re
}

// fragment is the place of a piece of a string's content. An error about the
// string as a whole keeps the whole.
func fragment(v *value, piece string) span {
	from := strings.Index(v.text, piece)
	if from < 0 || piece == "" {
		return v.span
	}
	return v.piece(from, from+len(piece))
}

// numberPattern reads a pattern that gives a number.
func (f *fields) numberPattern(into *string) *entry {
	re, e := f.pattern(`'worst rel (?P<value>[0-9.eE+-]+)'`, into)
	if re != nil && re.SubexpIndex(valueGroup) < 0 {
		f.bad(e, "put (?P<value>…) around the number", "has no group %q to read the number from", valueGroup)
	}
	return e
}

// groups returns the names of a pattern's named groups.
func groups(re *regexp.Regexp) []string {
	return slices.DeleteFunc(slices.Clone(re.SubexpNames()), func(n string) bool { return n == "" })
}

// unit reads a unit: one the tool knows (ns us ms s B KiB MiB GiB count), or
// any other word, which is only compared with itself.
func (f *fields) unit(into *string) *entry {
	e := f.text("unit", `"ms"`, into)
	if e != nil && (plain(*into) != *into || len(strings.Fields(*into)) != 1 || len(*into) > maxUnit) {
		f.bad(e, fmt.Sprintf("write a word of at most %d letters, such as ms or GiB", maxUnit), "is no unit: %s", quoted(*into))
		return nil
	}
	return e
}

// maxUnit is room for "GFLOP/s/card" and keeps a page of numbers a page.
const maxUnit = 16
