package junit

import (
	"encoding/xml"
	"fmt"
	"strconv"
)

// tally holds the sums that a suite declares against those of its cases.
type tally struct {
	name     string
	says     declared
	said     Outcome  // by a status of the suite itself
	bad      []string // declared, and no number
	own, all sums     // of its own cases, and of the suites in it as well
}

// declared are the attributes of a suite, absent where it has none.
type declared struct{ tests, failures, errors, skipped, disabled int }

const absent = -1

// sums are counted. A case can hold several failures: pytest declares those,
// others the cases that failed.
type sums struct {
	tests, failed, skipped int // cases
	faults                 int // failures and errors, where a case can have several
	whole                  int // failures and errors of a suite itself
}

// bad is what failed, in whichever way.
func (s sums) bad() int { return s.failed + s.whole }

// fits says whether the number that a suite declares as failed is one of those
// that tools count.
func (s sums) fits(n int) bool {
	return n == s.failed || n == s.faults || n == s.failed+s.whole || n == s.faults+s.whole
}

func (s *sums) add(m marks) {
	s.tests++
	switch m.outcome() {
	case Failed, Errored:
		s.failed++
		s.faults += max(m.failures+m.errors, 1)
	case Skipped:
		s.skipped++
	}
}

func (s *sums) join(t sums) {
	s.tests += t.tests
	s.failed += t.failed
	s.skipped += t.skipped
	s.faults += t.faults
	s.whole += t.whole
}

func newTally(attrs []xml.Attr) *tally {
	t := &tally{name: text(attrs, "name"), said: said(attrs)}
	for _, a := range []struct {
		n    *int
		name string
	}{
		{&t.says.tests, "tests"}, {&t.says.failures, "failures"}, {&t.says.errors, "errors"},
		{&t.says.skipped, "skipped"}, {&t.says.disabled, "disabled"},
	} {
		*a.n = absent
		value := text(attrs, a.name)
		if value == "" {
			continue
		}
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil {
			t.bad = append(t.bad, fmt.Sprintf("%s says %s=%.40q, which is no number of tests", t.label(), a.name, value))
			continue
		}
		*a.n = int(n)
	}
	return t
}

// disagrees compares. Whether the sums of a suite have those of the suites
// within it is not agreed on, so either will do.
func (t *tally) disagrees() []string {
	out, says := t.bad, t.says
	fits := func(same func(sums) bool) bool { return same(t.own) || same(t.all) }
	if says.tests != absent && !fits(func(s sums) bool { return s.tests == says.tests }) {
		out = append(out, fmt.Sprintf("%s says tests=%d and holds %d", t.label(), says.tests, t.all.tests))
	}
	if says.failures != absent || says.errors != absent {
		n := max(says.failures, 0) + max(says.errors, 0)
		if !fits(func(s sums) bool { return s.fits(n) }) {
			out = append(out, fmt.Sprintf("%s says that %d failed or had errors and holds %d such", t.label(), n, t.all.bad()))
		}
	}
	if says.skipped != absent { // some count what is disabled with it
		both := says.skipped + max(says.disabled, 0)
		if !fits(func(s sums) bool { return s.skipped == says.skipped || s.skipped == both }) {
			out = append(out, fmt.Sprintf("%s says skipped=%d and holds %d such", t.label(), says.skipped, t.all.skipped))
		}
	}
	return out
}

func (t *tally) label() string {
	if t.name == "" {
		return "a suite without a name"
	}
	return fmt.Sprintf("suite %.80q", t.name)
}
