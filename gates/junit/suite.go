// Package junit writes and reads test results in the XML that JUnit's Ant task
// made common and that Jenkins, GitLab and GitHub read.
//
// There is no standard. What is written is the part that all of them take:
// testsuites, testsuite and testcase with failure, error, skipped, system-out
// and properties, and sums that are those of the cases. What is read is that
// and the habits of nextest, gotestsum, pytest, CTest, Maven and googletest;
// elements and attributes that are unknown are passed over.
//
// Reading promises bounded memory whatever the size of a file, and an error
// with a reason for one that is cut off, is no XML, or is no JUnit. It does not
// follow a DOCTYPE: there is none in such files, but for attacks.
package junit

import "time"

// Outcome is how a case ended.
type Outcome string

// Outcomes. Failed is what a check found, Errored what kept it from checking.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Errored Outcome = "error"
	Skipped Outcome = "skipped"
)

// Suite is a group of cases.
type Suite struct {
	Name       string
	Host       string    // "" leaves it out
	Started    time.Time // zero leaves it out
	Properties [][2]string
	Cases      []Case
}

// Case is one test.
type Case struct {
	Name, Class string
	Seconds     float64
	Outcome     Outcome // "" is passed
	Message     string  // why, in a line; not for one that passed
	Text        string  // the long form, or what one that passed printed
	Properties  [][2]string
}

// seconds is a time as every reader takes it; none can be below zero.
func (c Case) seconds() float64 {
	if c.Seconds > 0 { // false for NaN
		return min(c.Seconds, maxSeconds)
	}
	return 0
}

// maxSeconds is a century: more is an accident, and infinity is no number in
// XML's lexical space of decimals.
const maxSeconds = 100 * 365 * 24 * 3600
