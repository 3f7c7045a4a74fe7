package crates

import (
	"regexp"
	"strings"
)

// Blank gives a Rust source without what is no code: comments, and what stands in
// strings and characters, are spaces. Every byte of code is in its place, and every
// line.
func Blank(text string) string {
	out := []byte(text)
	wipe := func(from, to int) {
		for i := from; i < to && i < len(out); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); {
		end := i + 1
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "//"):
			end = i + lineEnd(text[i:])
			wipe(i, end)
		case strings.HasPrefix(text[i:], "/*"):
			end = i + commentEnd(text[i:])
			wipe(i, end)
		case c == '"':
			end = i + stringEnd(text[i:])
			wipe(i+1, end-1)
		case c == 'r' && (i == 0 || !wordByte(text[i-1]) || text[i-1] == 'b' && (i < 2 || !wordByte(text[i-2]))):
			if m := rawString.FindStringSubmatch(text[i:]); m != nil {
				hashes := m[1]
				body := i + len(m[0])
				if n := strings.Index(text[body:], `"`+hashes); n >= 0 {
					end = body + n + 1 + len(hashes)
				} else {
					end = len(text)
				}
				wipe(body, end-1-len(hashes))
			}
		case c == '\'':
			if m := character.FindString(text[i:]); m != "" { // otherwise it is a lifetime
				end = i + len(m)
				wipe(i+1, end-1)
			}
		}
		i = end
	}
	return string(out)
}

var (
	rawString = regexp.MustCompile(`^r(#{0,16})"`)
	character = regexp.MustCompile(`^'(?:\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]{1,8}\}|.)|[^'\\\n])'`)
)

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func lineEnd(text string) int {
	if n := strings.IndexByte(text, '\n'); n >= 0 {
		return n
	}
	return len(text)
}

// commentEnd is the end of a comment in /* */, which may have others in it.
func commentEnd(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
