package junit

import (
	"encoding/xml"
	"strings"
)

// marks are what stands in a case.
type marks struct {
	failures, errors, skips int
	said                    Outcome // by its attributes; "" where they say nothing
}

func (m marks) outcome() Outcome {
	switch {
	case m.failures > 0:
		return Failed
	case m.errors > 0:
		return Errored
	case m.said == Failed, m.said == Errored:
		return m.said
	case m.skips > 0, m.said == Skipped:
		return Skipped
	}
	return Passed
}

// said is the outcome that attributes tell: status (CTest: run, fail, notrun,
// disabled; googletest: run, notrun) and result (googletest: completed,
// suppressed, skipped) and executed (NUnit), in the words of others too: what is
// pending did not run. "" for any other word.
func said(attrs []xml.Attr) Outcome {
	var out Outcome
	for _, name := range []string{"status", "result"} {
		switch strings.ToLower(text(attrs, name)) {
		case "fail", "failed", "failure":
			return Failed
		case "error", "errored", "crashed", "timeout", "timedout", "aborted":
			out = Errored
		case "notrun", "disabled", "suppressed", "skip", "skipped", "ignored", "pending", "inactive", "todo":
			if out == "" {
				out = Skipped
			}
		}
	}
	if executed := strings.ToLower(text(attrs, "executed")); out == "" && (executed == "false" || executed == "0" || executed == "no") {
		return Skipped
	}
	return out
}

// wholeSuite takes a failure that stands beside the cases of a suite.
func (r *reading) wholeSuite(element, message string) {
	o := Failed
	if element == "error" {
		o = Errored
	}
	t := r.suites[len(r.suites)-1]
	t.own.whole++
	r.each(Found{Suite: t.name, Whole: true, Case: Case{Name: t.name, Outcome: o, Message: message}})
}

// begin opens a case.
func (r *reading) begin(attrs []xml.Attr) {
	r.marked = marks{said: said(attrs)}
	r.now = &Found{Suite: r.suites[len(r.suites)-1].name, Case: Case{
		Name: text(attrs, "name"), Class: text(attrs, "classname"), Seconds: seconds(text(attrs, "time")),
	}}
}

// mark takes an element in a case. The message is that of what decides.
func (r *reading) mark(name string, attrs []xml.Attr) {
	before := r.marked.outcome()
	switch name {
	case "failure":
		r.marked.failures++
	case "error":
		r.marked.errors++
	case "skipped":
		r.marked.skips++
	case "rerunFailure", "rerunError", "flakyFailure", "flakyError":
		r.now.Reruns++
		return
	default:
		return
	}
	if r.marked.outcome() != before || r.now.Message == "" {
		r.now.Message = text(attrs, "message")
	}
}

func (r *reading) endCase() {
	f := *r.now
	f.Outcome = r.marked.outcome()
	r.suites[len(r.suites)-1].own.add(r.marked)
	r.now = nil
	r.each(f)
}

func (r *reading) endSuite() {
	t := r.suites[len(r.suites)-1]
	if bad := t.said == Failed || t.said == Errored; bad && t.own.bad()+t.all.bad() == 0 {
		r.wholeSuite(map[Outcome]string{Failed: "failure", Errored: "error"}[t.said], "")
	}
	r.suites = r.suites[:len(r.suites)-1]
	if t.own.tests+t.own.whole > 0 {
		r.report.Suites++
	}
	t.all.join(t.own)
	if len(r.suites) > 0 {
		r.suites[len(r.suites)-1].all.join(t.all)
	}
	for _, text := range t.disagrees() {
		if len(r.report.Disagrees) < maxDisagrees {
			r.report.Disagrees = append(r.report.Disagrees, text)
		}
	}
}
