package propose

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a piece of a line is.
type kind int

const (
	word   kind = iota // letters, with digits, - and . inside; also what looks like a number and is none: a date, a version, a hash
	number             // a plain decimal number
	blank
	sign // any other character
)

// token is a piece of a line.
type token struct {
	kind kind
	text string
}

// decimal is a number that gates/metric reads as it stands.
var decimal = regexp.MustCompile(`^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)

// glued are the units that are written right behind a number.
var glued = regexp.MustCompile(`^(?:[nuµμm]?s|[kKMGT]?i?B|[kMGT]?FLOPS?|x|%)(?:/\w+)?$`)

// cut takes a line apart. Put together again, the tokens are the line.
func cut(line string) (out []token) {
	for line != "" {
		t := next(line, out)
		out, line = append(out, t), line[len(t.text):]
	}
	return out
}

func next(line string, before []token) token {
	r, size := utf8.DecodeRuneInString(line)
	switch {
	case r == ' ' || r == '\t':
		return token{blank, line[:len(line)-len(strings.TrimLeft(line, " \t"))]}
	case letter(r):
		return token{word, line[:wordLen(line)]}
	}
	text := decimal.FindString(line)
	if strings.HasSuffix(text, ".") && !startsWithDigit(line[len(text):]) {
		text = strings.TrimSuffix(text, ".") // the end of a sentence
	}
	switch {
	case text == "" || hasSign(text) && !signMayStand(before):
		return token{sign, line[:size]}
	case isNumber(line[len(text):]):
		return token{number, text}
	}
	return token{word, line[:opaqueLen(line)]}
}

func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func startsWithDigit(s string) bool { return s != "" && '0' <= s[0] && s[0] <= '9' }

func hasSign(s string) bool { return s[0] == '-' || s[0] == '+' }

// signMayStand says that a - or + begins a number here, and does not join two.
func signMayStand(before []token) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return last.kind == blank || last.kind == sign && strings.Contains("=:([,", last.text)
}

// isNumber says that what follows a number lets it be one: the end, a blank, a
// unit, a sign that does not go on with digits.
func isNumber(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest == "":
		return true
	case letter(r):
		n := wordLen(rest)
		if strings.HasPrefix(rest[n:], "/") {
			n += 1 + wordLen(rest[n+1:])
		}
		return glued.MatchString(strings.TrimRight(rest[:n], "/"))
	case strings.ContainsRune(".:,'-+_", r):
		return !startsWithDigit(rest[1:]) // a version, a clock, groups of digits, a date
	}
	return true
}

// wordLen is the length of a word: letters and digits, and between them one of
// - . at a time.
func wordLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case letter(r) || unicode.IsDigit(r):
		case (r == '-' || r == '.') && n > 0:
			after, _ := utf8.DecodeRuneInString(s[n+1:])
			if !letter(after) && !unicode.IsDigit(after) {
				return n
			}
		default:
			return n
		}
		n += size
	}
	return n
}

// opaqueLen is the length of what begins like a number and is none.
func opaqueLen(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !letter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".:,'-+", r) {
			break
		}
		n += size
	}
	return max(n, 1)
}
