package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
)

// verdictLine is an outcome in JSON, with its lane where one looks for it first.
type verdictLine struct {
	gates.Verdict
	Lane string `json:"lane,omitempty"`
}

// print writes one outcome to stdout.
func (a *app) print(v gates.Verdict, o gateOptions) error {
	if o.json {
		return a.jsonLine(verdictLine{v, v.Bound.Lane})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s%s in %s (%s)\n", a.paint(v), v.Gate, ran(v), buildlock.Round(seconds(v.Seconds)), boundTo(v))
	row := func(key, text string) {
		// One row is one line, whatever a tool's message looks like.
		fmt.Fprintf(&b, "  %-8s %s\n", key, printable(strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")))
	}
	for _, x := range v.Findings {
		row("because", x.Text)
	}
	for _, k := range v.Kernels {
		row("kernels", k.Text())
	}
	cardRows(v.Card, row)
	numbers(v, o.verbose, row)
	if v.Trace != nil {
		row("trace", v.Trace.Text)
	}
	if v.Repeat != nil {
		row("repeat", v.Repeat.Text())
	}
	if x := v.Falsified; x != nil && !x.Never && len(x.Missed) == 0 { // else it is a mark
		row("faults", x.Text(v.Started))
	}
	if text := scopeRow(v); text != "" {
		row("scope", text)
	}
	for _, m := range v.Marks {
		row("mark", m)
	}
	linkRows(v, o, row)
	if o.verbose {
		row("record", v.Dir)
	}
	if v.Outcome != gates.Green || v.Partial {
		for _, n := range v.Next {
			row("next", n)
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

func ran(v gates.Verdict) string {
	if v.Tests == nil {
		return ""
	}
	text := fmt.Sprintf(", %d passed", v.Tests.Passed)
	for _, c := range []struct {
		n    int
		what string
	}{{v.Tests.Failed, "failed"}, {v.Tests.Measured, "measured"}, {v.Tests.Ignored, "ignored"}, {v.Tests.Filtered, "filtered out"}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %d %s", c.n, c.what)
		}
	}
	return text
}

func boundTo(v gates.Verdict) string {
	b := v.Bound
	if b.Unread { // stopped or refused before anybody looked
		return "lane " + orNone(b.Lane)
	}
	if b.Commit == "" {
		return "lane " + orNone(b.Lane) + ", no commit"
	}
	text := fmt.Sprintf("lane %s at %.10s", b.Lane, b.Commit)
	if b.Changes != "" {
		text += " with uncommitted changes"
	}
	return text
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// outcomeWord says also whether only a part of the gate ran.
func outcomeWord(v gates.Verdict) string {
	if v.Partial {
		return "partial " + string(v.Outcome)
	}
	return string(v.Outcome)
}

// colours of outcomes: green, yellow for what wants a look, red for the rest.
func (a *app) paint(v gates.Verdict) string {
	word := outcomeWord(v)
	if !colored(a.color, terminal(a.out)) {
		return word
	}
	code := "31"
	switch v.Outcome {
	case gates.Green:
		code = "32"
	case gates.KnownRed, gates.Attention, gates.Refused:
		code = "33"
	}
	return "\x1b[1;" + code + "m" + word + "\x1b[0m"
}
