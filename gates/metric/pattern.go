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
	hollow  *regexp.Regexp // re that also takes nonFinite for a number; nil without one
	names   []string
	value   int // index of the group `value`, -1 without one
	literal []byte
}

// Compile prepares a pattern for one number, its group `value`, in RE2
// syntax. It is matched line by line.
func Compile(src string) (*Pattern, error) {
	return compile(src, func(name string) bool { return name == "value" })
}

// CompileCounters prepares a pattern every named group of which is a number.
func CompileCounters(src string) (*Pattern, error) {
	return compile(src, func(name string) bool { return name != "" })
}

func compile(src string, number func(group string) bool) (*Pattern, error) {
	re, err := regexp.Compile(src)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	p := &Pattern{re: re, names: re.SubexpNames(), value: re.SubexpIndex("value")}
	tree, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	if p.hollow, err = hollow(src, number); err != nil {
		return nil, err
	}
	p.literal = literal(tree, number)
	return p, nil
}

// hollow returns the pattern with every number group also taking what is not
// finite, so that `worst rel (?P<value>[0-9.]+)` also sees "worst rel NaN"; nil
// when there is no such group. It is done in the text: printing a syntax tree
// folds every rune of a class such as \S, which takes milliseconds.
func hollow(src string, number func(group string) bool) (*regexp.Regexp, error) {
	var b strings.Builder
	at := 0
	for _, g := range namedGroups(src) {
		if g.from >= at && number(g.name) {
			b.WriteString(src[at:g.from] + nonFinite + "|" + src[g.from:g.to])
			at = g.to
		}
	}
	if at == 0 {
		return nil, nil
	}
	return regexp.Compile(b.String() + src[at:])
}

// group is the inside of a named group in a pattern's text.
type group struct {
	name     string
	from, to int
}

// namedGroups finds the named groups of a valid pattern, outer before inner.
func namedGroups(src string) []group {
	var out []group
	var open []int // index into out, -1 for a group without a name
	for i := 0; i < len(src); i++ {
		switch rest := src[i:]; {
		case strings.HasPrefix(rest, `\Q`):
			i += skipTo(rest, `\E`) - 1
		case rest[0] == '\\':
			i++
		case rest[0] == '[':
			i += skipClass(rest) - 1
		case rest[0] == '(':
			name, head := groupName(rest)
			if name == "" {
				open = append(open, -1)
				continue
			}
			open = append(open, len(out))
			out = append(out, group{name: name, from: i + head})
		case rest[0] == ')' && len(open) > 0:
			if n := open[len(open)-1]; n >= 0 {
				out[n].to = i
			}
			open = open[:len(open)-1]
		}
	}
	return out
}

// groupName reads `(?P<name>` or `(?<name>` and says how long that is.
func groupName(s string) (name string, head int) {
	for _, mark := range []string{"(?P<", "(?<"} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			if end := strings.IndexByte(rest, '>'); end > 0 {
				return rest[:end], len(mark) + end + 1
			}
		}
	}
	return "", 0
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
func literal(r *syntax.Regexp, number func(group string) bool) []byte {
	switch r.Op {
	case syntax.OpLiteral:
		if r.Flags&syntax.FoldCase == 0 {
			return []byte(string(r.Rune))
		}
	case syntax.OpCapture:
		if !number(r.Name) { // the hollow pattern must be found too
			return literal(r.Sub[0], number)
		}
	case syntax.OpPlus:
		return literal(r.Sub[0], number)
	case syntax.OpRepeat:
		if r.Min > 0 {
			return literal(r.Sub[0], number)
		}
	case syntax.OpConcat:
		var best []byte
		for _, s := range r.Sub {
			if l := literal(s, number); len(l) > len(best) {
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
	hollow bool // a number is spelled as not finite
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

// labels returns the named groups of a match other than the value.
func (p *Pattern) labels(line []byte, m match) map[string]string {
	out := p.groups(line, m)
	delete(out, "value")
	return out
}

// groups returns the named groups that took part in a match.
func (p *Pattern) groups(line []byte, m match) map[string]string {
	out := make(map[string]string)
	for i, name := range p.names {
		if name != "" && m.loc[2*i] >= 0 {
			out[name] = string(line[m.loc[2*i]:m.loc[2*i+1]])
		}
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
