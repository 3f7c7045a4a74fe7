package main

import (
	"strings"

	"gpuci/gates"
	"gpuci/kernels/verify"
)

// verifiedRow is a tensor that was held against its reference, in JSON.
type verifiedRow struct {
	Type  string `json:"type"` // always "kernels-verify-row"
	Check string `json:"check"`
	verify.Row
}

// verifiedNumber is what a gate would read, in JSON.
type verifiedNumber struct {
	Type  string `json:"type"` // always "kernels-verify-number"
	Check string `json:"check"`
	verify.Number
}

// verifiedFinding is what the backend saw, in JSON.
type verifiedFinding struct {
	Type  string `json:"type"` // always "kernels-verify-finding"
	Check string `json:"check"`
	verify.Finding
}

// verifiedLine closes a check, in JSON.
type verifiedLine struct {
	Type     string            `json:"type"` // always "kernels-verify"
	Check    string            `json:"check"`
	Backend  string            `json:"backend"`
	Compiler string            `json:"compiler"` // and its version
	Exit     int               `json:"exit"`
	Cases    int               `json:"cases"` // that were looked at
	Planned  int               `json:"planned"`
	Compared int               `json:"compared"` // elements
	NaNs     int               `json:"nan"`
	Counters map[string]string `json:"counters"`
	Failures []verify.Failure  `json:"failures,omitempty"`
	Crossed  []string          `json:"crossed,omitempty"` // bars
	Holds    string            `json:"holds,omitempty"`   // what held, where nothing is wrong
	Unknown  []string          `json:"unknown,omitempty"` // why it cannot be said
	Seconds  float64           `json:"seconds"`
}

// verifyExit is the exit code of a report. With measure the numbers are a gate's to
// judge, and what is left is whether there are any.
func verifyExit(r verify.Report, j verify.Judgement, measure bool) int {
	switch {
	case r.Cases == 0 || len(j.Unknown) > 0 && !measure:
		return gates.Broken.ExitCode()
	case len(r.Failures) > 0 || len(j.Crossed) > 0 && !measure:
		return gates.Red.ExitCode()
	}
	return 0
}

// printVerified shows a report, and gives its exit code.
func (a *app) printVerified(r verify.Report, f verifyFlags) (code int, err error) {
	j := r.Judge()
	code = verifyExit(r, j, f.measure)
	_ = a.console.settle()
	if f.json {
		return code, a.jsonVerified(r, j, code)
	}
	var b strings.Builder
	if f.measure {
		for _, line := range r.Lines() {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString(printableLines(r.Text()))
	if !f.measure {
		b.WriteString(printableLines(j.Text()))
	}
	b.WriteString(r.Witness() + "\n")
	_, err = a.out.Write([]byte(b.String()))
	return code, err
}

// printableLines keeps line ends, and nothing else that moves a terminal's cursor.
func printableLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if rest, ends := strings.CutSuffix(line, "\n"); ends {
			lines[i] = printable(rest) + "\n"
		}
	}
	return strings.Join(lines, "")
}

func (a *app) jsonVerified(r verify.Report, j verify.Judgement, code int) error {
	var lines []any
	for _, row := range r.Rows {
		lines = append(lines, verifiedRow{"kernels-verify-row", r.Check, row})
	}
	for _, n := range r.Numbers {
		lines = append(lines, verifiedNumber{"kernels-verify-number", r.Check, n})
	}
	for _, f := range r.Findings {
		lines = append(lines, verifiedFinding{"kernels-verify-finding", r.Check, f})
	}
	l := verifiedLine{
		Type: "kernels-verify", Check: r.Check, Backend: r.Backend, Compiler: r.Tool, Exit: code, Cases: r.Cases, Planned: r.Planned,
		Counters: make(map[string]string), Failures: r.Failures, Crossed: j.Crossed, Unknown: j.Unknown, Holds: j.Holds, Seconds: r.Seconds,
	}
	l.Compared, l.NaNs = r.Compared()
	for _, c := range r.Counters {
		l.Counters[c.Key] = c.Value
	}
	return a.jsonLines(append(lines, l))
}
