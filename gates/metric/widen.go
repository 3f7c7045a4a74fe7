package metric

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Spellings that a number group takes beside the author's own. %B stands for
// what must be in front.
const (
	// What printf, C++ streams, Rust, Python and Go print for what is not
	// finite; %E is what ends it, so that "nanny" and "info" are words.
	notFinite = `[-+−]?%B(?:(?i:nan|inf(?:inity)?)%E(?:\(\w*\))?|1\.#[A-Z]+%S)`
	// Fortran's field that is too narrow: only where the pattern points at
	// it, since a line of stars is a banner.
	stars = `|\*{3,}`
	// A number with a sign, which [0-9.]+ would pass over.
	signed = `%B[-+−](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`
	// The end of a word, or a unit glued to it and the end of that.
	wordEnd = `(?:[nuµμm]?s|sec|[kKMGT]?i?B|bytes|x)?\b`
)

// widen returns the pattern with every number group also taking what is not
// finite and what has a sign, so that `bwd (?P<value>[0-9.]+)` sees "bwd NaN"
// and "bwd -5" too. NaN comes first: leftmost-first matching then finds it
// before a number that stands further on. It is done in the text: printing a
// syntax tree folds every rune of a class such as \S, which takes milliseconds.
func widen(src string, tree *syntax.Regexp, places map[int]place) string {
	names := tree.CapNames()
	var b strings.Builder
	at := 0
	for _, g := range namedGroups(src) {
		p, ok := places[slices.Index(names, g.name)]
		if !ok || g.from < at {
			continue // a label, or inside a group that is widened itself
		}
		// (?-U:…): the author's own flags must not make ours lazy.
		b.WriteString(src[at:g.from] + "(?-U:" + p.notFinite() + ")|" + src[g.from:g.to] + "|(?-U:" + p.signed() + ")")
		at = g.to
	}
	return b.String() + src[at:]
}

func (p place) notFinite() string {
	begin, end, field := "", wordEnd, stars
	if p.front.loose {
		begin, field = `\b`, "" // "L_inf" is a name, and "***" a line across
	}
	if word(p.back.literal) && !p.back.gap {
		end = "" // the pattern itself says what follows: "NaNms"
	}
	return strings.NewReplacer("%B", begin, "%E", end, "%S", field).Replace(notFinite)
}

// signed refuses a hyphen inside a word ("fwd-5"), but where the pattern has a
// word right in front ("t5", "t-5") it is the sign.
func (p place) signed() string {
	begin := `\B`
	if p.front.literal != 0 {
		begin = ""
	}
	return strings.Replace(signed, "%B", begin, 1)
}

func word(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

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
