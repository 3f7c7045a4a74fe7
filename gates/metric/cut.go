package metric

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minus is U+2212, which some print for a sign.
const minus = "−"

// groupMark are the characters, besides a comma, that stand between groups of
// digits; U+066C and U+066B do so, and begin decimals, in Arabic script.
const groupMark = "_'’٬٫" + thin

const ofNumbers = "+-.,0123456789eE"

// numeric is a text that is a number and nothing else.
var numeric = regexp.MustCompile(`^[-+−]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$`)

// How a number goes on behind the place where the pattern stopped.
var (
	// Digits, decimals and an exponent, which a wider group would take.
	tail = regexp.MustCompile(`^(?:[0-9]|\.[0-9]|\.?[eE][-+]?[0-9])`)
	// What no group could take and be read: Fortran's D, a minus in U+2212,
	// and its exponent of three digits, which has no letter.
	strange = regexp.MustCompile(`^(?:\.?[dD][-+−]?[0-9]|\.?[eE]−[0-9])`)
	bare    = regexp.MustCompile(`^[-+][0-9]{3}(?:[^0-9]|$)`)
	// Digits in groups, a decimal comma, a clock.
	grouped = regexp.MustCompile(`^[,:` + groupMark + `][0-9]`)
	hex     = regexp.MustCompile(`^[xX][0-9a-fA-F]`)
)

// How a number begins in front of the place where the pattern started: with
// digits, an exponent, a point; with 1, of "1,234" and 4: of "4:05", while
// "d_5" and "p99:12" are names with a number.
var (
	head      = regexp.MustCompile(`[0-9]\.?(?:[eE][-+−]?)?$|(?:^|\W)[0-9]*\.?[0-9]+\.?[dD][-+−]?$|(?:^|[\s=:(\[,"'+−-])\.$`)
	headGroup = regexp.MustCompile(`(?:^|\W)[0-9]+(?:[,` + groupMark + `][0-9]+)*[,` + groupMark + `]$`)
	headClock = regexp.MustCompile(`(?:^|\W)[0-9]+:$`)
	headHex   = regexp.MustCompile(`(?:^|\W)0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][-+]?)?$`)
	headBare  = regexp.MustCompile(`(?:^|\W)[0-9]*\.[0-9]+[-+]$`) // three digits follow
	exponent  = regexp.MustCompile(`[0-9]\.?[eEdD]?$`)            // in front of a sign
)

// window is how far around a number is looked, in bytes: farther than any
// number that a program prints goes.
const window = 48

// span is a number group in a line, from and to, and its whole match.
type span struct {
	line        []byte
	from, to    int
	first, last int
}

func (s span) text() string { return string(s.line[s.from:s.to]) }

// before is what is glued to the front of the group.
func (s span) before() []byte {
	b := s.line[max(0, s.from-window):s.from]
	return b[bytes.LastIndexByte(b, ' ')+1:]
}

// behind is what is glued to the end of the group.
func (s span) behind() []byte {
	b := s.line[s.to:min(len(s.line), s.to+window)]
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		return b[:i]
	}
	return b
}

// cut says whether the pattern took a piece out of a longer number: "1.2" out
// of "1.2e-3" is a thousand times off, and a lost sign makes a negative time
// look sound. What the pattern itself has there as a literal, its author meant.
func (s span) cut(name string, at place, unit string) error {
	if more := s.sequel(at, unit); more != "" {
		return fmt.Errorf("the pattern reads %q out of %q: print it as 1234.5 or 1e-3; if the number ends there, write what follows into the pattern, right behind the group `%s`", s.text(), s.text()+more, name)
	}
	var advice string
	switch {
	case len(s.before()) == 0 && len(s.behind()) == 0:
		return nil
	case s.begun(at), s.goesOn(tail, at):
		advice = fmt.Sprintf("let the group `%s` take the whole number, such as [-+0-9.eE]+", name)
	case s.split(at):
		advice = fmt.Sprintf("print it as 1234.5 or 1e-3; if it is a number of its own, write what stands next to it into the pattern, right at the group `%s`", name)
	case s.glued(at, unit):
		r, _ := utf8.DecodeRune(s.behind())
		advice = fmt.Sprintf("if the number ends there, write the %q into the pattern, right behind the group `%s`, or give the unit of a metric", r, name)
	default:
		return nil
	}
	return fmt.Errorf("the pattern reads %q out of %q: %s", s.text(), s.whole(), advice)
}

func (s span) hasSign() bool {
	r, _ := utf8.DecodeRune(s.line[s.from:s.to])
	return r == '+' || r == '-' || r == '−'
}

// begun says that digits or a sign in front belong to the number.
func (s span) begun(at place) bool {
	before := s.before()
	r, n := utf8.DecodeLastRune(before)
	switch {
	case s.hasSign(): // 1e-5, or the hyphen in 3-5
		return at.front.loose && (exponent.Match(before) || headHex.Match(before))
	case r == '-' || r == '−':
		left, _ := utf8.DecodeLastRune(before[:len(before)-n])
		return !word(left) || head.Match(before)
	case r == at.front.literal && (r == '.' || unicode.IsLetter(r)): // a version, "conv2d5"
		return false
	}
	return head.Match(before)
}

// goesOn says that the digits that re finds behind belong to the number: all
// but those that the match goes on to take, behind a literal.
func (s span) goesOn(re *regexp.Regexp, at place) bool {
	loc := re.FindIndex(s.behind())
	return loc != nil && (!s.meant(at) || s.to+loc[1] > s.last)
}

// meant says that the pattern has the very character that follows.
func (s span) meant(at place) bool {
	r, _ := utf8.DecodeRune(s.behind())
	return at.back.means(r)
}

// split says that the number is printed in a way that no group could take.
func (s span) split(at place) bool {
	text, behind, before := s.text(), s.behind(), s.before()
	zero := strings.Trim(text, "+-−") == "0"
	switch {
	case s.goesOn(strange, at), strings.Contains(text, ".") && s.goesOn(bare, at):
		return true
	case !s.meant(at) && (grouped.Match(behind) || zero && hex.Match(behind)):
		return true
	case s.hasSign() || len(before) == 0:
		return false
	case headClock.Match(before):
		return at.front.literal != ':' && len(text) > 1 && text[1] >= '0' && text[1] <= '9'
	}
	last, _ := utf8.DecodeLastRune(before)
	return at.front.literal != last && (headGroup.Match(before) || len(text) == 3 && headBare.Match(before)) ||
		!strings.EqualFold(string(at.front.literal), "x") && headHex.Match(before)
}

// glued says that a letter follows that is not the metric's unit: "5s" is not
// five of what the metric counts, nor "3k" three.
func (s span) glued(at place, unit string) bool {
	r, _ := utf8.DecodeRune(s.behind())
	return word(r) && !s.meant(at) && !hasUnit(s.behind(), unit)
}

// whole is the number with what is glued to it.
func (s span) whole() string {
	before, behind := s.before(), s.behind()
	a := len(bytes.TrimRight(before, ofNumbers+"−_'’:xXdDpP"))
	front := bytes.TrimLeft(before[a:], "_'’:,xXdDpPeE")
	b := len(behind) - len(bytes.TrimLeftFunc(behind, func(r rune) bool { return word(r) || strings.ContainsRune("+-−.,'’:", r) }))
	return string(front) + s.text() + string(bytes.TrimRight(behind[:b], ".,:'’"))
}

// lone is a number that is not finite among other words.
var lone = regexp.MustCompile(`(?:^|[\s=:(\[,;"'])([-+−]?(?i:nan|inf(?:inity)?))(?:[\s,;)\]"']|$)`)

// skipped says whether what the pattern skips in front of the number has a NaN
// in it: \D* passes over one, on to the next digits of the line.
func (s span) skipped(at place) error {
	a, class := s.from, at.front.class
	for class != nil && a > s.first && s.from-a < 4*window {
		r, n := utf8.DecodeLastRune(s.line[s.first:a])
		if !holds(class, r, r) {
			break
		}
		a -= n
	}
	if m := lone.FindSubmatch(s.line[a:s.from]); m != nil {
		return fmt.Errorf("the pattern passes over %s and reads %q: write into it what stands in front of the number", m[1], s.text())
	}
	return nil
}
