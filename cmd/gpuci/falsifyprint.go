package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/falsify"
	"gpuci/gates/history"
	"gpuci/gates/metric"
)

// falsifySummary closes the answer in JSON.
type falsifySummary struct {
	Type    string   `json:"type"` // always "summary"
	Gates   int      `json:"gates"`
	Without []string `json:"without-faults,omitempty"` // gates; of a run without names
	Exit    int      `json:"exit"`
}

// plantedLine is what came of one fault in JSON.
type plantedLine struct {
	Type   string `json:"type"` // always "fault"
	OfGate string `json:"gate"`
	history.Planting
	Next []string `json:"next,omitempty"`
	Log  string   `json:"log,omitempty"`
}

// falsifiedLine is what came of all faults of a gate in JSON.
type falsifiedLine struct {
	Type string `json:"type"` // always "falsification"
	history.Falsification
	Unfaulted history.Planting `json:"unfaulted"`
	Broken    string           `json:"broken,omitempty"` // why nothing can be said
	Next      []string         `json:"next,omitempty"`
	Marks     []string         `json:"marks,omitempty"` // reservations about what came of the faults
	Kept      string           `json:"kept,omitempty"`
	Stopped   string           `json:"stopped,omitempty"`
	Exit      int              `json:"exit"`
}

// plantedText is one fault for who watches.
func plantedText(gate string, p falsify.Planted) string {
	text := fmt.Sprintf("%s with %s: %s", gate, p.Fault, p.Outcome)
	if p.Seconds > 0 {
		text += fmt.Sprintf(" (%s)", buildlock.Round(seconds(p.Seconds)))
	}
	return text
}

// printFalsified writes what came of the faults of one gate to stdout.
func (a *app) printFalsified(g config.Gate, r *falsify.Report, json bool) error {
	if json {
		return a.falsifiedJSON(r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s in %s (%s)\n", g.Name, falsifiedText(r), buildlock.Round(seconds(r.Seconds)), copiedFrom(r))
	row := func(key, text string) {
		fmt.Fprintf(&b, "  %-8s %s\n", key, printable(strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")))
	}
	if r.Broken != "" {
		row("because", r.Broken)
	}
	if len(r.Planted) > 0 {
		b.WriteString(matrix(g, r))
	}
	for _, p := range r.Planted {
		if p.Outcome == gates.FaultCaught {
			continue
		}
		row("because", fmt.Sprintf("%s %s: %s", p.Fault, p.Word, p.Why))
		for _, n := range p.Next {
			row("next", n)
		}
	}
	for _, m := range r.Marks {
		row("mark", m)
	}
	for _, n := range r.Notes {
		row("scratch", n)
	}
	for _, n := range r.Next {
		row("next", n)
	}
	if r.Stopped != nil {
		row("next", "run it again: what was stopped is not recorded")
	}
	if r.Kept != "" {
		row("kept", r.Kept+"; the next gpuci falsify or night removes it")
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

func falsifiedText(r *falsify.Report) string {
	switch {
	case r.Stopped != nil:
		return "stopped"
	case r.Broken != "":
		if len(r.Planted) == 0 {
			return "broken, no fault was planted"
		}
		return fmt.Sprintf("broken after %d of %d", len(r.Planted), r.Of)
	}
	text := fmt.Sprintf("%d of %d caught", r.Caught, r.Of)
	count := make(map[string]int)
	for _, p := range r.Planted {
		count[p.Outcome]++
	}
	for _, o := range []struct{ outcome, word string }{{gates.FaultBlind, "blind"}, {gates.FaultRotted, "rotted"}, {gates.FaultUnbuilt, "not built"}, {gates.FaultBroken, "broken"}} {
		if n := count[o.outcome]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, o.word)
		}
	}
	if r.Partial {
		text += " of those that were asked for"
	}
	return text
}

func copiedFrom(r *falsify.Report) string {
	text := "a copy of lane " + orNone(r.Lane)
	if r.Commit != "" {
		text += fmt.Sprintf(" at %.10s", r.Commit)
	}
	if r.Changes != "" {
		text += " with uncommitted changes"
	}
	return text
}

// matrix is a table of faults by metrics, each as many times its bar.
func matrix(g config.Gate, r *falsify.Report) string {
	var columns []string
	for _, b := range g.Bars {
		columns = append(columns, b.Metric)
	}
	rows := append([]falsify.Planted{r.Bare}, r.Planted...)
	for _, p := range r.Planted {
		for _, m := range p.Moves {
			if !slices.Contains(columns, m.Metric) {
				columns = append(columns, m.Metric)
			}
		}
	}
	columns = slices.DeleteFunc(columns, func(c string) bool {
		return !slices.ContainsFunc(rows, func(p falsify.Planted) bool { return cell(p, c) != "" })
	})
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  fault\toutcome\t%s\n", strings.Join(columns, "\t"))
	for i, p := range rows {
		name := p.Fault
		if i == 0 {
			name = "(none)"
		}
		fmt.Fprintf(w, "  %s\t%s", name, p.Outcome)
		for _, c := range columns {
			fmt.Fprintf(w, "\t%s", orDash(cell(p, c)))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

// cell is how many times its bar a metric comes to; of one without a bar, how many
// times what it is without the fault.
func cell(p falsify.Planted, name string) string {
	i := slices.IndexFunc(p.Moves, func(m history.Move) bool { return m.Metric == name })
	if i < 0 {
		return ""
	}
	m := p.Moves[i]
	text := ""
	switch {
	case m.Beyond:
		text = "inf"
	case m.Factor != nil:
		text = metric.TimesBeside(*m.Factor, 1)[0]
	case m.Value != nil && m.Unfaulted != nil && *m.Unfaulted != 0:
		text = "x" + metric.TimesBeside(*m.Value / *m.Unfaulted, 1)[0]
	case m.Value != nil:
		text = "=" + metric.Times(*m.Value)
	}
	switch {
	case text == "":
	case m.Must == "move":
		text += " *"
	case m.Must == "stay" && m.Moved:
		text += " !"
	}
	return text
}

func (a *app) falsifiedJSON(r *falsify.Report) error {
	for _, p := range r.Planted {
		if err := a.jsonLine(plantedLine{"fault", r.Gate, p.Planting, p.Next, p.Log}); err != nil {
			return err
		}
	}
	l := falsifiedLine{Type: "falsification", Falsification: r.Falsification, Unfaulted: r.Bare.Planting, Broken: r.Broken, Next: r.Next, Marks: r.Marks, Kept: r.Kept, Exit: r.Exit}
	if r.Stopped != nil {
		l.Stopped = r.Stopped.Error()
	}
	return a.jsonLine(l)
}
