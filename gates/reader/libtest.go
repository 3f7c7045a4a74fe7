package reader

import "bytes"

// libtest reads the harness of Rust (rust-lang/rust, library/test) below cargo
// test, and rustdoc's, which prints the same lines. The format of those lines,
// pretty and terse, is written down in parseHeader and parseSummary.
//
// A suite begins with "running N tests" and ends with a summary whose numbers
// add up to N, both at the start of a line on stdout. Standing in that order:
//
//   - A summary that does not add up, says ok with failures, or is on stderr is
//     a test's print and ignored.
//   - A header inside an open suite is a test's print too. It is remembered until
//     its own summary comes, so that a nested run of the same N does not end the
//     suite around it. A header without a summary is forgotten when the suite
//     around it ends.
//   - A summary that fits and comes again, with no header in between, replaces
//     the one before: the first was a test's print.
//   - A suite that never ends is a contradiction: a test left the process, or it
//     was killed. This is so also when the next executable's suite has the same N
//     and ends well, because that suite is taken for a nested one. Suites behind
//     a dead one are not counted.
//   - A lone header of the same N that a test prints looks exactly like that. If
//     cargo started one executable only, it can be told apart and is; otherwise
//     it is a contradiction too, which is the safe side.
//   - A test that prints a summary that fits and then a whole run makes that run
//     look like a suite of its own. The true summary then comes outside of any
//     suite: a contradiction, as are more suites than cargo started executables
//     (not with doc tests: rustdoc reports several times per crate).
//   - Fewer suites than cargo started executables are a contradiction too: one of
//     them has a harness of its own (harness = false), or left before its tests.
//     See started for what is known of that. A test that starts another cargo
//     whose stderr is the same looks like that as well, which is the safe side.
//   - Cannot be told from the harness: a test that prints a summary that fits
//     and ends the process with status 0, and one that prints whole runs after
//     the true summary (from an atexit function) below cargo -q, or beside as
//     many executables that report nothing.
//   - A thread that outlives its test and prints into the middle of the summary
//     line destroys it: a contradiction.
//
// Below cargo 2>&1 cargo's own lines stand on stdout; they are believed there
// outside of suites only.
type libtest struct {
	total  Counts
	frames []int // announced tests of open suites: first the harness's own, then printed ones

	ended     *suite // the latest suite that ended; a later summary may replace it
	twin      *suite // a summary for a printed header that would fit the open suite as well
	stray     bool   // a summary stood outside of any suite
	started   started
	docSuites int // suites with a name that rustdoc gives

	listing bool     // inside a list of failures
	listed  nameList // the names of the latest list
	red     nameList // the names of "test NAME ... FAILED" lines of this suite
	begun   string   // the test that began and has not ended, where the harness says so
	docName bool     // a test of this suite has a name that rustdoc gives
	roll    *Roll    // of this suite
}

func (l *libtest) Line(s Stream, line []byte) []byte {
	if s == Stderr {
		l.cargoLine(line)
		return line
	}
	if len(line) == 0 {
		l.listing = false
		return line
	}
	switch line[0] {
	case ' ':
		if l.listing && bytes.HasPrefix(line, []byte("    ")) {
			l.listed.add(line[4:])
			return line
		}
		if len(l.frames) == 0 {
			l.cargoLine(line)
		}
	case 'r':
		if n, ok := parseHeader(line); ok {
			l.header(n)
		}
	case 't':
		l.testLine(line)
	case 'f':
		if string(line) == "failures:" {
			l.listing, l.listed = true, nameList{}
			return line
		}
	}
	l.listing = false
	return line
}

// Idle looks at the beginnings of lines only.
func (l *libtest) Idle(s Stream, lines []byte) bool {
	if l.listing {
		return false
	}
	for len(lines) > 0 {
		if s == Stdout && ofHarness(lines) || lines[0] == ' ' && ofCargo(lines) {
			return false
		}
		i := bytes.IndexByte(lines, '\n')
		if i < 0 {
			break
		}
		lines = lines[i+1:]
	}
	return true
}

func (l *libtest) cargoLine(line []byte) {
	product, docs, ok := parseCargo(line)
	if !ok {
		return
	}
	if docs {
		l.started.rustdoc()
		return
	}
	l.started.executable(string(product))
	if len(l.total.Products) < maxProducts && len(product) <= maxName {
		l.total.Products = append(l.total.Products, string(product))
	}
}

func (l *libtest) testLine(line []byte) {
	if sum, ok := parseSummary(line); ok {
		l.summary(sum)
		return
	}
	if len(l.frames) == 0 {
		return
	}
	name, verdict, ok := parseTest(line)
	if !ok {
		return
	}
	l.docName = l.docName || isDocName(name)
	l.roll.add(rolled{string(name[:min(len(name), maxName)]), verdict != testIgnored})
	switch {
	case verdict == testFailed:
		l.red.add(name)
		l.begun = ""
	case verdict == testEnded, verdict == testIgnored:
		l.begun = ""
	default:
		l.begun = string(name[:min(len(name), 200)])
	}
}

func (l *libtest) Counts() Counts {
	l.commit()
	c, s := &l.total, &l.started
	if len(l.frames) > 0 && l.twin != nil && s.docs == 0 && s.n == c.Suites+1 {
		l.ended, l.frames = l.twin, nil
		l.commit()
	}
	if len(l.frames) > 0 {
		l.dead(c)
	}
	if l.stray {
		c.contradict("a summary stands outside of any suite: something prints the lines of another run; keep them out of stdout")
	}
	if s.n > 0 && s.docs == 0 && c.Suites > s.n {
		c.contradict("%s reported, and cargo started %d: a test prints the lines of another run; keep them out of stdout",
			count(c.Suites, "suite"), s.n)
	}
	if len(l.frames) == 0 { // behind a suite that never ended none is counted
		s.compare(c, l.docSuites)
	}
	return *c
}

// dead says that a suite never ended.
func (l *libtest) dead(c *Counts) {
	during := ""
	if l.begun != "" {
		during = " (the last one to begin was " + l.begun + ")"
	}
	c.contradict("the harness announced %s and never reported how they ended%s: a test ended the whole process, or it was stopped; run it with --test-threads=1 to see which",
		count(l.frames[0], "test"), during)
}
