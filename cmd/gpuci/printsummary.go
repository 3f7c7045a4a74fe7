package main

import (
	"fmt"
	"strings"

	"gpuci/gates"
)

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
	by := make(map[string][]string) // gates, by outcome
	for _, v := range done {
		word := outcomeWord(v)
		if s.Outcomes[word] == 0 {
			words = append(words, word)
		}
		s.Outcomes[word]++
		by[word] = append(by[word], v.Gate)
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
		if w != string(gates.Green) {
			words[i] += " (" + few(by[w]) + ")"
		}
	}
	if len(notRun) > 0 {
		words = append(words, fmt.Sprintf("%d not run (%s)", len(notRun), few(notRun)))
	}
	fmt.Fprintf(a.out, "%s: %s\n", count(selected, "gate", "gates"), strings.Join(words, ", "))
}
