// Package reader counts tests from what a test harness prints, line by line
// while it runs.
//
// It promises that only the harness's own lines count. A test can print
// anything, also the whole output of another run (a test that starts cargo or
// go does so every day), and must not be counted for it. Where the lines cannot
// be told apart, or contradict each other, or the last one is missing, the
// reader says so in Counts.Contradictions: the caller's outcome is then broken,
// never green. The doc comments of libtest, gotest, pytest, ctest and junitFiles
// say for each order of lines what is detected and what cannot be.
//
// It does not look at exit statuses and does not judge: a swallowed failure is
// a failed test here and a successful command there, and the caller holds them
// against each other.
//
// Memory is bounded whatever is printed, and a line that is not the harness's
// costs tens of nanoseconds and no allocation.
package reader

import (
	"fmt"
	"strings"
)

// Stream is where the child wrote a line.
type Stream int

const (
	Stdout Stream = iota
	Stderr
)

// Reader counts what a test harness says it ran. It is not safe for concurrent
// use.
type Reader interface {
	// Line takes one line of the child, without its newline, and after Plain. It
	// returns the text that a person should see in its place and that patterns
	// are matched against: usually the line itself; for go test -json the decoded
	// output; nil when the line is framing only. The text is valid until the next
	// call. It holds a newline only where several tests of one package left an
	// unfinished line behind.
	Line(s Stream, line []byte) []byte

	// Idle says that whole lines, each with its newline and free of escape
	// sequences and carriage returns, are all noise: Line need not be called for
	// them. It may say no where it would cost too much to tell.
	Idle(s Stream, lines []byte) bool

	// Counts ends the reading and says what was counted. It is called once, after
	// the last line.
	Counts() Counts
}

// Counts is what a harness says it ran.
type Counts struct {
	Passed, Failed, Ignored, Measured, Filtered int

	Suites         int      // test binaries or packages that reported
	FailedNames    []string // the first 100, in order, by the harness's own names
	Contradictions []string // why the lines cannot be believed, each a sentence with what to do
	Remarks        []string // reservations that the verdict should carry
	Products       []string // test executables the harness named, as printed
	Roll           *Roll    // which tests they were, as far as the harness names them; nil for none
}

// Ran is the number of tests that ran to an end of their own, whichever.
func (c Counts) Ran() int { return c.Passed + c.Failed + c.Measured }

// Bounds of what is kept. A hundred names are more than a person reads; a lane is
// landed on a red base only if all of its failed tests are named. A name is at most
// what test2json and PATH_MAX allow; a large workspace has some hundred
// test executables.
const (
	maxNames     = 100
	maxName      = 4096 // bytes
	maxSentences = 20
	maxProducts  = 1024
)

func (c *Counts) pass(name string) {
	c.Passed++
	c.roll(name, true)
}

func (c *Counts) ignore(name string) {
	c.Ignored++
	c.roll(name, false)
}

func (c *Counts) fail(name string) {
	c.Failed++
	c.roll(name, true)
	if len(c.FailedNames) < maxNames {
		c.FailedNames = append(c.FailedNames, name)
	}
}

// failAll counts failed tests that are on the roll already, or whose names are not
// all known.
func (c *Counts) failAll(l nameList) {
	c.Failed += l.n
	c.FailedNames = append(c.FailedNames, l.names[:min(len(l.names), maxNames-len(c.FailedNames))]...)
}

func (c *Counts) contradict(format string, args ...any) {
	if len(c.Contradictions) < maxSentences {
		c.Contradictions = append(c.Contradictions, fmt.Sprintf(format, args...))
	}
}

func (c *Counts) remark(format string, args ...any) {
	if len(c.Remarks) < maxSentences {
		c.Remarks = append(c.Remarks, fmt.Sprintf(format, args...))
	}
}

// nameList counts names and keeps the first of them.
type nameList struct {
	n     int
	names []string
}

func (l *nameList) add(name []byte) {
	l.n++
	if len(l.names) < maxNames {
		l.names = append(l.names, string(name[:min(len(name), maxName)]))
	}
}

// New makes the reader of that name. It is an error if there is none. What a
// command is about to write besides its output is for Prepare; New's readers
// read what there is.
func New(name string) (Reader, error) {
	switch name {
	case "libtest":
		return &libtest{}, nil
	case "gotest":
		return &gotest{}, nil
	case "pytest":
		return &pytest{}, nil
	case "ctest":
		return &ctest{}, nil
	case "counters":
		return counters{}, nil
	case "none":
		return none{}, nil
	}
	if OfRun(name) {
		r, _, err := Prepare(name, Command{})
		return r, err
	}
	return nil, fmt.Errorf("make reader %q: there is none of that name: write one of %s, or %sGLOB", name, strings.Join(Names(), ", "), junitPrefix)
}

// Names are the readers that New makes, but for junit:GLOB, of which there are
// as many as globs.
func Names() []string {
	return []string{"libtest", "gotest", "pytest", "ctest", "counters", "none"}
}

// none counts nothing: the command's own exit status is the test.
type none struct{}

func (none) Line(_ Stream, line []byte) []byte { return line }
func (none) Idle(Stream, []byte) bool          { return true }
func (none) Counts() Counts                    { return Counts{} }
