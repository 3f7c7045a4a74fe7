package junit

import "encoding/xml"

// marks are what stands in a case.
type marks struct{ failures, errors, skips int }

func (m marks) outcome() Outcome {
	switch {
	case m.failures > 0:
		return Failed
	case m.errors > 0:
		return Errored
	case m.skips > 0:
		return Skipped
	}
	return Passed
}

// begin opens a case. CTest and googletest say by attributes what did not run.
func (r *reading) begin(attrs []xml.Attr) {
	r.marked = marks{}
	r.now = &Found{Suite: r.suites[len(r.suites)-1].name, Case: Case{
		Name: text(attrs, "name"), Class: text(attrs, "classname"), Seconds: seconds(text(attrs, "time")),
	}}
	switch status, result := text(attrs, "status"), text(attrs, "result"); {
	case status == "notrun", status == "disabled", result == "suppressed", result == "skipped":
		r.marked.skips++
	}
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
	r.suites = r.suites[:len(r.suites)-1]
	if t.own.tests > 0 {
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
