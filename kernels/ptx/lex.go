package ptx

import "strings"

// token is a word, a string in its quotes, or one other character.
type token struct {
	text string
	line int // from 1
}

func (t token) is(s string) bool { return t.text == s }

// word reports whether it is a name, a number, a directive or an instruction.
func (t token) word() bool { return t.text != "" && inWord(t.text[0]) }

// lexer gives the tokens of a text, without its comments.
type lexer struct {
	rest string
	line int
	back *token // the one that is to be read again
}

// next is the next token; at the end its text is empty.
func (l *lexer) next() token {
	if t := l.back; t != nil {
		l.back = nil
		return *t
	}
	l.skip()
	if l.rest == "" {
		return token{line: l.line}
	}
	t := token{text: l.rest[:l.length()], line: l.line}
	if t.text[0] == '"' {
		l.line += strings.Count(t.text, "\n")
	}
	l.rest = l.rest[len(t.text):]
	return t
}

// unread gives a token back, one at a time.
func (l *lexer) unread(t token) { l.back = &t }

// skip passes over space and comments.
func (l *lexer) skip() {
	for l.rest != "" {
		n := 0
		switch {
		case l.rest[0] > '/' && l.rest[0] != 0x7f:
			return
		case strings.HasPrefix(l.rest, "//"):
			if n = strings.IndexByte(l.rest, '\n'); n < 0 {
				n = len(l.rest)
			}
		case strings.HasPrefix(l.rest, "/*"):
			n = commentEnd(l.rest)
		case l.rest[0] == '\n':
			l.line++
			l.rest = l.rest[1:]
			continue
		case l.rest[0] <= ' ' || l.rest[0] == 0x7f:
			l.rest = l.rest[1:]
			continue
		default:
			return
		}
		l.line += strings.Count(l.rest[:n], "\n")
		l.rest = l.rest[n:]
	}
}

// commentEnd is the length of the comment that s begins with; one without an end
// takes all there is, and "/*/" is none's end.
func commentEnd(s string) int {
	if end := strings.Index(s[2:], "*/"); end >= 0 {
		return end + 4
	}
	return len(s)
}

// length is that of the token that rest begins with. Two colons belong to a word,
// as in shared::cta; one ends a label.
func (l *lexer) length() int {
	s := l.rest
	if s[0] == '"' {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '"', '\n':
				return i + 1
			}
		}
		return len(s)
	}
	n := 0
	for n < len(s) {
		switch {
		case inWord(s[n]):
			n++
		case n > 0 && strings.HasPrefix(s[n:], "::"):
			n += 2
		default:
			return max(n, 1)
		}
	}
	return n
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c == '%' || c == '.' || c >= 0x80 ||
		'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
