package reader

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// event is one line of go test -json (go doc test2json, go help buildjson).
// Its fields point into the line or into buf, until the next parse.
type event struct {
	action, pkg, test, output, failedBuild []byte

	buf []byte // decoded strings, one behind the other
}

// parse reads a flat JSON object without blanks between its parts, as the go
// command writes it, and reports whether that is an event. encoding/json takes
// about ten times as long, which is felt when a test prints a gigabyte.
func (e *event) parse(line []byte) bool {
	*e = event{buf: e.buf[:0]}
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return false
	}
	rest := line[1:]
	for {
		key, after, ok := e.text(rest)
		if !ok || len(after) == 0 || after[0] != ':' {
			return false
		}
		if rest, ok = e.value(key, after[1:]); !ok || len(rest) == 0 {
			return false
		}
		if rest[0] == '}' {
			return len(rest) == 1 && len(e.action) > 0
		}
		if rest[0] != ',' {
			return false
		}
		rest = rest[1:]
	}
}

// value reads the value of a key and keeps it where it is wanted.
func (e *event) value(key, s []byte) (rest []byte, ok bool) {
	if len(s) == 0 || s[0] != '"' {
		return scalar(s)
	}
	text, rest, ok := e.text(s)
	if !ok {
		return nil, false
	}
	switch string(key) {
	case "Action":
		e.action = text
	case "Package":
		e.pkg = text
	case "Test":
		e.test = text
	case "Output":
		e.output = text
	case "FailedBuild":
		e.failedBuild = text
	}
	return rest, true
}

// scalar skips a number, true, false or null.
func scalar(s []byte) (rest []byte, ok bool) {
	n := bytes.IndexAny(s, ",}")
	if n <= 0 {
		return nil, false
	}
	for _, c := range s[:n] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && c != '-' && c != '+' && c != '.' && c != 'E' {
			return nil, false
		}
	}
	return s[n:], true
}

// text reads a JSON string. Without an escape it is a part of s.
func (e *event) text(s []byte) (text, rest []byte, ok bool) {
	if len(s) == 0 || s[0] != '"' {
		return nil, nil, false
	}
	s = s[1:]
	end := bytes.IndexByte(s, '"')
	if end < 0 {
		return nil, nil, false
	}
	if bytes.IndexByte(s[:end], '\\') < 0 {
		return s[:end], s[end+1:], true
	}
	start := len(e.buf)
	for {
		i := bytes.IndexAny(s, `"\`)
		if i < 0 {
			return nil, nil, false
		}
		e.buf = append(e.buf, s[:i]...)
		if s[i] == '"' {
			return e.buf[start:len(e.buf):len(e.buf)], s[i+1:], true
		}
		if s, ok = e.escape(s[i+1:]); !ok {
			return nil, nil, false
		}
	}
}

// escape decodes what stands behind a backslash.
func (e *event) escape(s []byte) (rest []byte, ok bool) {
	if len(s) == 0 {
		return nil, false
	}
	c := s[0]
	switch c {
	case '"', '\\', '/':
	case 'n':
		c = '\n'
	case 't':
		c = '\t'
	case 'r':
		c = '\r'
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'u':
		return e.codepoint(s[1:])
	default:
		return nil, false
	}
	e.buf = append(e.buf, c)
	return s[1:], true
}

// codepoint decodes the digits of \uXXXX, and the second half of a surrogate
// pair behind them.
func (e *event) codepoint(s []byte) (rest []byte, ok bool) {
	r, ok := hex4(s)
	if !ok {
		return nil, false
	}
	s = s[4:]
	if utf16.IsSurrogate(r) {
		high := r
		r = utf8.RuneError
		if len(s) >= 6 && s[0] == '\\' && s[1] == 'u' {
			if low, ok := hex4(s[2:]); ok {
				if pair := utf16.DecodeRune(high, low); pair != utf8.RuneError {
					r, s = pair, s[6:]
				}
			}
		}
	}
	e.buf = utf8.AppendRune(e.buf, r)
	return s, true
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[:4]), 16, 16)
	return rune(n), err == nil
}
