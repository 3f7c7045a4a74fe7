package main

import "gpuci/gates/history"

// resultLine and courseLine are the answer in JSON.
type resultLine struct {
	Type string `json:"type"` // always "result"
	history.Result
}

type courseLine struct {
	Type string `json:"type"` // always "course"
	history.Course
}

type countsLine struct {
	Type     string         `json:"type"` // always "counts"
	Gate     string         `json:"gate"`
	Outcomes map[string]int `json:"outcomes"`
}

func (a *app) gateJSON(g gatePast) error {
	lines := []any{countsLine{"counts", g.gate, g.counts}}
	for _, l := range g.latest {
		lines = append(lines, l)
	}
	for _, c := range g.courses {
		lines = append(lines, courseLine{"course", c})
	}
	for _, r := range g.results {
		lines = append(lines, resultLine{"result", r})
	}
	for _, l := range lines {
		if err := a.jsonLine(l); err != nil {
			return err
		}
	}
	return nil
}
