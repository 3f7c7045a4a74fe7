package config

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// syntax reports where the parser gave up. The parser thinks in bytes: where
// the last one it points at begins a wider character, that one is meant.
func (b *builder) syntax(p *unstable.Parser, err error) {
	var at span
	var pe *unstable.ParserError
	if errors.As(err, &pe) {
		at = spanOf(p.Range(pe.Highlight))
	}
	msg, hint := err.Error(), ""
	if strings.Contains(msg, "must be quoted") { // 30m, the likeliest slip of all
		hint = `put quotes around the value, as in "30m"`
	}
	last := max(at.to-1, 0)
	if char, size := utf8.DecodeRuneInString(b.data[last:]); size > 1 {
		at.to = last + size
		if inKey(msg) {
			msg = fmt.Sprintf("%q cannot stand in a bare key", string(char))
			hint = "a bare key has letters, digits, - and _; put others into quotes"
		}
		msg = strings.ReplaceAll(msg, fmt.Sprintf("%#U", b.data[last]), fmt.Sprintf("%#U", char))
	}
	b.add(at, hint, "not TOML: %s", msg)
}

// inKey says whether a message of the parser is about a bare key, or about
// what must follow one.
func inKey(msg string) bool {
	for _, s := range []string{"start of key", "after key", "close table name", "close array table name"} {
		if strings.Contains(msg, s) {
			return true
		}
	}
	return false
}
