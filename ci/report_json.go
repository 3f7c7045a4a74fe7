package ci

import (
	"encoding/json"
	"fmt"
	"io"
)

// The lines of a report as JSON: the night, a lane each with its cells, and the
// summary. Fields are only ever added.
type (
	nightLine struct {
		Report
		Lanes any `json:"lanes,omitempty"` // they have lines of their own
	}
	laneLine struct {
		Type string `json:"type"` // always "lane"
		Lane
	}
	// SummaryLine closes the lines of JSON.
	SummaryLine struct {
		Type     string         `json:"type"` // always "summary"
		Selected int            `json:"selected"`
		Ran      int            `json:"ran"`
		Stand    int            `json:"unchanged"`
		NotRun   int            `json:"not-run"`
		Changes  map[Change]int `json:"changes,omitempty"`
		Outcomes map[string]int `json:"outcomes"`
		Exit     int            `json:"exit"`
	}
)

// WriteJSON writes a report as JSON lines, each with a type.
func (r Report) WriteJSON(w io.Writer) error {
	lines := []any{nightLine{Report: r}}
	for _, l := range r.Lanes {
		lines = append(lines, laneLine{"lane", l})
	}
	for _, l := range append(lines, r.summary()) {
		data, err := json.Marshal(l)
		if err == nil {
			_, err = w.Write(append(data, '\n'))
		}
		if err != nil {
			return fmt.Errorf("write the night's report: %w", err)
		}
	}
	return nil
}

func (r Report) summary() SummaryLine {
	s := SummaryLine{Type: "summary", Outcomes: make(map[string]int), Exit: r.Exit}
	s.Selected, s.Ran, s.Stand, s.NotRun = r.Sums()
	for _, l := range r.Lanes {
		for _, c := range l.Cells {
			if c.State != NotRun {
				s.Outcomes[string(c.Outcome)]++
			}
			if c.Change != "" {
				if s.Changes == nil {
					s.Changes = make(map[Change]int)
				}
				s.Changes[c.Change]++
			}
		}
	}
	return s
}
