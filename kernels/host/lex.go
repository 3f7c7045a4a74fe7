package host

import (
	"strings"
	"unicode/utf8"
)

// lexer cuts a text into tokens. It takes every text: what does not end goes on to the
// end of the file, and is said.
type lexer struct {
	lang language
	src  string
	i    int
	line int
	toks []token
	deep int // of Python, open brackets
	bad  []Unread

	conds  []cond  // of C++, the conditionals that stand open
	offs   int     // how many of them are off
	macros []token // what its macros stand for
	forks  []int   // tokens before which a conditional begins

}

// doubles are operators of two characters. Angles are not among them, for they close
// lists of generics too.
const doubles = "::->=>==!=<=>=+=-=*=/=|=&=&&||"

func lex(lang language, src string) *lexer {
	l := &lexer{lang: lang, src: src, line: 1}
	for l.i < len(l.src) {
		l.next()
	}
	if lang == python {
		l.add(newline, l.i, "")
	}
	return l
}

func (l *lexer) peek(n int) byte {
	if l.i+n < len(l.src) {
		return l.src[l.i+n]
	}
	return 0
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.src[l.i:], prefix) }

// add keeps the token that begins at from and ends here.
func (l *lexer) add(k kind, from int, text string) {
	var f flags
	if l.offs > 0 {
		f = isOff
	}
	l.toks = append(l.toks, token{kind: k, flags: f, line: l.line, at: from, end: l.i, text: text})
}

func (l *lexer) next() {
	c := l.src[l.i]
	switch {
	case c == '\n':
		l.newline()
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		l.i++
	case l.lang == python && c == '#', l.lang != python && l.has("//"):
		l.skipLine()
	case l.lang != python && l.has("/*"):
		l.comment()
	case c == '\\':
		l.i++
		if l.peek(0) == '\n' {
			l.i++
			l.line++
		}
	case l.lang == cpp && c == '#' && l.atStart():
		l.directive()
	case c == '"':
		l.quoted(l.i)
	case c == '\'':
		l.apostrophe()
	case c >= '0' && c <= '9':
		l.number()
	case isWord(c):
		l.word()
	default:
		l.punct()
	}
}

func (l *lexer) newline() {
	if l.lang == python && l.deep == 0 && len(l.toks) > 0 && l.toks[len(l.toks)-1].kind != newline {
		l.add(newline, l.i, "")
	}
	l.i++
	l.line++
}

func (l *lexer) skipLine() {
	if n := strings.IndexByte(l.src[l.i:], '\n'); n >= 0 {
		l.i += n
	} else {
		l.i = len(l.src)
	}
}

// comment skips a block comment; those of Rust nest.
func (l *lexer) comment() {
	from, depth := l.line, 0
	for l.i < len(l.src) {
		switch {
		case l.has("/*") && (depth == 0 || l.lang == rust):
			depth++
			l.i += 2
		case l.has("*/"):
			depth--
			l.i += 2
			if depth == 0 {
				return
			}
		default:
			if l.src[l.i] == '\n' {
				l.line++
			}
			l.i++
		}
	}
	l.bad = append(l.bad, Unread{Line: from, Why: "a comment that does not end"})
}

// atStart says whether nothing but blanks stands before on the line.
func (l *lexer) atStart() bool {
	for i := l.i - 1; i >= 0; i-- {
		switch l.src[i] {
		case '\n':
			return true
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return true
}

func (l *lexer) number() {
	from := l.i
	for l.i < len(l.src) {
		c := l.src[l.i]
		switch {
		case isWord(c), c == '\'' && l.lang == cpp && isWord(l.peek(1)):
		case c == '.' && l.peek(1) >= '0' && l.peek(1) <= '9', c == '.' && l.lang != rust && !isLetter(l.peek(1)):
		case c == '.' && l.lang == cpp && (l.peek(1) == 'f' || l.peek(1) == 'F'):
		case c == '.' && l.lang == rust && !isWord(l.peek(1)) && l.peek(1) != '.':
		case (c == '+' || c == '-') && exponent(l.src[from:l.i]):
		default:
			l.add(number, from, l.src[from:l.i])
			return
		}
		l.i++
	}
	l.add(number, from, l.src[from:l.i])
}

// exponent says whether a sign may follow: 1e-5, but not 0xe-5.
func exponent(s string) bool {
	return !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X") && (strings.HasSuffix(s, "e") || strings.HasSuffix(s, "E"))
}

func (l *lexer) word() {
	from := l.i
	for l.i < len(l.src) && isWord(l.src[l.i]) {
		l.i++
	}
	w := l.src[from:l.i]
	if c := l.peek(0); (c == '"' || c == '#' || c == '\'' && l.lang != rust) && len(w) <= 3 && l.prefixed(from, w) {
		return
	}
	if l.lang == rust && w == "r" && l.peek(0) == '#' && isLetter(l.peek(1)) { // r#type
		l.i++
		l.word()
		return
	}
	l.add(name, from, w)
}

func (l *lexer) punct() {
	from := l.i
	if l.i+1 < len(l.src) {
		two := l.src[l.i : l.i+2]
		if n := strings.Index(doubles, two); n >= 0 && n%2 == 0 {
			l.i += 2
			l.add(punct, from, two)
			return
		}
	}
	_, n := utf8.DecodeRuneInString(l.src[l.i:])
	l.i += n
	switch l.src[from] {
	case '(', '[', '{':
		l.deep++
	case ')', ']', '}':
		l.deep = max(0, l.deep-1)
	}
	l.add(punct, from, l.src[from:l.i])
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func isWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }
