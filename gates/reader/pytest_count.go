package reader

func (p *pytest) Counts() Counts {
	if p.report != "" {
		if c, ok := readPyReport(p.report, otherLane(p.dir)); ok {
			return c
		}
	}
	c := &p.total
	if p.missing != "" && p.bare+p.framed+len(p.sessions) == 0 {
		c.contradict("%s", p.missing)
	}
	if p.bare > 0 {
		p.commit(p.quiet, p.halted)
	}
	switch {
	case p.bare > 1:
		c.contradict("pytest gives its sums %d times without a bar: with -q a test's print of another run cannot be told from pytest's own; take -q out, or run each pytest as a command of its own", p.bare)
	case p.bare > 0 && p.framed > 0:
		c.contradict("some sums of pytest are in a bar and some are not: a test may have printed either; run all with -q or none, or each as a command of its own")
	}
	if len(p.sessions) > 0 {
		c.contradict("a session of pytest began and no sums account for its tests: a test ended the whole run (pytest.exit, an exit of the process) or prints another run's lines, or a plugin drops tests; write the run as an array that begins with pytest or python -m pytest, and gpuci counts by a plugin")
	}
	if p.stray {
		c.contradict("sums of pytest stand outside of any session: something prints the lines of another run; keep them out of stdout")
	}
	return *c
}

// commit counts a session.
func (p *pytest) commit(s pySums, stopped []byte) {
	s.count(&p.total, p.names)
	p.names = nameList{}
	if len(stopped) > 0 && s.bad() == 0 {
		p.total.contradict("pytest stopped (%s) and none failed: what was to come did not run", stopped)
	}
}

// count adds the sums of a session up. The names are believed as far as there
// are failures.
func (s pySums) count(c *Counts, names nameList) {
	c.Suites++
	if s.listed {
		return
	}
	c.Passed += s.Passed + s.XPassed
	c.Ignored += s.Skipped + s.XFailed
	c.Filtered += s.Deselected
	c.failAll(nameList{n: s.bad(), names: names.names[:min(len(names.names), s.bad())]})
	if s.XPassed > 0 {
		c.remark("%s passed though marked xfail: take the mark off, or make it strict", count(s.XPassed, "test"))
	}
	if s.Rerun > 0 {
		c.remark("flaky: pytest ran %s again after a failure", count(s.Rerun, "time"))
	}
}
