package metric

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Begins says whether a line that a gate prints for us begins at a place of a line
// of its output: at its start, or behind what a harness puts in front of a test's
// own words. Elsewhere it may be in a text about such lines.
func Begins(line []byte, at int) bool {
	return at == 0 || at <= maxBehind && behind.Match(line[:at])
}

// Ends says that a marker, gpuci:metric or its like, ends before a text: what
// follows is no more of the same word.
func Ends(rest []byte) bool {
	r, _ := utf8.DecodeRune(rest)
	return !word(r) && r != '-'
}

// Pairs takes `key=value key="a value"` apart and hands each pair on. A value with
// spaces is written in double quotes.
func Pairs(text string, each func(key, value string) error) error {
	for text = strings.TrimSpace(text); text != ""; {
		key, after, ok := strings.Cut(text, "=")
		if !ok || key == "" || strings.ContainsAny(key, " \t\"") {
			return fmt.Errorf("want key=value at %.40q", text)
		}
		value, left, err := takeValue(after)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if err := each(key, value); err != nil {
			return err
		}
		text = strings.TrimLeft(left, " \t")
	}
	return nil
}
