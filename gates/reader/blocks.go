package reader

import "bytes"

// blocks counts from plain go test, with -v and without. Its output is one
// block per package, which the package's own line ends; what tests print stands
// among go's lines. What is believed:
//
//   - "=== RUN   NAME" of a test, if no other test runs that is not paused (go
//     runs them one after the other until the parallel ones continue), and of a
//     subtest below an open test.
//   - "--- PASS: NAME (0.00s)" at the start of a line if NAME is open; a
//     subtest's, indented, only below the report of its own test, where go puts
//     it. Two different reports of one test are a contradiction.
//   - "ok" and "FAIL" lines of a package while no test is open. If one is, ok is
//     either printed by the test or the end of a process that a test ended: the
//     test goes on, or it never does, and then that is a contradiction. FAIL is
//     the end if the next test begins or nothing follows.
//   - Without -v nothing is printed of a package but that it passed, also if all
//     its tests were skipped, or its TestMain swallowed a failure or ran none of
//     them: a contradiction. A failed one counts its reports of failures. In a run
//     with -v, an ok without any test in front of it is a contradiction as well.
//   - With -v, an ok below FAIL or without PASS, as events has it.
//   - Benchmarks below the "goos:" header while no test is open.
//   - A test binary that was started by itself ends with PASS or FAIL.
//
// Not detected: a test that prints PAUSE for itself, a whole test, and CONT; a
// TestMain that prints whole tests; and beside benchmarks without -v the tests of
// the same package, unless one fails. A test that leaves a line
// unfinished swallows the report behind it, which mostly ends as a
// contradiction. None of this can happen with -json.
type blocks struct {
	block    block
	verbose  bool     // some block had RUN lines
	hidden   nameList // packages that say ok, and nothing of what ran
	packages int      // that ended
	cache    cache
}

// line takes a line of stdout and reports whether it is go's.
func (b *blocks) line(c *Counts, line []byte) bool {
	k := &b.block
	switch line[0] {
	case '=':
		return b.stage(c, line)
	case '-', ' ':
		return k.report(c, line)
	case 'o', 'F', '?':
		if end, ok := parsePackage(line); ok {
			b.packageLine(c, end)
			return true
		}
		return k.note(line, "FAIL", &k.word.failed)
	case 'P':
		return k.note(line, "PASS", &k.word.passed)
	case 'g':
		if bytes.HasPrefix(line, []byte("goos: ")) && k.running == 0 {
			k.bench = true
			return true
		}
	case 'B':
		if k.bench && k.running == 0 && isMeasurement(line) {
			c.Measured++
			k.measured++
			return true
		}
	}
	return false
}

// stage takes a line on where a test stands.
func (b *blocks) stage(c *Counts, line []byte) bool {
	const prefix = len("=== RUN   ") // all have the same length
	if len(line) <= prefix || len(line) > maxName {
		return false
	}
	switch word, name := line[:prefix], line[prefix:]; string(word) {
	case "=== RUN   ":
		if end := b.block.early; end != nil && end.failed && bytes.IndexByte(name, '/') < 0 {
			b.close(c, *end)
		}
		b.block.run(string(name))
	case "=== PAUSE ":
		b.block.pause(string(name), true)
	case "=== CONT  ":
		b.block.pause(string(name), false)
	default:
		return false
	}
	return true
}

// packageLine takes the end of a package, unless a test may have printed it.
func (b *blocks) packageLine(c *Counts, end packageEnd) {
	if end.noFiles {
		return
	}
	if early := b.block.early; early != nil && early.failed {
		b.close(c, *early)
	}
	if len(b.block.open) > 0 {
		b.block.early = &end
		return
	}
	b.close(c, end)
}

// close counts a package that ended, and begins with the next.
func (b *blocks) close(c *Counts, end packageEnd) {
	k := &b.block
	k.flush(c)
	b.packages++
	b.verbose = b.verbose || k.ran
	if end.built {
		c.Suites++
	}
	if end.cached {
		b.cache.add(end.name)
	}
	if k.lost {
		c.contradict("package %s had more than %d tests open at once: split it", end.name, maxOpen)
	}
	switch {
	case end.failed:
		c.failAll(k.fails)
		failedPackage(c, end.name, k.fails.n > 0, end.built)
		neverEnded(c, end.name, openTests(k.open))
	case k.ran && k.fails.n > 0: // swallowed, which the exit status tells
		c.failAll(k.fails)
	case k.word.failed && k.fails.n > 0:
		c.contradict("package %s says ok after it reported that %s failed: look at the status its TestMain gives", end.name, k.fails.names[0])
	case k.ran || k.measured > 0:
		k.word.check(c, end.name)
	case !end.noTests:
		b.hidden.add([]byte(end.name))
	}
	b.block = block{}
}

// end says what plain output lacks.
func (b *blocks) end(c *Counts) {
	b.endBlock(c)
	b.cache.remark(c)
	switch {
	case b.hidden.n == 0:
	case b.verbose:
		for _, name := range b.hidden.names {
			ranNothing(c, name)
		}
	default:
		c.contradict("go test without -v or -json says which packages passed, not what ran: add -v or -json to it (%s, such as %s); if it has -v, look whether a TestMain or -exec leaves before the tests",
			count(b.hidden.n, "package"), b.hidden.names[0])
	}
}

// endBlock ends what no package's line has ended.
func (b *blocks) endBlock(c *Counts) {
	k := &b.block
	k.flush(c)
	began := openTests(k.open)
	binary := packageEnd{name: "the test binary", built: true}
	switch {
	case k.early != nil && k.early.failed:
		b.close(c, *k.early)
	case k.early != nil:
		c.contradict("package %s says ok while %s had not ended: a test ended the whole process, or swallowed a line by printing without a newline; use go test -json", k.early.name, began[0])
	case len(began) > 0:
		c.contradict("%s began and its package never reported how it ended: a test ended the whole process, or it was stopped; use go test -json", began[0])
	case k.word.passed && b.packages == 0 && !k.ran && k.measured == 0:
		c.Suites++
		c.contradict("a test binary says PASS and not what ran: add -test.v to it; if it has that, look whether its TestMain leaves before the tests")
	case k.word.passed && (k.ran || b.packages == 0):
		b.close(c, binary)
	case k.word.failed && (k.ran || k.fails.n > 0):
		binary.failed = true
		b.close(c, binary)
	case k.ran:
		c.contradict("tests ran and their package never reported how it ended: it was stopped; use go test -json")
	}
}
