package reader

import "bytes"

// pySums are the words of pytest's last line.
type pySums struct {
	Passed     int `json:"passed"`
	Failed     int `json:"failed"`
	Errors     int `json:"errors"`
	Skipped    int `json:"skipped"`
	XFailed    int `json:"xfailed"` // failed as they should
	XPassed    int `json:"xpassed"` // passed though they should fail, and it is not strict
	Deselected int `json:"deselected"`
	Rerun      int `json:"rerun"`

	listed bool // only collected
}

// bad are failures of tests and what kept tests from running.
func (s pySums) bad() int { return s.Failed + s.Errors }

// ended are tests, each at least once.
func (s pySums) ended() int {
	return s.Passed + s.Failed + s.Errors + s.Skipped + s.XFailed + s.XPassed
}

// bar takes the text out of a line that pytest fills up with a sign on both
// sides: "=== test session starts ===".
func bar(line []byte, sign byte) ([]byte, bool) {
	if len(line) < 4 || line[0] != sign || line[len(line)-1] != sign {
		return nil, false
	}
	text := bytes.Trim(line, string(rune(sign)))
	if len(text) < 3 || text[0] != ' ' || text[len(text)-1] != ' ' {
		return nil, false
	}
	return text[1 : len(text)-1], true
}

// parsePySums reads the last line of a session without its bars, such as
//
//	1 failed, 3 passed, 2 warnings, 1 rerun in 0.12s
//	5 passed, 3 subtests passed in 61.20s (0:01:01)
//	no tests ran in 0.01s
//	2/5 tests collected (3 deselected) in 0.01s
//
// Words that are unknown are a plugin's, and passed over.
func parsePySums(text []byte) (s pySums, ok bool) {
	at := bytes.LastIndex(text, []byte(" in "))
	if at < 0 || !isSeconds(text[at+len(" in "):]) {
		return s, false
	}
	text = text[:at]
	if bytes.HasPrefix(text, []byte("no tests ")) {
		s.listed = bytes.HasPrefix(text, []byte("no tests collected"))
		return s, s.listed || string(text) == "no tests ran"
	}
	known := false
	for len(text) > 0 {
		var part []byte
		part, text, _ = bytes.Cut(text, []byte(", "))
		n, word, isNumber := cutNumber(part)
		if !isNumber || len(word) < 2 {
			return s, false
		}
		if bytes.Contains(word, []byte("collected")) {
			s.listed, known = true, true
			continue
		}
		if word[0] != ' ' || !isWords(word) {
			return s, false
		}
		if sum := s.of(word[1:]); sum != nil {
			*sum, known = n, true
		}
	}
	return s, known
}

func (s *pySums) of(word []byte) *int {
	switch string(word) {
	case "passed":
		return &s.Passed
	case "failed":
		return &s.Failed
	case "error", "errors":
		return &s.Errors
	case "skipped":
		return &s.Skipped
	case "xfailed":
		return &s.XFailed
	case "xpassed":
		return &s.XPassed
	case "deselected":
		return &s.Deselected
	case "rerun":
		return &s.Rerun
	}
	return nil
}

func isWords(s []byte) bool {
	for _, c := range s {
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != ' ' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// parseCollected reads "collected 10 items / 9 deselected / 1 skipped / 1
// selected" and xdist's "2 workers [10 items]", and gives how many are to run.
func parseCollected(line []byte) (selected int, ok bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("collecting ... ")), []byte("collected "))
	if !ok {
		return parseWorkers(line)
	}
	n, rest, ok := cutNumber(rest)
	if !ok || !bytes.HasPrefix(rest, []byte(" item")) {
		return 0, false
	}
	for len(rest) > 0 {
		var part []byte
		part, rest, _ = bytes.Cut(rest, []byte(" / "))
		if m, word, isNumber := cutNumber(part); isNumber && string(word) == " deselected" {
			n -= m
		}
	}
	return max(n, 0), true
}

func parseWorkers(line []byte) (selected int, ok bool) {
	_, rest, ok := cutNumber(line)
	if !ok {
		return 0, false
	}
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte(" worker")), []byte("s"))
	if rest, ok = bytes.CutPrefix(rest, []byte(" [")); !ok {
		return 0, false
	}
	n, rest, ok := cutNumber(rest)
	return n, ok && (string(rest) == " items]" || string(rest) == " item]")
}

// parsePyName reads a line of the short summary: "FAILED t.py::a - assert 0".
func parsePyName(line []byte) (name []byte, ok bool) {
	for _, word := range []string{"FAILED ", "ERROR "} {
		if rest, found := bytes.CutPrefix(line, []byte(word)); found {
			name, _, _ = bytes.Cut(rest, []byte(" - "))
			return name, true
		}
	}
	return nil, false
}
