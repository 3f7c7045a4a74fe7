package reader

import "bytes"

// events counts from the events of go test -json. What the go command does,
// seen with go1.26, and what is made of it:
//
//   - A test that ends the process by syscall.Exit(0) gets a pass event, and its
//     package no end at all: a contradiction. (os.Exit(0) panics in a test.)
//   - A panic gets a fail event for the test it struck; the others that had begun
//     get none: a remark. A time-out or a signal gets none at all: the package is
//     the failed item, and the remark names a test that had begun.
//   - A package that ends well while a test of it has not ended: a contradiction.
//   - A TestMain that leaves with status 0 and runs nothing gets ok: a
//     contradiction, also if it prints PASS as the testing package does. Packages
//     without a benchmark look the same where only benchmarks run: a remark then.
//   - A package without any test file is skipped. One that was run and printed
//     that line is too: a contradiction.
//   - The testing package ends with PASS or FAIL. A package that says ok below
//     FAIL (a swallowed race between tests) or without either (its process ended
//     between two tests): a contradiction, unless a test of it failed, which is
//     counted.
//   - Benchmarks begin and never end unless they fail or are skipped.
//   - Plain lines of go test beside events do not come from one command: a
//     contradiction. A test below plain go test may have printed the events.
type events struct {
	event  event
	pieces pieces
	open   map[string]*goPackage
	cache  cache
	tested bool     // a test began that is no benchmark
	hollow nameList // packages that said ok and PASS, and nothing of a test
	mixed  string   // the first package that a plain line names
}

// line takes a line that may be an event and reports whether it is one.
func (e *events) line(c *Counts, line []byte) (text []byte, ok bool) {
	ev := &e.event
	if !ev.parse(line) {
		return nil, false
	}
	switch string(ev.action) {
	case "build-output":
		return Plain(bytes.TrimSuffix(ev.output, []byte("\n"))), true
	case "build-fail":
		return nil, true
	}
	if len(ev.pkg) == 0 || len(ev.pkg) > maxName || len(ev.test) > maxName {
		return nil, false
	}
	switch string(ev.action) {
	case "output":
		return e.output(c, e.pkg(ev.pkg)), true
	case "start":
		e.start(c)
	case "run":
		e.tested = e.tested || !bytes.HasPrefix(ev.test, []byte("Benchmark"))
		e.pkg(ev.pkg).run(string(ev.test))
	case "pass", "fail", "skip":
		return e.ended(c), true
	case "pause", "cont", "bench", "attr", "artifacts":
	default:
		return nil, false
	}
	return nil, true
}

func (e *events) pkg(name []byte) *goPackage {
	p := e.open[string(name)]
	if p == nil {
		p = &goPackage{open: map[string]*goTest{}, built: true}
		if e.open == nil {
			e.open = map[string]*goPackage{}
		}
		if len(e.open) < maxOpen { // past that they stay open, which is a contradiction
			e.open[string(name)] = p
		}
	}
	return p
}

func (e *events) start(c *Counts) {
	if _, twice := e.open[string(e.event.pkg)]; twice {
		c.contradict("package %s began twice and ended once: a test ended the whole process, or it was stopped; run the package alone", e.event.pkg)
		delete(e.open, string(e.event.pkg))
	}
	e.pkg(e.event.pkg)
}

// output returns the line that a piece of output ends, if it does.
func (e *events) output(c *Counts, p *goPackage) []byte {
	ev := &e.event
	line, whole := bytes.CutSuffix(ev.output, []byte("\n"))
	if !whole {
		return Plain(e.pieces.hold(ev.pkg, ev.test, line))
	}
	if len(line) > 4 && line[0] == '=' && frames(line, ev.test) {
		return nil
	}
	if len(ev.test) == 0 {
		p.packageLine(line)
	}
	report, _ := bytes.CutPrefix(line, []byte("--- "))
	if len(e.pieces.held) > 0 {
		if len(report) < len(line) && e.pieces.find(ev.pkg, ev.test) >= 0 {
			line = nil // the harness's line, glued to a test's unfinished one
		}
		line = e.pieces.take(ev.pkg, ev.test, line)
	}
	if len(line) > 0 && line[0] == 'B' && (len(ev.test) == 0 || bytes.HasPrefix(line, ev.test)) && isMeasurement(line) {
		c.Measured++
		p.ran = true
	}
	return Plain(line)
}

// frames reports whether line is test2json's own note on where a test stands.
func frames(line, test []byte) bool {
	for _, prefix := range []string{"=== RUN   ", "=== PAUSE ", "=== CONT  ", "=== NAME  "} {
		if name, ok := bytes.CutPrefix(line, []byte(prefix)); ok {
			return bytes.Equal(name, test)
		}
	}
	return false
}

// ended counts a test or closes a package, and returns the line it left
// unfinished.
func (e *events) ended(c *Counts) []byte {
	ev := &e.event
	p := e.pkg(ev.pkg)
	if len(ev.test) > 0 {
		p.ended(c, string(ev.test), string(ev.action))
		return Plain(e.pieces.take(ev.pkg, ev.test, nil))
	}
	if len(ev.failedBuild) > 0 {
		p.built = false
	}
	e.close(c, string(ev.pkg), p, string(ev.action))
	delete(e.open, string(ev.pkg))
	return Plain(e.pieces.takeAll(ev.pkg))
}
