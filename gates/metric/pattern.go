package metric

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// nonFinite spells the values that printf, C++ streams, Rust, Python, Go and
// Fortran print for what is not a finite number.
const nonFinite = `[-+]?(?:(?i:nan)(?:\([^)]*\))?|(?i:inf(?:inity)?)|1\.#[A-Z]+|\*{3,})`

// Pattern is a regular expression over one line of output.
type Pattern struct {
	re      *regexp.Regexp
	hollow  *regexp.Regexp // re with nonFinite in place of the value; nil without a value group
	names   []string
	value   int // index of the group `value`, -1 without one
	literal []byte
}

// Compile prepares a pattern in RE2 syntax. It is matched line by line.
func Compile(src string) (*Pattern, error) {
	re, err := regexp.Compile(src)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	p := &Pattern{re: re, names: re.SubexpNames(), value: re.SubexpIndex("value")}
	tree, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	if p.value >= 0 {
		if p.hollow, err = hollow(src); err != nil {
			return nil, err
		}
	}
	p.literal = literal(tree)
	return p, nil
}

// hollow returns the pattern with the value group's inside replaced, so that
// `worst rel (?P<value>[0-9.]+)` also sees "worst rel NaN". It is done in the
// text: printing a syntax tree folds every rune of a class such as \S, which
// takes milliseconds.
func hollow(src string) (*regexp.Regexp, error) {
	from, to, ok := valueGroup(src)
	if !ok {
		return nil, fmt.Errorf("compile pattern: cannot find the group `value` in %q", src)
	}
	return regexp.Compile(src[:from] + nonFinite + src[to:])
}

// valueGroup finds the inside of the group named value in a valid pattern.
func valueGroup(src string) (from, to int, ok bool) {
	depth, inside := 0, 0
	for i := 0; i < len(src); {
		switch rest := src[i:]; {
		case strings.HasPrefix(rest, `\Q`):
			i += skipTo(rest, `\E`)
			continue
		case rest[0] == '\\':
			i++
		case rest[0] == '[':
			i += skipClass(rest)
			continue
		case rest[0] == '(':
			depth++
			for _, open := range []string{"(?P<value>", "(?<value>"} {
				if inside == 0 && strings.HasPrefix(rest, open) {
					inside, from = depth, i+len(open)
				}
			}
		case rest[0] == ')':
			if depth == inside && inside > 0 {
				return from, i, true
			}
			depth--
		}
		i++
	}
	return 0, 0, false
}

// skipTo is the length up to and with the end mark, or all there is.
func skipTo(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// skipClass is the length of a character class; a bracket right after the
// opening (or after its ^) is a member of it, and [:alpha:] has its own.
func skipClass(s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	for first := true; i < len(s); first = false {
		switch {
		case s[i] == '\\':
			i += 2
		case strings.HasPrefix(s[i:], "[:"):
			i += skipTo(s[i:], ":]")
		case s[i] == ']' && !first:
			return i + 1
		default:
			i++
		}
	}
	return len(s)
}

// literal finds the longest text that every match must contain, so that a
// gigabyte of other output costs one search for it and no matching.
func literal(r *syntax.Regexp) []byte {
	switch r.Op {
	case syntax.OpLiteral:
		if r.Flags&syntax.FoldCase == 0 {
			return []byte(string(r.Rune))
		}
	case syntax.OpCapture:
		if r.Name != "value" { // the hollow pattern must be found too
			return literal(r.Sub[0])
		}
	case syntax.OpPlus:
		return literal(r.Sub[0])
	case syntax.OpRepeat:
		if r.Min > 0 {
			return literal(r.Sub[0])
		}
	case syntax.OpConcat:
		var best []byte
		for _, s := range r.Sub {
			if l := literal(s); len(l) > len(best) {
				best = l
			}
		}
		return best
	}
	return nil
}

// Literal is a text that every match contains; empty when none is known.
func (p *Pattern) Literal() []byte { return p.literal }

// match is one match in a line: where the groups are.
type match struct {
	loc    []int
	hollow bool // the value is spelled as not finite
}

// find returns every match in the line.
func (p *Pattern) find(line []byte) []match {
	if len(p.literal) > 0 && !bytes.Contains(line, p.literal) {
		return nil
	}
	var out []match
	for _, loc := range p.re.FindAllSubmatchIndex(line, -1) {
		out = append(out, match{loc: loc})
	}
	if p.hollow == nil {
		return out
	}
	// Both lists are in order of place, so one walk finds the hollow matches
	// that stand apart; a value group may well accept NaN itself.
	sound, i := len(out), 0
	for _, loc := range p.hollow.FindAllSubmatchIndex(line, -1) {
		for i < sound && out[i].loc[1] <= loc[0] {
			i++
		}
		if i == sound || out[i].loc[0] >= loc[1] {
			out = append(out, match{loc: loc, hollow: true})
		}
	}
	return out
}

// groups returns the named groups of a match other than the value.
func (p *Pattern) groups(line []byte, m match) map[string]string {
	out := make(map[string]string)
	for i, name := range p.names {
		if name == "" || i == p.value || m.loc[2*i] < 0 {
			continue
		}
		out[name] = string(line[m.loc[2*i]:m.loc[2*i+1]])
	}
	return out
}

// Counters returns the named groups of every match in a line, for witnesses.
// A group that took no part in the match is missing.
func (p *Pattern) Counters(line []byte) []map[string]string {
	var out []map[string]string
	for _, m := range p.find(line) {
		out = append(out, p.groups(line, m))
	}
	return out
}
