package junit

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Shapes of the elements. The order of fields is the order in the schema that
// Jenkins publishes (jenkins-junit.xsd).
type (
	xmlSuites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Time     string   `xml:"time,attr"`
		Suites   []xmlSuite
	}
	xmlSuite struct {
		XMLName    xml.Name       `xml:"testsuite"`
		Name       string         `xml:"name,attr"`
		Tests      int            `xml:"tests,attr"`
		Failures   int            `xml:"failures,attr"`
		Errors     int            `xml:"errors,attr"`
		Skipped    int            `xml:"skipped,attr"`
		Time       string         `xml:"time,attr"`
		Timestamp  string         `xml:"timestamp,attr,omitempty"`
		Host       string         `xml:"hostname,attr,omitempty"`
		Properties *xmlProperties `xml:"properties"`
		Cases      []xmlCase
	}
	xmlCase struct {
		XMLName    xml.Name       `xml:"testcase"`
		Name       string         `xml:"name,attr"`
		Class      string         `xml:"classname,attr"`
		Time       string         `xml:"time,attr"`
		Properties *xmlProperties `xml:"properties"`
		Skipped    *xmlWhy        `xml:"skipped"`
		Error      *xmlWhy        `xml:"error"`
		Failure    *xmlWhy        `xml:"failure"`
		Out        *xmlText       `xml:"system-out"`
	}
	xmlWhy struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	xmlText struct {
		Text string `xml:",chardata"`
	}
	xmlProperties struct {
		List []xmlProperty
	}
	xmlProperty struct {
		XMLName xml.Name `xml:"property"`
		Name    string   `xml:"name,attr"`
		Value   string   `xml:"value,attr"`
	}
)

// Write writes the suites as one document. Characters that XML 1.0 forbids, and
// bytes that are no UTF-8, become U+FFFD.
func Write(w io.Writer, suites []Suite) error {
	out := bufio.NewWriter(w)
	_, _ = out.WriteString(xml.Header) // its error is Flush's as well
	enc := xml.NewEncoder(out)
	enc.Indent("", "  ")
	if err := enc.Encode(document(suites)); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_ = out.WriteByte('\n')
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}

func document(suites []Suite) xmlSuites {
	var all xmlSuites
	total := 0.0
	for _, s := range suites {
		suite, seconds := ofSuite(s)
		all.Suites = append(all.Suites, suite)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
		total += seconds
	}
	all.Time = decimal(total)
	return all
}

// ofSuite gives the element with its sums, and its time in seconds.
func ofSuite(s Suite) (x xmlSuite, seconds float64) {
	x = xmlSuite{Name: s.Name, Host: s.Host, Tests: len(s.Cases), Properties: properties(s.Properties)}
	if !s.Started.IsZero() {
		x.Timestamp = s.Started.UTC().Format(time.RFC3339)
	}
	for _, c := range s.Cases {
		x.Cases = append(x.Cases, ofCase(c))
		seconds += c.seconds()
		switch c.Outcome {
		case Failed:
			x.Failures++
		case Errored:
			x.Errors++
		case Skipped:
			x.Skipped++
		}
	}
	x.Time = decimal(seconds)
	return x, seconds
}

func ofCase(c Case) xmlCase {
	x := xmlCase{Name: c.Name, Class: c.Class, Time: decimal(c.seconds()), Properties: properties(c.Properties)}
	why := &xmlWhy{Message: c.Message, Text: c.Text}
	switch c.Outcome {
	case Failed:
		x.Failure = why
	case Errored:
		x.Error = why
	case Skipped:
		x.Skipped = why
	default:
		if c.Text != "" {
			x.Out = &xmlText{c.Text}
		}
	}
	return x
}

func properties(list [][2]string) *xmlProperties {
	if len(list) == 0 {
		return nil
	}
	p := &xmlProperties{}
	for _, pair := range list {
		p.List = append(p.List, xmlProperty{Name: pair[0], Value: pair[1]})
	}
	return p
}

// decimal writes seconds without an exponent, which not every reader takes.
func decimal(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }
