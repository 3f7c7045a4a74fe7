package host

import (
	"strconv"
	"strings"
)

// quoted reads a string whose quote stands here, and that begins with its prefix at
// from.
func (l *lexer) quoted(from int) {
	if l.lang == python && (l.has(`"""`) || l.has(`'''`)) {
		l.until(from, l.src[l.i:l.i+3], l.src[l.i:l.i+3], strings.ContainsAny(l.src[from:l.i], "rR"))
		return
	}
	l.until(from, l.src[l.i:l.i+1], l.src[l.i:l.i+1], strings.ContainsAny(l.src[from:l.i], "rR"))
}

// until reads a string from the opening quote here to the closing one. In a raw one
// backslashes are letters; a quote after one does not end it in Python all the same.
func (l *lexer) until(from int, open, closing string, raw bool) {
	first := l.line
	l.i += len(open)
	start := l.i
	escapes := !raw || l.lang == python
	for l.i < len(l.src) {
		if l.has(closing) {
			value := l.src[start:l.i]
			l.i += len(closing)
			l.str(from, first, value, raw)
			return
		}
		if l.src[l.i] == '\\' && escapes && l.i+1 < len(l.src) {
			l.i++
		}
		if l.src[l.i] == '\n' {
			if len(closing) == 1 && l.lang != rust && l.src[l.i-1] != '\\' { // it cannot go on
				l.str(from, first, l.src[start:l.i], raw)
				return
			}
			l.line++
		}
		l.i++
	}
	l.bad = append(l.bad, Unread{Line: first, Why: "a string that does not end"})
	l.str(from, first, l.src[start:], raw)
}

// str keeps a string, at the line where it begins.
func (l *lexer) str(from, line int, value string, raw bool) {
	k := str
	if l.lang == python && strings.ContainsAny(prefixOf(l.src[from:]), "fF") {
		k = fstring
	}
	if !raw {
		value = unescape(value)
	}
	l.add(k, from, value)
	l.toks[len(l.toks)-1].line = line
}

func prefixOf(s string) string {
	n := strings.IndexAny(s, `"'`)
	return s[:max(n, 0)]
}

// prefixed reads a string with the prefix w, if w is one: r#"…"#, b"…", c"…", f"…",
// R"x(…)x", u8"…".
func (l *lexer) prefixed(from int, w string) bool {
	switch l.lang {
	case rust:
		if w != "r" && w != "b" && w != "br" && w != "c" && w != "cr" {
			return false
		}
		n := 0
		for l.peek(n) == '#' {
			n++
		}
		raw := strings.Contains(w, "r")
		if l.peek(n) != '"' || n > 0 && !raw {
			return false
		}
		hashes := l.src[l.i : l.i+n]
		l.until(from, hashes+`"`, `"`+hashes, raw)
		return true
	case cpp:
		if w != "R" && w != "u8R" && w != "LR" && w != "uR" && w != "UR" {
			return false
		}
		n := strings.IndexByte(l.src[l.i:min(len(l.src), l.i+20)], '(')
		if l.peek(0) != '"' || n < 0 {
			return false
		}
		l.until(from, l.src[l.i:l.i+n+1], ")"+l.src[l.i+1:l.i+n]+`"`, true)
		return true
	}
	if c := l.peek(0); c != '"' && c != '\'' || strings.Trim(strings.ToLower(w), "rbuf") != "" {
		return false
	}
	l.quoted(from)
	return true
}

// apostrophe reads a character, a string of Python, or skips a lifetime of Rust.
func (l *lexer) apostrophe() {
	from := l.i
	switch {
	case l.lang == python:
		l.quoted(from)
		return
	case l.lang == rust && isLetter(l.peek(1)) && !l.closesChar():
		l.i++
		for isWord(l.peek(0)) {
			l.i++
		}
		return
	}
	l.i++
	for n := 0; n < 12 && l.i < len(l.src) && l.src[l.i] != '\n'; n++ {
		if l.src[l.i] == '\'' {
			l.i++
			break
		}
		if l.src[l.i] == '\\' && l.i+1 < len(l.src) && l.src[l.i+1] != '\n' {
			l.i++
		}
		l.i++
	}
	l.add(char, from, l.src[from:l.i])
}

// closesChar says whether what stands after the apostrophe here is one character and
// another apostrophe.
func (l *lexer) closesChar() bool {
	n := 2
	for n < 5 && l.peek(n) >= 0x80 && l.peek(1) >= 0x80 { // the rest of a rune
		n++
	}
	return l.peek(n) == '\''
}

// unescape gives a string's value. What is no escape that all know stays as it is; a
// zero at the end is the end of a C string.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '0':
			b.WriteByte(0)
		case 'x':
			if v, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
			b.WriteString(`\x`)
		case '\n': // Rust leaves out the blanks of the next line too
			for i+1 < len(s) && strings.IndexByte(" \t\n\r", s[i+1]) >= 0 {
				i++
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return strings.TrimRight(b.String(), "\x00")
}
