package reader

import "bytes"

const esc = 0x1b

// Plain removes from a line what only a terminal needs: escape sequences
// (ECMA-48: CSI, OSC and the other strings, charset switches such as the ESC ( B
// that tput sgr0 writes), a carriage return at the end, and progress that a
// carriage return lets the next text overwrite. Of overwritten texts the last
// one that is not blank stays. A sequence that the line does not finish loses
// its first two bytes only, so that no text goes missing.
//
// Without ESC and CR the line itself comes back and nothing is allocated.
func Plain(line []byte) []byte {
	if bytes.IndexByte(line, esc) >= 0 {
		line = unescape(line)
	}
	if bytes.IndexByte(line, '\r') >= 0 {
		line = overwritten(line)
	}
	return line
}

// unescape returns a copy of line without escape sequences.
func unescape(line []byte) []byte {
	out := make([]byte, 0, len(line))
	for {
		i := bytes.IndexByte(line, esc)
		if i < 0 {
			return append(out, line...)
		}
		out = append(out, line[:i]...)
		line = line[i+escapeLen(line[i:]):]
	}
}

// escapeLen is the length of the sequence at the start of s, which is an ESC.
func escapeLen(s []byte) int {
	if len(s) < 2 {
		return 1
	}
	switch c := s[1]; {
	case c == '[':
		return finalLen(s, 2, 0x20, 0x3f, 0x40)
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		return stringLen(s)
	case 0x20 <= c && c <= 0x2f:
		return finalLen(s, 1, 0x20, 0x2f, 0x30)
	case 0x30 <= c && c <= 0x7e:
		return 2
	}
	return 1 // ESC before a control or non-ASCII byte: not a sequence
}

// finalLen is the length of a sequence whose bytes from i on lie in low to high
// and which ends with one in final to 0x7e.
func finalLen(s []byte, i int, low, high, final byte) int {
	for ; i < len(s); i++ {
		if s[i] >= final && s[i] <= 0x7e {
			return i + 1
		}
		if s[i] < low || s[i] > high {
			break
		}
	}
	return 2
}

// stringLen is the length of a control string, which ends with BEL or ESC \.
func stringLen(s []byte) int {
	for i := 2; i < len(s); i++ {
		if s[i] == '\a' {
			return i + 1
		}
		if s[i] == esc {
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			break
		}
	}
	return 2
}

// overwritten returns the last text between carriage returns that is not blank.
func overwritten(line []byte) []byte {
	for {
		i := bytes.LastIndexByte(line, '\r')
		if last := line[i+1:]; i < 0 || len(bytes.TrimSpace(last)) > 0 {
			return last
		}
		line = line[:i]
	}
}
