package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sample() []Suite {
	return []Suite{{
		Name: "kda-adjoint", Host: "box", Started: time.Date(2026, 11, 29, 13, 0, 0, 5, time.FixedZone("", 3600)),
		Properties: [][2]string{{"commit", "0123abc"}, {"mark", "under pressure"}},
		Cases: []Case{
			{Name: "fused-adjoint", Class: "dormouse", Seconds: 12.3456, Outcome: Passed, Properties: [][2]string{{"metric worst-rel", "6.3e-7"}}},
			{Name: "attention", Class: "dormouse", Text: "a note is stale\x1b[31m <&> ]]>"},
			{Name: "red", Class: "dormouse", Outcome: Failed, Message: "worst-rel: 3e-4 is over 2e-5\nd_g \"x\"", Text: "\x00\xff\ufffe"},
			{Name: "broken", Class: "dormouse", Outcome: Errored, Message: "nothing ran"},
			{Name: "refused", Class: "dormouse", Outcome: Skipped, Message: "card busy", Seconds: math.NaN()},
		},
	}, {Name: "", Cases: []Case{{Seconds: math.Inf(1)}, {Seconds: -1}}}, {Name: "empty"}}
}

func write(t *testing.T, suites []Suite) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, suites); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What we write we read, with the same outcomes and sums that fit.
func TestWriteReadsBack(t *testing.T) {
	var want, got []Found
	for _, s := range sample() {
		for _, c := range s.Cases {
			if c.Outcome == "" {
				c.Outcome = Passed
			}
			c.Seconds = float64(int(c.seconds()*1000+0.5)) / 1000
			c.Text, c.Properties = "", nil
			want = append(want, Found{Case: c, Suite: s.Name})
		}
	}
	report, err := Read(strings.NewReader(write(t, sample())), func(f Found) { got = append(got, f) })
	if err != nil || len(report.Disagrees) > 0 {
		t.Fatalf("%v, %q", err, report.Disagrees)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestWriteForm(t *testing.T) {
	text := write(t, sample())
	for _, want := range []string{
		`<?xml version="1.0" encoding="UTF-8"?>`,
		`<testsuites tests="7" failures="1" errors="1" time="`,
		`<testsuite name="kda-adjoint" tests="5" failures="1" errors="1" skipped="1" time="12.346" timestamp="2026-11-29T12:00:00Z" hostname="box">`,
		`<property name="commit" value="0123abc"></property>`,
		`<testcase name="fused-adjoint" classname="dormouse" time="12.346">`,
		`<system-out>a note is stale` + "\ufffd" + `[31m &lt;&amp;&gt; ]]&gt;</system-out>`,
		`message="worst-rel: 3e-4 is over 2e-5&#xA;d_g &#34;x&#34;"`,
		">\ufffd\ufffd\ufffd</failure>",
		`time="0.000"`, `time="3153600000.000"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nhas no %s", text, want)
		}
	}
	if strings.Index(text, "<properties>") > strings.Index(text, "<testcase") {
		t.Error("the properties of a suite stand behind its cases, where Jenkins' schema has none")
	}
}

func TestWriteNothing(t *testing.T) {
	if _, report, err := gistOf(write(t, nil)); err != nil || len(report.Disagrees) > 0 {
		t.Errorf("a document without suites: %v, %q", err, report.Disagrees)
	}
}

// FuzzWrite: whatever stands in a case, what is written is XML and has it.
func FuzzWrite(f *testing.F) {
	f.Add("a", "b", "c\x00\x1b", "]]><![CDATA[", "\xff\ud7ff", 1.5)
	f.Fuzz(func(t *testing.T, name, class, message, text, value string, seconds float64) {
		suites := []Suite{{Name: name, Properties: [][2]string{{name, value}}, Cases: []Case{
			{Name: name, Class: class, Message: message, Text: text, Outcome: Failed, Seconds: seconds},
			{Name: value, Class: name, Text: message, Properties: [][2]string{{text, class}}},
		}}}
		var b bytes.Buffer
		if err := Write(&b, suites); err != nil {
			t.Fatal(err)
		}
		var back struct {
			Suites []struct {
				Properties []struct {
					Value string `xml:"value,attr"`
				} `xml:"properties>property"`
				Cases []struct {
					Name    string `xml:"name,attr"`
					Failure string `xml:"failure"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		s := back.Suites[0]
		for got, want := range map[string]string{s.Properties[0].Value: value, s.Cases[0].Name: name, s.Cases[0].Failure: text} {
			if got != legal(want) {
				t.Errorf("%q came back as %q", want, got)
			}
		}
		if _, report, err := gistOf(b.String()); err != nil || len(report.Disagrees) > 0 {
			t.Fatalf("%v, %q", err, report.Disagrees)
		}
	})
}

// legal is a text with what XML 1.0 forbids replaced.
func legal(s string) string {
	return strings.Map(func(r rune) rune {
		ok := r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
		if !ok {
			return '\ufffd'
		}
		return r
	}, s)
}

type failingWriter struct{}

var errFull = errors.New("no space left")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

func TestWriteSaysSo(t *testing.T) {
	if err := Write(failingWriter{}, sample()); !errors.Is(err, errFull) {
		t.Errorf("a full disk gave %v", err)
	}
}
