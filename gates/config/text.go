package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a piece of a file, in bytes.
type span struct{ from, to int }

// text is a file as it was read.
type text struct {
	name  string // as problems call it
	data  string
	lines []int // where each line starts
}

func newText(name, data string) *text {
	t := &text{name: name, data: data, lines: []int{0}}
	for i := range len(data) {
		if data[i] == '\n' && i+1 < len(data) {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line returns the number, from 1, of the line that an offset is in. The end
// of the file counts to its last line.
func (t *text) line(offset int) int {
	i, found := slices.BinarySearch(t.lines, offset)
	if found {
		return i + 1
	}
	return i
}

// problem points at a piece of the file, as far as its first line goes.
func (t *text) problem(at span, msg, hint string) Problem {
	number := t.line(at.from)
	start := t.lines[number-1]
	line, _, _ := strings.Cut(t.data[start:], "\n")
	line = strings.TrimSuffix(line, "\r")
	from := min(at.from-start, len(line))
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from-- // the parser points at the last byte of an unfinished file
	}
	to := max(min(at.to-start, len(line)), from)
	return Problem{
		File: t.name, Line: number,
		Column: utf8.RuneCountInString(line[:from]) + 1,
		Width:  max(utf8.RuneCountInString(line[from:to]), 1),
		Source: line,
		Msg:    msg, Hint: hint,
	}
}

// maxProblems bounds what is collected in one file. A person mends the first
// few and runs again; a generated file must not cost minutes.
const maxProblems = 100

// report collects the problems of one file.
type report struct {
	*text
	problems Problems
}

// full says that nothing more will be collected, so that none need be looked for.
func (r *report) full() bool { return len(r.problems) > maxProblems }

// add reports a problem at a piece of the file; hint says what to write, or is empty.
func (r *report) add(at span, hint, format string, args ...any) {
	switch n := len(r.problems); {
	case n < maxProblems:
		r.problems = append(r.problems, r.problem(at, fmt.Sprintf(format, args...), hint))
	case n == maxProblems:
		r.problems = append(r.problems, r.problem(at, "more mistakes follow, of which these are not all",
			fmt.Sprintf("mend the first %d and look again", maxProblems)))
	}
}

// check looks at the bytes alone, before anything is parsed.
func (r *report) check() bool {
	if strings.HasPrefix(r.data, "\ufeff") {
		r.add(span{0, len("\ufeff")}, "save the file as UTF-8 without a byte order mark", "the file starts with a byte order mark")
		return false
	}
	for i := 0; i < len(r.data); {
		c, n := utf8.DecodeRuneInString(r.data[i:])
		if c == utf8.RuneError && n == 1 {
			r.add(span{i, i + 1}, "save the file as UTF-8", "invalid UTF-8: byte 0x%02x", r.data[i])
			return false
		}
		i += n
	}
	return true
}
