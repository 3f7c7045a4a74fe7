package reader

import (
	"bytes"
	"maps"
	"slices"
)

// parseCTest reads the line that ends a test,
//
//	1/11 Test  #1: opens the queue ..............   Passed    0.01 sec
//	     Test  #9: closes .......................***Not Run (Disabled)   0.00 sec
//
// of which --repeat leaves out the "1/11". A name is filled up with points to
// the width of the longest, and three are more than the longest has behind it.
func parseCTest(line []byte) (number int, name []byte, v ctestVerdict, ok bool) {
	rest := bytes.TrimLeft(line, " ")
	if nth, after, cut := bytes.Cut(rest, []byte("/")); cut && !bytes.HasPrefix(rest, []byte("Test ")) {
		_, left, ok1 := cutNumber(nth)
		_, after, ok2 := cutNumber(after)
		if !ok1 || len(left) > 0 || !ok2 || len(after) == 0 || after[0] != ' ' {
			return 0, nil, 0, false
		}
		rest = after[1:]
	}
	if rest, ok = bytes.CutPrefix(rest, []byte("Test ")); !ok {
		return 0, nil, 0, false
	}
	if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " "), []byte("#")); !ok {
		return 0, nil, 0, false
	}
	if number, rest, ok = cutNumber(rest); !ok {
		return 0, nil, 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(": ")); !ok {
		return 0, nil, 0, false
	}
	name, status, ok := cutStatus(rest)
	return number, name, status, ok
}

// cutStatus tells the name from what became of the test.
func cutStatus(s []byte) (name []byte, v ctestVerdict, ok bool) {
	if i := bytes.LastIndex(s, []byte("...   Passed  ")); i >= 0 {
		return trimPoints(s[:i]), ctestPassed, true
	}
	i := bytes.Index(s, []byte("...***"))
	if i < 0 {
		return nil, 0, false
	}
	v = ctestFailed // Failed, Timeout, Exception: SegFault, Not Run
	switch word := s[i+len("...***"):]; {
	case bytes.HasPrefix(word, []byte("Skipped ")):
		v = ctestSkipped
	case bytes.HasPrefix(word, []byte("Not Run (Disabled)")):
		v = ctestDisabled
	}
	return trimPoints(s[:i]), v, true
}

func trimPoints(s []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(s, "."), []byte(" "))
}

// parseCTestSummary reads "50% tests passed, 1 tests failed out of 2".
func parseCTestSummary(line []byte) (failed, of int, ok bool) {
	_, rest, ok := cutNumber(line)
	if !ok {
		return 0, 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte("% tests passed, ")); !ok {
		return 0, 0, false
	}
	if failed, rest, ok = cutNumber(rest); !ok {
		return 0, 0, false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(" tests failed out of ")); !ok {
		return 0, 0, false
	}
	of, rest, ok = cutNumber(rest)
	return failed, of, ok && len(rest) == 0
}

// fits says that a summary is this run's: what is disabled is not in it.
func (r *ctestRun) fits(failed, of int) bool {
	n := r.number()
	return n[ctestFailed] == failed && n[ctestPassed]+n[ctestFailed]+n[ctestSkipped] == of
}

func (r *ctestRun) number() (n [4]int) {
	for _, result := range r.results {
		n[result.verdict]++
	}
	return n
}

// hasSummary says that ctest would print one: not where all is disabled.
func (r *ctestRun) hasSummary() bool {
	return len(r.results) > r.number()[ctestDisabled]
}

func (r *ctestRun) commit(c *Counts) {
	c.Suites++
	var flaky nameList
	for _, number := range slices.Sorted(maps.Keys(r.results)) {
		switch result := r.results[number]; {
		case result.verdict == ctestFailed:
			c.fail(result.name)
		case result.verdict != ctestPassed:
			c.ignore(result.name)
		default:
			c.pass(result.name)
			if !result.again {
				break
			}
			flaky.add([]byte(result.name))
		}
	}
	if flaky.n > 0 {
		c.remark("flaky: %s passed after a failure, such as %s", count(flaky.n, "test"), flaky.names[0])
	}
	if r.clash != "" {
		c.contradict("ctest reports two tests by the number of %s: a test prints the lines of another run; run ctest without --output-on-failure", r.clash)
	}
	if r.lost {
		c.contradict("ctest ran more than %d tests in one run: split it", maxOpen)
	}
}
