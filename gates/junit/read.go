package junit

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Found is a case of a file. Its Text and Properties are left out, and of a
// long name or message the end.
type Found struct {
	Case
	Suite string
	// Whole says that it is no case: the suite itself failed, or had an error,
	// as where its set-up did. Name is the suite's.
	Whole bool
	// Reruns are failed runs of the case in front of the one that counts, as
	// nextest and Maven tell them (flakyFailure, rerunFailure and their kin).
	Reruns int
}

// Report is what a file says besides its cases.
type Report struct {
	Suites int // that hold cases of their own
	// Disagrees says, by suite, where the sums that a file declares are not
	// those of its cases.
	Disagrees []string
}

// Bounds of what a file can make us do and keep.
const (
	maxDepth     = 64 // nested elements: suites are nested by package, some ten deep
	maxDisagrees = 5
)

// Read reads a document and hands over each case as it ends. An error says why
// the document cannot be believed, also about the cases before.
func Read(r io.Reader, each func(Found)) (Report, error) {
	return read(&splitter{src: r, limit: defaults()}, each)
}

func read(s *splitter, each func(Found)) (Report, error) {
	r := reading{xml: xml.NewDecoder(s), each: each}
	r.xml.CharsetReader = charset
	for {
		token, err := r.xml.Token()
		if errors.Is(err, io.EOF) {
			return r.report, r.empty()
		}
		if err != nil {
			return r.report, r.broken(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = r.start(t)
			if err != nil {
				return r.report, r.broken(err)
			}
		case xml.EndElement:
			r.close()
		}
	}
}

// reading is where in a document we are.
type reading struct {
	xml    *xml.Decoder
	each   func(Found)
	report Report
	rooted bool

	open   []kind
	suites []*tally // that are open
	now    *Found   // the case that is open
	marked marks    // what it held
}

// kind is what an element is for us.
type kind int

const (
	other kind = iota
	suiteKind
	caseKind
)

func (r *reading) broken(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("read JUnit XML: line %d: %s", syntax.Line, syntax.Msg)
	}
	return fmt.Errorf("read JUnit XML: %w", err)
}

// empty says that a document ended and no element began.
func (r *reading) empty() error {
	if r.rooted {
		return nil
	}
	return errors.New("read JUnit XML: it is empty, or no XML")
}

// parent is the kind of the innermost open element.
func (r *reading) parent() kind {
	if len(r.open) == 0 {
		return other
	}
	return r.open[len(r.open)-1]
}

func (r *reading) start(t xml.StartElement) error {
	name := t.Name.Local
	isSuite := name == "testsuites" || name == "testsuite"
	switch {
	case len(r.open) == 0 && r.rooted:
		return fmt.Errorf("it goes on with <%s> where it should have ended: two files in one?", name)
	case len(r.open) == 0 && !isSuite:
		return fmt.Errorf("it begins with <%s>: JUnit's files begin with testsuites or testsuite", name)
	case len(r.open) == maxDepth:
		return fmt.Errorf("its elements are nested more than %d deep", maxDepth)
	}
	here := other
	switch parent := r.parent(); {
	case isSuite && (parent == suiteKind || !r.rooted):
		here = suiteKind
		r.suites = append(r.suites, newTally(t.Attr))
	case name == "testcase" && parent == suiteKind:
		here = caseKind
		r.begin(t.Attr)
	case parent == suiteKind && (name == "failure" || name == "error"):
		r.wholeSuite(name, text(t.Attr, "message"))
	case parent == caseKind:
		r.mark(name, t.Attr)
	}
	r.rooted = true
	r.open = append(r.open, here)
	return nil
}

func (r *reading) close() {
	last := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	switch last {
	case caseKind:
		r.endCase()
	case suiteKind:
		r.endSuite()
	}
}

// text is an attribute's, "" where there is none.
func text(list []xml.Attr, name string) string {
	for _, a := range list {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

func seconds(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0 // some write 1,234.5; nobody is judged by it
	}
	return Case{Seconds: v}.seconds()
}
