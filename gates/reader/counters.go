package reader

import (
	"bytes"
	"regexp"
)

// Number is a number that a line gives by name: "kda=12/16" is 12 of 16.
type Number struct {
	Key   string
	Value string // as printed: a decimal number, or nan and inf with any sign
	Of    string // "" where the line has no whole
}

// Counters gives the numbers of a line such as
//
//	fused kda=12/16 node_bwd=4 declined=0
//	chunks 3/16, worst_rel=6.3e-7
//
// that is of words key=number and key=part/whole, and of part/whole with a name
// directly in front. Brackets, commas and the like around a word are dropped. A
// word that is anything more is none: a number with its unit (3ms), a percentage,
// a quoted one, a=b=c, a path, a date, a version, digits in groups. NaN and
// infinity are given too, so that who judges the number can object to it.
//
// A line without any costs a look for its "=" and "/", and no allocation.
func Counters(line []byte) []Number {
	if bytes.IndexByte(line, '=') < 0 && bytes.IndexByte(line, '/') < 0 {
		return nil
	}
	var found []Number
	var before []byte
	for len(line) > 0 && len(found) < maxNumbers {
		var word []byte
		word, line = nextWord(line)
		key, value, named := bytes.Cut(bytes.Trim(word, around), []byte("="))
		if !named {
			key, value = bytes.TrimRight(before, ":"), key
		}
		part, whole, split := bytes.Cut(value, []byte("/"))
		if (named || split) && isKey(key) && isValue(part) && (!split || isValue(whole)) {
			found = append(found, Number{Key: string(key), Value: string(part), Of: string(whole)})
		}
		before = bytes.TrimLeft(word, around)
	}
	return found
}

// around are the characters that may stand around a word. A point ends a
// sentence; none of these can begin or end a number otherwise.
const around = "()[]{}<>,;."

// Bounds of a line: no report has that many numbers, nor a name that long.
const (
	maxNumbers = 256
	maxKey     = 128 // bytes
	maxValue   = 64  // bytes
)

// nextWord cuts off the first word and the blanks behind it.
func nextWord(line []byte) (word, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	i := bytes.IndexAny(line, " \t")
	if i < 0 {
		return line, nil
	}
	return line[:i], line[i+1:]
}

// isKey takes what programs name their counters, with the points and hyphens of
// paths to them.
func isKey(key []byte) bool {
	if len(key) == 0 || len(key) > maxKey {
		return false
	}
	for i, c := range key {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return false
		}
	}
	return true
}

var (
	decimal   = regexp.MustCompile(`^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)
	notFinite = regexp.MustCompile(`^[-+]?(?i:nan|inf(?:inity)?)$`)
)

func isValue(s []byte) bool {
	return len(s) <= maxValue && (decimal.Match(s) || notFinite.Match(s))
}

// counters counts no tests: the command's own exit status is the test, and
// Counters is for who collects the numbers.
type counters struct{ none }

// Idle says that no word of the lines is of a counter's form.
func (counters) Idle(_ Stream, lines []byte) bool {
	return bytes.IndexByte(lines, '=') < 0 && bytes.IndexByte(lines, '/') < 0
}
