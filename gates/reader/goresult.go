package reader

import (
	"sort"
	"strings"
)

// close judges the end of a package.
func (e *events) close(c *Counts, name string, p *goPackage, action string) {
	if p.cached {
		e.cache.add(name)
	}
	if action == "skip" { // no test files
		if p.ok || p.ran || len(p.open) > 0 {
			c.contradict("package %s ran and says that it has no test files: its TestMain prints go's line; keep it out of stdout", name)
		}
		return
	}
	if p.built {
		c.Suites++
	}
	if p.lost {
		c.contradict("package %s had more than %d tests open at once: split it", name, maxOpen)
	}
	began := openTests(p.open)
	switch {
	case action == "fail":
		failedPackage(c, name, p.failed, p.built)
		neverEnded(c, name, began)
	case len(began) > 0:
		c.contradict("package %s says ok while %s had not ended: look for an exit in it", name, began[0])
	case p.failed: // swallowed, which the exit status tells
	case p.ran:
		p.word.check(c, name)
	case p.noTests:
	case p.word == lastWord{passed: true}:
		e.hollow.add([]byte(name))
	default:
		ranNothing(c, name)
	}
}

// lastWord is what the testing package prints below the tests: its verdict on
// all of them, and on races between them.
type lastWord struct{ passed, failed bool }

// check holds it against a package that says ok and whose tests all passed.
func (w lastWord) check(c *Counts, name string) {
	switch {
	case w.failed:
		c.contradict("package %s says ok below FAIL though no test of it failed: look at the status its TestMain gives, and for a data race between tests", name)
	case !w.passed:
		c.contradict("package %s says ok without the PASS below its tests: look for what ends the process while no test runs", name)
	}
}

// nothingRan judges the packages that say PASS and show no test. Where all that
// ran are benchmarks (-run NONE -bench .), the testing package says just that of
// a package that has none. Anywhere else it says in addition that there are no
// tests to run, and if it does not, a TestMain said PASS for it.
func (e *events) nothingRan(c *Counts) {
	if e.hollow.n > 0 && c.Measured > 0 && !e.tested {
		c.remark("nothing ran in %s, such as %s: no benchmark was asked for that is there", count(e.hollow.n, "package"), e.hollow.names[0])
		return
	}
	for _, name := range e.hollow.names {
		ranNothing(c, name)
	}
}

// end says what a stream of events lacks.
func (e *events) end(c *Counts) {
	var names []string
	for name := range e.open {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		during := ""
		if began := openTests(e.open[name].open); len(began) > 0 {
			during = ", during " + began[0]
		}
		c.contradict("package %s began and never reported how it ended%s: a test ended the whole process, or it was stopped; run the package alone", name, during)
	}
	if e.mixed != "" {
		c.contradict("a plain line of go test (%s) stands among events: run every go test of the gate with -json", e.mixed)
	}
	e.nothingRan(c)
	e.cache.remark(c)
}

// foreign looks at a line beside the events: a compiler's, or a plain go test's.
func (e *events) foreign(line []byte) {
	if e.mixed != "" || (line[0] != 'o' && line[0] != 'F') {
		return
	}
	if end, ok := parsePackage(line); ok {
		e.mixed = strings.Clone(end.name)
	}
}

// failedPackage counts a package that failed, if no test of it did.
func failedPackage(c *Counts, name string, testFailed, built bool) {
	switch {
	case !built:
		c.fail(name)
		c.remark("%s did not build, so its tests did not run", name)
	case !testFailed:
		c.fail(name)
		c.remark("%s failed though no test of it did: see its TestMain, and what ended it", name)
	}
}

func neverEnded(c *Counts, name string, began []string) {
	if len(began) > 0 {
		c.remark("%s of %s began and never ended, such as %s", count(len(began), "test"), name, began[0])
	}
}

func ranNothing(c *Counts, name string) {
	c.contradict("package %s says ok and shows no test that ran: look whether its TestMain leaves before the tests, or a flag keeps them from it or from sight (-exec, -list, no -v)", name)
}

// cache counts the packages whose results came from the test cache.
type cache struct {
	n     int
	first string
}

func (k *cache) add(name string) {
	if k.n == 0 {
		k.first = name
	}
	k.n++
}

func (k *cache) remark(c *Counts) {
	if k.n > 0 {
		c.remark("cached: %s did not run again, such as %s; add -count=1", count(k.n, "package"), k.first)
	}
}

// openTests are the names of tests without an end, sorted. Benchmarks have none
// when all is well.
func openTests[T any](open map[string]T) []string {
	var names []string
	for name := range open {
		if !strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}
