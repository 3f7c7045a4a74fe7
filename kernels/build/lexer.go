package build

import (
	"bytes"
	"fmt"
	"strings"
)

// lexer cuts C++ into words as far as an asm needs it: names, strings, and single signs.
// Lines that end in a backslash are joined, comments and characters passed over.
type lexer struct {
	text []byte
	at   int
	line int // that of the word that next gave, from 1
	here int // lines before at
}

// peek is the byte at an offset from here, behind the ends of lines that are joined, and
// where it is; 0 at the end.
func (l *lexer) peek(at int) (byte, int) {
	for at < len(l.text) && l.text[at] == '\\' {
		end := at + 1
		for end < len(l.text) && (l.text[end] == ' ' || l.text[end] == '\t' || l.text[end] == '\r') {
			end++
		}
		if end >= len(l.text) || l.text[end] != '\n' {
			break
		}
		at = end + 1
	}
	if at >= len(l.text) {
		return 0, at
	}
	return l.text[at], at
}

// take moves behind a byte.
func (l *lexer) take(at int) {
	l.here += bytes.Count(l.text[l.at:min(at+1, len(l.text))], []byte("\n"))
	l.at = min(at+1, len(l.text))
}

// next is the next word; "" at the end. A string begins with its quote, and has no other.
func (l *lexer) next() string {
	for {
		c, at := l.peek(l.at)
		if at >= len(l.text) {
			return ""
		}
		l.take(at)
		l.line = l.here + 1
		switch {
		case strings.IndexByte(" \t\r\n\v\f", c) >= 0:
		case c == '/' && l.comment():
		case strings.IndexByte(identifier, c) >= 0:
			if word, ok := l.word(c); ok {
				return word
			}
		case c == '"':
			return l.quoted('"')
		case c == '\'':
			l.quoted('\'')
		default:
			return string(rune(c))
		}
	}
}

// comment passes over one whose slash was taken, if it is one.
func (l *lexer) comment() bool {
	c, at := l.peek(l.at)
	switch c {
	case '/':
		for c != 0 && c != '\n' {
			l.take(at)
			c, at = l.peek(l.at)
		}
	case '*':
		l.take(at)
		end := bytes.Index(l.text[l.at:], []byte("*/"))
		if end < 0 {
			end = len(l.text) - l.at
		}
		l.take(l.at + end + 1)
	default:
		return false
	}
	return true
}

// word is a name that begins with a letter, or a number, which says nothing and is not ok:
// a quote within one parts its digits. A name right before a string is the string's own
// (L, u8, R).
func (l *lexer) word(first byte) (string, bool) {
	number := first >= '0' && first <= '9'
	b := []byte{first}
	c, at := l.peek(l.at)
	for c != 0 && (strings.IndexByte(identifier, c) >= 0 || number && (c == '\'' || c == '.')) {
		b = append(b, c)
		l.take(at)
		c, at = l.peek(l.at)
	}
	word := string(b)
	switch {
	case number:
		return "", false
	case c == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"):
		l.take(at)
		return l.raw(), true
	case c == '"' && (word == "L" || word == "u" || word == "U" || word == "u8"):
		return "", false
	}
	return word, true
}

// quoted is a string up to its quote or the end of its line.
func (l *lexer) quoted(quote byte) string {
	b := []byte{quote}
	for {
		c, at := l.peek(l.at)
		if c == 0 && at >= len(l.text) || c == '\n' {
			return string(b)
		}
		l.take(at)
		if c == quote {
			return string(b)
		}
		b = append(b, c)
		if c == '\\' {
			c, at = l.peek(l.at)
			if at < len(l.text) && c != '\n' {
				b = append(b, c)
				l.take(at)
			}
		}
	}
}

// raw is a raw string whose quote was taken; nothing in it is joined or escaped.
func (l *lexer) raw() string {
	rest := l.text[l.at:]
	const most = 16 // letters of a delimiter, by the standard
	open := bytes.IndexByte(rest[:min(most+1, len(rest))], '(')
	if open < 0 {
		return `"`
	}
	delimiter, body := rest[:open], rest[open+1:]
	end := bytes.Index(body, fmt.Appendf(nil, ")%s\"", delimiter))
	if end < 0 {
		end = len(body)
	}
	l.take(l.at + min(len(delimiter)+1+end+len(delimiter)+1, len(rest)-1))
	return `"` + strings.ReplaceAll(string(body[:end]), `\`, `\\`)
}
