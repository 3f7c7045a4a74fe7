package reader

import (
	"bytes"
	"fmt"
)

// summary is the last line of a suite.
type summary struct {
	passed, failed, ignored, measured, filtered int
}

// total is what the header announced: filtered tests are not in it.
func (s summary) total() int { return s.passed + s.failed + s.ignored + s.measured }

// parseHeader reads "running 3 tests", "running 1 test", and either with
// " (shuffle seed: 7)" behind it.
func parseHeader(line []byte) (int, bool) {
	rest, ok := bytes.CutPrefix(line, []byte("running "))
	if !ok {
		return 0, false
	}
	n, rest, ok := cutNumber(rest)
	if !ok {
		return 0, false
	}
	word := " tests"
	if n == 1 {
		word = " test"
	}
	rest, ok = bytes.CutPrefix(rest, []byte(word))
	return n, ok && (len(rest) == 0 || bytes.HasPrefix(rest, []byte(" (shuffle seed: ")))
}

// parseSummary reads
//
//	test result: ok. 3 passed; 0 failed; 2 ignored; 0 measured; 1 filtered out; finished in 0.19s
//
// where older harnesses leave the time out. It says ok exactly if none failed.
func parseSummary(line []byte) (s summary, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("test result: "))
	if !ok {
		return s, false
	}
	rest, good := bytes.CutPrefix(rest, []byte("ok."))
	if !good {
		if rest, ok = bytes.CutPrefix(rest, []byte("FAILED.")); !ok {
			return s, false
		}
	}
	for _, field := range []struct {
		n    *int
		word string
	}{
		{&s.passed, " passed;"}, {&s.failed, " failed;"}, {&s.ignored, " ignored;"}, {&s.measured, " measured;"}, {&s.filtered, " filtered out"},
	} {
		if rest, ok = bytes.CutPrefix(rest, []byte(" ")); !ok {
			return s, false
		}
		if *field.n, rest, ok = cutNumber(rest); !ok {
			return s, false
		}
		if rest, ok = bytes.CutPrefix(rest, []byte(field.word)); !ok {
			return s, false
		}
	}
	timed := bytes.HasPrefix(rest, []byte("; finished in ")) && bytes.HasSuffix(rest, []byte("s"))
	return s, good == (s.failed == 0) && (timed || len(rest) == 0)
}

// ofHarness says whether a line can be one of libtest's own.
func ofHarness(line []byte) bool {
	switch line[0] {
	case 'r':
		return bytes.HasPrefix(line, []byte("running "))
	case 't':
		return bytes.HasPrefix(line, []byte("test "))
	case 'f':
		return bytes.HasPrefix(line, []byte("failures:"))
	}
	return false
}

// ofCargo says whether a line can be one that parseCargo reads.
func ofCargo(line []byte) bool {
	return bytes.HasPrefix(line, []byte("     Running ")) || bytes.HasPrefix(line, []byte("   Doc-tests "))
}

// testVerdict is what a "test NAME ... " line says.
type testVerdict int

const (
	testBegun testVerdict = iota // nothing yet: the output of the test is in between
	testEnded
	testIgnored
	testFailed
)

// parseTest reads "test NAME ... ok" and its kin.
func parseTest(line []byte) (name []byte, verdict testVerdict, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("test "))
	if !ok {
		return nil, 0, false
	}
	name, word, ok := bytes.Cut(rest, []byte(" ... "))
	if !ok {
		// The line that was cut off in the middle may have lost its last blank.
		if name, ok = bytes.CutSuffix(rest, []byte(" ...")); !ok {
			return nil, 0, false
		}
	}
	name = bytes.TrimSuffix(name, []byte(" - should panic"))
	switch {
	case string(word) == "FAILED":
		return name, testFailed, true
	case bytes.HasPrefix(word, []byte("ignored")):
		return name, testIgnored, true
	case string(word) == "ok", bytes.HasPrefix(word, []byte("bench:")):
		return name, testEnded, true
	}
	return name, testBegun, true
}

// isDocName tells a doc test's name: "src/lib.rs - one (line 3)", with
// " - compile fail" and its kin behind it.
func isDocName(name []byte) bool {
	_, rest, ok := bytes.Cut(name, []byte(" - "))
	at := bytes.LastIndex(rest, []byte("(line "))
	if !ok || at < 0 || (at > 0 && rest[at-1] != ' ') {
		return false
	}
	_, rest, ok = cutNumber(rest[at+len("(line "):])
	return ok && (string(rest) == ")" || bytes.HasPrefix(rest, []byte(") - ")))
}

// parseCargo reads the lines with which cargo starts a test executable, or
// rustdoc (docs), with cargo -v as well:
//
//	  Running unittests src/lib.rs (target/debug/deps/lt-d08e8b453f7c5fff)
//	  Running `target/debug/deps/lt-d08e8b453f7c5fff --nocapture`
//	Doc-tests lt
func parseCargo(line []byte) (product []byte, docs, ok bool) {
	if bytes.HasPrefix(line, []byte("   Doc-tests ")) {
		return nil, true, true
	}
	rest, ok := bytes.CutPrefix(line, []byte("     Running "))
	if !ok {
		return nil, false, false
	}
	if command, quoted := bytes.CutPrefix(rest, []byte("`")); quoted {
		// Below -v the compiler's own command lines look the same.
		end := bytes.IndexAny(command, " `")
		if end < 0 || !bytes.Contains(command[:end], []byte("/deps/")) {
			return nil, false, false
		}
		return command[:end], false, true
	}
	open := bytes.Index(rest, []byte(" ("))
	if open < 0 || rest[len(rest)-1] != ')' {
		return nil, false, false
	}
	return rest[open+2 : len(rest)-1], false, true
}

// cutNumber reads a decimal number of at most nine digits, which fits an int
// anywhere, from the start of s.
func cutNumber(s []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
		if i > 9 {
			return 0, s, false
		}
	}
	return n, s[i:], i > 0
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
