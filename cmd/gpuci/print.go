package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/metric"
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
	numbers(v, o.verbose, row)
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

// numbers shows every bar and witness that held; those that did not are among
// the findings already. What is only recorded shows with -v.
func numbers(v gates.Verdict, verbose bool, row func(key, text string)) {
	judged := make(map[string]bool)
	for _, r := range v.Bars {
		judged[r.Metric] = true
		if r.State == metric.Held || verbose {
			row("bar", barText(r))
		}
	}
	for _, w := range v.Witnesses {
		if w.State == metric.Held || verbose {
			row("witness", fmt.Sprintf("%s: %s%s", w.Name, w.State, counters(w)))
		}
	}
	for _, m := range v.Metrics {
		if !judged[m.Metric] && verbose {
			row("metric", fmt.Sprintf("%s: %d values from %s to %s", m.Metric, m.Count, m.Low.Text, m.High.Text))
		}
	}
}

func counters(w gates.WitnessResult) string {
	if len(w.Counters) == 0 {
		return ""
	}
	return " (" + metric.Sample{Labels: w.Counters}.Series() + ")"
}

func barText(r metric.Result) string {
	if r.Worst == nil {
		return fmt.Sprintf("%s: %s", r.Metric, r.State)
	}
	text := r.Metric + " " + r.Worst.Text
	if r.Worst.Unit != "" {
		text += " " + r.Worst.Unit
	}
	if r.Max != nil {
		text += fmt.Sprintf(", max %s", metric.Format(*r.Max))
	}
	if r.Min != nil {
		text += fmt.Sprintf(", min %s", metric.Format(*r.Min))
	}
	if r.Matches > 1 {
		text += fmt.Sprintf("; worst of %d", r.Matches)
	}
	if s := r.Worst.Series(); s != "" {
		text += ", " + s
	}
	if len(r.Held) > 0 {
		text += "; " + againstText(r.Held[0], len(r.Held))
	}
	if len(r.Parts) > 0 {
		text += fmt.Sprintf("; %s within %.2g %% of it", strings.Join(r.Parts, " + "), 100*r.Rest)
	}
	return text
}

// againstText is the worst of the series against its reference.
func againstText(w metric.Against, n int) string {
	of := ""
	if n > 1 {
		of = fmt.Sprintf(", the worst of %d series", n)
	}
	switch w.Standing {
	case metric.First:
		return "the first of its kind" + of
	case metric.Compared:
		than := fmt.Sprintf("%s at %.10s%s", metric.Format(*w.Reference), orNone(w.Commit), of)
		switch {
		case w.Worse == 0:
			return "the same as " + than
		case w.Worse < 0:
			return fmt.Sprintf("%.1f%% better than %s", -100*w.Worse, than)
		}
		return fmt.Sprintf("%.1f%% worse than %s", 100*w.Worse, than)
	}
	return string(w.Standing) + of
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

// summaryLine closes a run of several gates in JSON.
type summaryLine struct {
	Type     string         `json:"type"` // always "summary"
	Selected int            `json:"selected"`
	Outcomes map[string]int `json:"outcomes"`
	NotRun   []string       `json:"not-run,omitempty"`
	Exit     int            `json:"exit"`
	Lanes    []laneSum      `json:"lanes,omitempty"` // where several were asked for
}

// summary closes the answer: one line for several gates, always one in JSON.
func (a *app) summary(done []gates.Verdict, notRun []string, code int, o gateOptions) {
	selected := len(done) + len(notRun)
	s := summaryLine{Type: "summary", Selected: selected, Outcomes: make(map[string]int), NotRun: notRun, Exit: code}
	var words []string
	for _, v := range done {
		word := outcomeWord(v)
		if s.Outcomes[word] == 0 {
			words = append(words, word)
		}
		s.Outcomes[word]++
	}
	if o.json {
		_ = a.jsonLine(s)
		return
	}
	if selected < 2 {
		return
	}
	for i, w := range words {
		words[i] = fmt.Sprintf("%d %s", s.Outcomes[w], w)
	}
	if len(notRun) > 0 {
		words = append(words, fmt.Sprintf("%d not run", len(notRun)))
	}
	fmt.Fprintf(a.out, "%d gates: %s\n", selected, strings.Join(words, ", "))
}
