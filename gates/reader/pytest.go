package reader

import "bytes"

// pytest reads pytest, in one of two ways.
//
// Where Prepare could give it a plugin (see pytestPlugin), pytest's own reports
// are counted, and nothing that is printed matters: not -q, not -s, not another
// look that a plugin gives the output. Only a test that means to deceive can
// write there.
//
// Otherwise what it prints is counted. A session begins with a bar "test session
// starts" and ends with a bar of sums, which must account for the tests that
// were collected, unless pytest says that it stopped. In that order:
//
//   - A session within a session is a test's print, up to its own sums or to
//     those that fit the session around it.
//   - Sums that fit no open session are a test's print and ignored. So a session
//     that never ends, or whose sums are too small, is a contradiction.
//   - Sums in a bar outside of any session are a contradiction.
//   - Below -q there is no beginning, and the sums have no bar: they count where
//     no session is open and there is one such line. Two could be a test's and
//     pytest's: a contradiction.
//   - Below -qq nothing is said, and nothing is counted.
//   - Cannot be told: a test that prints sums that fit (with -s, or because it
//     fails) and ends the process with status 0; and below -q any sums that are
//     printed, if pytest itself gives none.
//
// A test that fails and then fails to clean up is counted twice, as in pytest's
// sums. What fails as it should (xfail) proves nothing and is ignored; what
// passes though it should fail has passed, and is remarked on, as are reruns.
type pytest struct {
	total   Counts
	report  string // of the plugin; "" without
	dir     string // where it runs
	missing string // what Python said that it lacks, with what to do; "" where it said nothing

	sessions []*pySession // open: first pytest's own, then printed ones
	framed   int          // that ended
	bare     int          // lines of sums without a bar
	quiet    pySums       // the first of them
	halted   []byte       // why that session ended early
	stray    bool
	names    nameList // of the latest short summary
	naming   bool     // inside it
}

// pySession is one that began.
type pySession struct {
	selected int    // tests that are to run, -1 where that was not said
	stopped  []byte // why it ended early
}

func (p *pytest) Line(s Stream, line []byte) []byte {
	if s == Stderr {
		if p.missing == "" {
			p.missing = missingModule(line)
		}
		return line
	}
	if len(line) == 0 {
		return line
	}
	switch c := line[0]; {
	case c == '=':
		if text, ok := bar(line, '='); ok {
			p.bar(text)
		}
	case line[len(line)-1] == '=':
		// Behind the points of -s, which wait for their line's end, a test's
		// print of another run begins anywhere.
		if text, ok := bar(line[max(0, bytes.IndexByte(line, '=')):], '='); ok && string(text) == sessionStarts {
			p.bar(text)
		}
	case c == '!':
		if text, ok := bar(line, '!'); ok {
			why := p.stopped()
			*why = append((*why)[:0], text[:min(len(text), 200)]...)
		}
	case c == 'c' || '0' <= c && c <= '9' || c == 'n':
		p.begun(line)
	case p.naming && (c == 'F' || c == 'E'):
		if name, ok := parsePyName(line); ok {
			p.names.add(name)
		}
	}
	return line
}

const sessionStarts = "test session starts"

// stopped is where to say why the innermost session ended early.
func (p *pytest) stopped() *[]byte {
	if n := len(p.sessions); n > 0 {
		return &p.sessions[n-1].stopped
	}
	return &p.halted
}

// bar takes the text of a bar.
func (p *pytest) bar(text []byte) {
	p.naming = false
	switch string(text) {
	case sessionStarts:
		if len(p.sessions) < maxFrames {
			p.sessions = append(p.sessions, &pySession{selected: -1})
		}
	case "short test summary info":
		p.naming, p.names = true, nameList{}
	default:
		if sums, ok := parsePySums(text); ok {
			p.sums(sums)
		}
	}
}

// begun takes a line that may say how many tests there are, or the sums of -q.
func (p *pytest) begun(line []byte) {
	if len(p.sessions) > 0 {
		inner := p.sessions[len(p.sessions)-1]
		if n, ok := parseCollected(line); ok && inner.selected < 0 {
			inner.selected = n
		}
		return
	}
	if sums, ok := parsePySums(line); ok {
		if p.bare++; p.bare == 1 {
			p.quiet = sums
		}
		p.naming = false
	}
}

// sums ends the innermost session that they fit.
func (p *pytest) sums(s pySums) {
	if len(p.sessions) == 0 {
		p.stray = true
		return
	}
	at := len(p.sessions) - 1
	for at >= 0 && !p.sessions[at].fits(s) {
		at--
	}
	switch {
	case at == 0:
		p.commit(s, p.sessions[0].stopped)
		p.framed++
		p.sessions = nil
	case at > 0:
		p.sessions = p.sessions[:at]
	}
}

// fits says that sums account for the tests of the session. There can be more
// failures than tests, and what was skipped as a whole file is no test.
func (y *pySession) fits(s pySums) bool {
	if y.selected < 0 || s.listed {
		return true
	}
	once := s.Passed + s.XFailed + s.XPassed
	return once <= y.selected && (len(y.stopped) > 0 || s.ended() >= y.selected)
}

// Idle looks at the beginnings of lines only.
func (p *pytest) Idle(s Stream, lines []byte) bool {
	if s == Stderr {
		return p.missing != "" || !bytes.Contains(lines, []byte(noModule)) && !bytes.Contains(lines, []byte(noCommand))
	}
	if bytes.Contains(lines, []byte(sessionStarts)) {
		return false
	}
	for len(lines) > 0 {
		switch c := lines[0]; {
		case c == '=', c == '!', '0' <= c && c <= '9', p.naming && (c == 'F' || c == 'E'),
			c == 'c' && bytes.HasPrefix(lines, []byte("collect")), c == 'n' && bytes.HasPrefix(lines, []byte("no tests ")):
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
