package host

import "strings"

// cond is a conditional of the preprocessor that stands open.
type cond struct {
	off  bool // this branch is never compiled
	done bool // one before it, or it, always is
}

// directive reads a line of the preprocessor. Both branches of a condition are taken
// for code, unless it is a plain 0 or 1.
func (l *lexer) directive() {
	from, line := l.i, l.line
	text := l.logicalLine()
	word, rest := cutWord(strings.TrimSpace(text[1:]))
	n := len(l.conds) - 1
	switch word {
	case "if", "ifdef", "ifndef":
		l.forks = append(l.forks, len(l.toks))
		l.conds = append(l.conds, cond{})
		l.branch(n+1, word, rest)
	case "elif", "else", "elifdef", "elifndef":
		if n >= 0 {
			l.branch(n, word, rest)
		}
	case "endif":
		if n >= 0 {
			l.branch(n, "", "")
			l.conds = l.conds[:n]
		}
	case "define":
		l.define(from, line, text)
	}
}

// branch begins a branch of the conditional n.
func (l *lexer) branch(n int, word, rest string) {
	c := &l.conds[n]
	value := ""
	if word == "if" || word == "elif" {
		value = constant(rest)
	}
	was := c.off
	c.off = word != "" && (c.done || value == "0")
	c.done = c.done || value == "1"
	switch {
	case c.off && !was:
		l.offs++
	case was && !c.off:
		l.offs--
	}
}

// constant is the value of a condition, where it is a plain number.
func constant(cond string) string {
	cond, _, _ = strings.Cut(cond, "/")
	cond = strings.Trim(strings.TrimSpace(cond), "()")
	switch cond {
	case "0", "false":
		return "0"
	case "1", "true":
		return "1"
	}
	return ""
}

func cutWord(s string) (word, rest string) {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return s[:n], strings.TrimSpace(s[n:])
}

// logicalLine takes the line with those it goes on in, and leaves the newline.
func (l *lexer) logicalLine() string {
	from := l.i
	for l.i < len(l.src) && l.src[l.i] != '\n' {
		if l.has("/*") {
			break // its rest is read as what it is
		}
		if l.src[l.i] == '\\' && (l.peek(1) == '\n' || l.peek(1) == '\r' && l.peek(2) == '\n') {
			l.i += strings.IndexByte(l.src[l.i:], '\n')
			l.line++
		}
		l.i++
	}
	return l.src[from:l.i]
}

// define keeps the tokens of a macro's body apart: it is no code where it stands.
func (l *lexer) define(from, line int, text string) {
	inner := &lexer{lang: cpp, src: text[1:], line: line}
	for inner.i < len(inner.src) {
		inner.next()
	}
	for _, t := range inner.toks {
		t.at += from + 1
		t.end += from + 1
		l.macros = append(l.macros, t)
	}
}
