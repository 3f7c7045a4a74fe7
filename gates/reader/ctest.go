package reader

import "bytes"

// ctest reads CMake's ctest, by what it prints:
//
//	Test project /src/build
//	    Start 1: opens
//	1/2 Test #1: opens ............................   Passed    0.01 sec
//	    Start 2: closes
//	2/2 Test #2: closes ...........................***Failed    0.02 sec
//
//	50% tests passed, 1 tests failed out of 2
//
// The lines of the tests are counted, the last of each number (--repeat prints
// several, and which of them is the last to have "1/2" in front depends on its
// kind), and the summary must agree with them. Its percentage is rounded, takes
// what was skipped for passed, and is not used. A test that was skipped, or is
// disabled, is ignored. One that could not be started is failed, as ctest has it.
//
// What a test prints is shown with -V, behind "1: " and so never taken for
// ctest's, or with --output-on-failure as it stands. So, in that order:
//
//   - "Test project" below another one, before its summary, is printed by a
//     test, and so is all up to its own summary or to the one that fits the
//     run around it.
//   - A summary that fits no run that is open is a test's print and ignored.
//   - A run in which a test ended and that has no summary is a contradiction.
//   - A line of a test that stands in front of every run, or has the number of
//     another name, is a contradiction.
//   - Cannot be told: a failing test that prints result lines of other numbers
//     and, with as many of them, ends in a red run all the same.
//
// A run that lists tests (-N), finds none, or has only disabled ones has no
// summary and counts what it has. ctest -Q prints nothing and so counts nothing.
type ctest struct {
	total Counts
	runs  []*ctestRun // open: first ctest's own, then printed ones
	stray bool        // a result stood outside of any run
}

// ctestRun is what one "Test project" has below it.
type ctestRun struct {
	results map[int]ctestResult
	lost    bool   // it had more than maxOpen tests
	clash   string // a name whose number another one has too
}

type ctestResult struct {
	name    string
	verdict ctestVerdict
	again   bool // it had failed before
}

type ctestVerdict int

const (
	ctestPassed ctestVerdict = iota
	ctestFailed
	ctestSkipped
	ctestDisabled
)

func (c *ctest) Line(s Stream, line []byte) []byte {
	if s == Stderr || len(line) == 0 {
		return line
	}
	switch first := line[0]; {
	case first == 'T':
		if bytes.HasPrefix(line, []byte("Test project ")) {
			c.start()
		}
	case first == ' ' || '0' <= first && first <= '9':
		if number, name, verdict, ok := parseCTest(line); ok {
			c.result(number, name, verdict)
		} else if failed, of, ok := parseCTestSummary(line); ok {
			c.summary(failed, of)
		}
	}
	return line
}

// Idle looks for the few texts that ctest's lines have.
func (c *ctest) Idle(s Stream, lines []byte) bool {
	return s == Stderr || !bytes.Contains(lines, []byte("Test ")) && !bytes.Contains(lines, []byte("% tests passed"))
}

// start opens a run. One that will have no summary cannot have run a test that
// prints this one.
func (c *ctest) start() {
	if len(c.runs) == 1 && !c.runs[0].hasSummary() {
		c.runs[0].commit(&c.total)
		c.runs = nil
	}
	if len(c.runs) < maxFrames {
		c.runs = append(c.runs, &ctestRun{results: map[int]ctestResult{}})
	}
}

func (c *ctest) result(number int, name []byte, v ctestVerdict) {
	if len(c.runs) == 0 {
		c.stray = true
		return
	}
	r := c.runs[len(c.runs)-1]
	before, twice := r.results[number]
	switch {
	case twice && before.name != string(name):
		r.clash = before.name
	case len(r.results) >= maxOpen && !twice:
		r.lost = true
		return
	}
	if !twice || before.verdict != v {
		again := twice && before.verdict == ctestFailed
		r.results[number] = ctestResult{string(name[:min(len(name), maxName)]), v, again}
	}
}

// summary ends the innermost run that it fits.
func (c *ctest) summary(failed, of int) {
	at := len(c.runs) - 1
	for at >= 0 && !c.runs[at].fits(failed, of) {
		at--
	}
	switch {
	case at == 0:
		c.runs[0].commit(&c.total)
		c.runs = nil
	case at > 0:
		c.runs = c.runs[:at]
	}
}

func (c *ctest) Counts() Counts {
	t := &c.total
	switch {
	case len(c.runs) == 0:
	case c.runs[0].hasSummary():
		t.contradict("ctest ran %s and never said how many failed: it was stopped, or a test prints another run's lines; run it without --output-on-failure", count(len(c.runs[0].results), "test"))
	default:
		c.runs[0].commit(t)
	}
	if c.stray {
		t.contradict("results of ctest stand outside of any run of it: something prints the lines of another run; keep them out of stdout")
	}
	return *t
}
