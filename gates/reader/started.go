package reader

import (
	"fmt"
	"strings"
)

// started is what cargo said that it started, held against the suites that
// reported. Each test executable reports once; rustdoc at least once for each
// crate, also without any doc test, and from the 2024 edition on once more for
// the tests that it could not merge into one program. A suite whose tests have
// rustdoc's names is rustdoc's, so that its additional ones cannot stand in for
// an executable that is silent.
//
// Not detected: with doc tests, a silent executable while rustdoc reports twice
// for one crate and has nothing to report for another, or prints no names
// (cargo test -- -q). Below cargo -q and -vv the names of executables are not
// printed, or not readable, and nothing is compared.
type started struct {
	n     int // test executables
	docs  int // runs of rustdoc
	first []executable

	inDocs  bool // rustdoc was started last
	unclear bool // a suite began that is none of first's
}

// executable is one of the first maxProducts that were started.
type executable struct {
	product string
	suites  int // that began while it was the last one started
}

func (s *started) executable(product string) {
	s.n++
	s.inDocs = false
	if len(s.first) < maxProducts {
		s.first = append(s.first, executable{product: product[:min(len(product), maxName)]})
	}
}

func (s *started) rustdoc() {
	s.docs++
	s.inDocs = true
}

// suite notes that a suite began, most likely of what was started last: cargo
// runs one after the other.
func (s *started) suite() {
	switch {
	case s.inDocs:
	case s.n == 0 || s.n > len(s.first):
		s.unclear = true
	default:
		s.first[s.n-1].suites++
	}
}

// compare says so if fewer suites reported than were started.
func (s *started) compare(c *Counts, docSuites int) {
	missing := s.n - (c.Suites - max(s.docs, docSuites))
	if s.n+s.docs == 0 || missing <= 0 {
		return
	}
	what, least := count(s.n, "test executable"), ""
	if s.docs > 0 {
		what, least = what+", and rustdoc for "+count(s.docs, "crate"), "at least "
	}
	c.contradict("cargo started %s, and %s%d of them reported nothing%s: give one with a harness of its own a gate of its own with reader \"none\"; in any other look for what ends it before its tests (an exit, --list), or for a test that prints cargo's lines",
		what, least, missing, s.silent(missing))
}

// silent names the executables that reported nothing, if the order of the lines
// fits. stdout and stderr are two pipes, so a line may come late. Mostly some
// executable then has two suites, and only the number is said; a neighbour can
// still be named in its place, so the words say what the name rests on.
func (s *started) silent(missing int) string {
	const most = 5
	var names []string
	for _, e := range s.first {
		if e.suites == 0 {
			names = append(names, e.product)
		}
		if e.suites > 1 {
			return ""
		}
	}
	if s.unclear || s.n > len(s.first) || len(names) != missing {
		return ""
	}
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	return " (by the order in which the lines came, " + strings.Join(names, ", ") + more + ")"
}
