package metric

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Pattern is a regular expression over one line of output.
type Pattern struct {
	re      *regexp.Regexp // widened: see widen
	names   []string
	value   int           // index of the group `value`, -1 without one
	places  map[int]place // by index of a group that is a number
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
	tree, err := syntax.Parse(src, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("compile pattern: %w", err)
	}
	p := &Pattern{places: placesIn(tree, number), literal: literal(tree, number)}
	if notNumber.MatchString(src) { // then a NaN in front of the number is a word of the pattern
		for i, at := range p.places {
			at.front.class = nil
			p.places[i] = at
		}
	}
	if p.re, err = regexp.Compile(widen(src, tree, p.places)); err != nil {
		return nil, fmt.Errorf("compile pattern %q: %w", src, err)
	}
	p.names, p.value = p.re.SubexpNames(), p.re.SubexpIndex("value")
	return p, nil
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
		if !number(r.Name) { // a number is also taken in other spellings
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

// find returns where the groups of every match in the line are.
func (p *Pattern) find(line []byte) [][]int {
	if len(p.literal) > 0 && !bytes.Contains(line, p.literal) {
		return nil
	}
	return p.re.FindAllSubmatchIndex(line, -1)
}

// groups returns the named groups that took part in a match.
func (p *Pattern) groups(line []byte, loc []int) map[string]string {
	out := make(map[string]string)
	for i, name := range p.names {
		if name != "" && loc[2*i] >= 0 {
			out[name] = string(line[loc[2*i]:loc[2*i+1]])
		}
	}
	return out
}

// labels returns the named groups of a match other than the value.
func (p *Pattern) labels(line []byte, loc []int) map[string]string {
	out := p.groups(line, loc)
	delete(out, "value")
	return out
}

// check says what is wrong with the way group i of a match was read: a piece
// of a longer number, or the number behind one that is not finite.
func (p *Pattern) check(line []byte, loc []int, i int, unit string) error {
	s := span{line: line, from: loc[2*i], to: loc[2*i+1], first: loc[0], last: loc[1]}
	if err := s.skipped(p.places[i]); err != nil {
		return err
	}
	return s.cut(p.names[i], p.places[i], unit)
}

// Counted is one match of a witness's pattern.
type Counted struct {
	Groups map[string]string // a group that took no part in the match is missing
	Fault  string            // why a counter is not what was printed; "" when all are sound
}

// Counters returns the named groups of every match in a line, for witnesses.
// Whether a group is a number at all is for the relation that names it to say.
func (p *Pattern) Counters(line []byte) []Counted {
	var out []Counted
	for _, loc := range p.find(line) {
		c := Counted{Groups: p.groups(line, loc)}
		for i, name := range p.names {
			text, ok := c.Groups[name]
			if !ok || loc[2*i] < 0 || !numeric.MatchString(text) {
				continue // of two groups with one name the other one may have taken part
			}
			c.Groups[name] = strings.ReplaceAll(text, minus, "-")
			if err := p.check(line, loc, i, ""); err != nil && c.Fault == "" {
				c.Fault = fmt.Sprintf("counter %s: %v in %s", name, err, quote(line))
			}
		}
		out = append(out, c)
	}
	return out
}
