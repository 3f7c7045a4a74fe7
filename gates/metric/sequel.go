package metric

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"
)

// What makes another number of the one in front of it; the first group is what
// belongs to it, and %B are blanks.
var (
	// A product, a power, a division by zero, decimals of Arabic script, and
	// what ends a text for some who read it.
	operator = behindBlanks(`([×⋅^\x00]|·[%B]*[0-9]|\*\*|\*[%B]*[0-9]|[٬٫]\p{Nd}|/[%B]*0)`)
	// A power of ten that stands apart.
	apart = behindBlanks(`([xX][%B]*10|[eE][-+−]?[0-9]+)(?:[^\pL0-9_]|$)`)
	// Thousands in words. K, G and T also name the next number: "H 4 K 128".
	thousands = behindBlanks(`((?i:hundred|thousand|million|billion|trillion)s?|[kM])(?:[^\pL0-9_]|$)`)
	magnitude = behindBlanks(`([KGT])(?:[^\pL0-9_=:%B]|[%B]+[^0-9=:%B]|[%B]*$)`)
	// Thousands in groups: one to three digits, and exactly three behind.
	leading = regexp.MustCompile(`^[1-9][0-9]{0,2}$`)
	groups  = regexp.MustCompile(`^([ ` + thin + `][0-9]{3})(?:[^0-9]|$)`)
)

func behindBlanks(re string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(re, "%B", blanks))
}

// sequel is what follows the number and makes another one of it, with the
// blanks in between, as in "3 million" and "1 234"; empty when nothing does.
// What the pattern itself has there as a literal, and the metric's own unit,
// are no such thing.
func (s span) sequel(at place, unit string) string {
	tail := s.line[s.to:min(len(s.line), s.to+window)]
	if m := groups.FindSubmatch(tail); m != nil && leading.MatchString(s.text()) {
		if !at.back.gap || s.to+len(m[1]) > s.last {
			return string(m[1])
		}
	}
	rest := bytes.TrimLeft(tail, blanks)
	gap := len(tail) - len(rest)
	if r, _ := utf8.DecodeRune(rest); at.back.means(r) || hasUnit(tail, unit) {
		return ""
	}
	for _, re := range []*regexp.Regexp{operator, apart, thousands, magnitude} {
		if gap == 0 && re != operator {
			break // a letter glued to it is looked at elsewhere
		}
		if m := re.FindSubmatch(rest); m != nil {
			return string(tail[:gap]) + string(m[1])
		}
	}
	return ""
}
