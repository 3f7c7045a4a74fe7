package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gpuci/gates"
	"gpuci/gates/junit"
	"gpuci/worktrees"
)

// laneTable is what came of gates in several lanes: lane by gate.
type laneTable struct {
	rows  []laneRow
	every bool // every lane was asked for, and not some by their names
	torn  int  // exit code of lanes that could not be told
}

// laneRow is one lane of it.
type laneRow struct {
	lane      worktrees.Lane
	workspace string
	why       string // why nothing of it ran; "" where something did
	laneRun
}

// laneSum is a lane in the summary's JSON.
type laneSum struct {
	Lane    string            `json:"lane"`
	Gates   map[string]string `json:"gates,omitempty"` // outcome by gate
	NotRun  []string          `json:"not-run,omitempty"`
	Removed bool              `json:"removed,omitempty"`
	Why     string            `json:"why,omitempty"` // nothing of it ran
	Exit    int               `json:"exit"`
}

// codes are the exit codes of all lanes. Where nothing ran in any, nothing was
// selected, whatever kept each from it.
func (t laneTable) codes() (codes []int) {
	ran := 0
	for _, r := range t.rows {
		codes = append(codes, r.codes...)
		ran += len(r.done)
	}
	if ran == 0 && gates.WorstExit(codes...) == 0 {
		codes = append(codes, gates.ExitNothing)
	}
	return codes
}

// columns are the gates, in the order in which they were come upon.
func (t laneTable) columns() (names []string) {
	for _, r := range t.rows {
		for _, name := range r.names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// names are the gates of a lane that ran or were to run.
func (r laneRow) names() (names []string) {
	for _, v := range r.done {
		names = append(names, v.Gate)
	}
	return append(names, r.notRun...)
}

// cell is what came of one gate in a lane.
func (r laneRow) cell(gate string) string {
	for i, v := range r.done {
		switch {
		case v.Gate != gate:
		case r.removed && i == len(r.done)-1:
			return "lane removed"
		default:
			return outcomeWord(v)
		}
	}
	if slices.Contains(r.notRun, gate) {
		return "not run"
	}
	return "-"
}

// print writes the table and the sums below it.
func (t laneTable) print(out io.Writer) error {
	columns := t.columns()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(append([]string{"lane"}, columns...), "\t"))
	for _, r := range t.rows {
		cells := []string{oneLine(r.lane.Name)}
		if r.why != "" && len(r.done) == 0 {
			cells = append(cells, oneLine(r.why))
		} else {
			for _, name := range columns {
				cells = append(cells, r.cell(name))
			}
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(out, b.String()+t.sums()+"\n")
	return err
}

// oneLine is a text that stands in a table.
func oneLine(s string) string {
	return printable(strings.Join(strings.Fields(s), " "))
}

// sums counts the outcomes of all lanes.
func (t laneTable) sums() string {
	counts, words := t.outcomes()
	n, notRun := 0, 0
	for _, r := range t.rows {
		n += len(r.names())
		notRun += len(r.notRun)
	}
	for i, w := range words {
		words[i] = fmt.Sprintf("%d %s", counts[w], w)
	}
	if notRun > 0 {
		words = append(words, fmt.Sprintf("%d not run", notRun))
	}
	if len(words) == 0 {
		words = []string{"nothing ran"}
	}
	return fmt.Sprintf("%s in %s: %s", count(n, "gate", "gates"), count(len(t.rows), "lane", "lanes"), strings.Join(words, ", "))
}

// outcomes counts them, with their names in the order in which they came.
func (t laneTable) outcomes() (counts map[string]int, words []string) {
	counts = make(map[string]int)
	for _, r := range t.rows {
		for _, v := range r.done {
			word := outcomeWord(v)
			if counts[word] == 0 {
				words = append(words, word)
			}
			counts[word]++
		}
	}
	return counts, words
}

// summary closes the lines of JSON.
func (t laneTable) summary(code int) summaryLine {
	s := summaryLine{Type: "summary", Exit: code}
	s.Outcomes, _ = t.outcomes()
	for _, r := range t.rows {
		s.Selected += len(r.names())
		l := laneSum{Lane: r.lane.Name, NotRun: r.notRun, Removed: r.removed, Why: r.why, Exit: gates.WorstExit(r.codes...)}
		for _, v := range r.done {
			if l.Gates == nil {
				l.Gates = make(map[string]string)
			}
			l.Gates[v.Gate] = outcomeWord(v)
		}
		s.Lanes = append(s.Lanes, l)
	}
	return s
}

// suites are the lanes as JUnit has them. One in which nothing could run, though
// it should have, is an error there.
func (t laneTable) suites() (out []junit.Suite) {
	for _, r := range t.rows {
		switch code := gates.WorstExit(r.codes...); {
		case len(r.done) > 0:
			out = append(out, junitSuites(r.workspace, r.done, r.notRun)...)
		case code != 0:
			out = append(out, junit.Suite{Name: r.lane.Name, Cases: []junit.Case{{Name: "the lane", Class: r.workspace, Outcome: junit.Errored, Message: r.why}}})
		default:
			out = append(out, junit.Suite{Name: r.lane.Name, Cases: []junit.Case{{Name: "the lane", Class: r.workspace, Outcome: junit.Skipped, Message: r.why}}})
		}
	}
	return out
}
