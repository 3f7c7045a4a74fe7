package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"gpuci/gates/config"
)

// gateLine is a gate in `gpuci gate --list --json`.
type gateLine struct {
	Type    string   `json:"type"` // always "gate"
	Gate    string   `json:"gate"`
	About   string   `json:"about,omitempty"`
	Reader  string   `json:"reader"`
	Needs   []string `json:"needs,omitempty"`
	Expect  string   `json:"expect,omitempty"`
	Bars    []string `json:"bars,omitempty"`
	Faults  int      `json:"faults"` // that gpuci falsify plants
	Profile string   `json:"profile,omitempty"`
	Lane    string   `json:"lane,omitempty"` // where several were asked for
}

func (a *app) listGates(cfg *config.Config, asJSON bool) error {
	return a.listGatesOf(cfg, "", asJSON)
}

func (a *app) listGatesOf(cfg *config.Config, lane string, asJSON bool) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	faulted := slices.ContainsFunc(cfg.Gates, func(g config.Gate) bool { return len(g.Faults) > 0 })
	for _, g := range cfg.Gates {
		line := gateLine{"gate", g.Name, g.About, g.Reader, g.Needs, g.Expect, nil, len(g.Faults), g.Profile, lane}
		for _, b := range g.Bars {
			line.Bars = append(line.Bars, b.Metric)
		}
		if asJSON {
			if err := a.jsonLine(line); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", g.Name, traits(line, faulted), g.About)
	}
	if len(cfg.Gates) == 0 && !asJSON {
		a.console.note("there is no [[gate]] in gpuci.toml yet")
	}
	return w.Flush()
}

// traits says in a few words what a gate is like; of faults where some gate has them.
func traits(g gateLine, faulted bool) string {
	out := []string{g.Reader}
	if len(g.Needs) > 0 {
		out = append(out, "needs "+strings.Join(g.Needs, " "))
	}
	if g.Expect != "" {
		out = append(out, "known "+g.Expect)
	}
	switch {
	case g.Faults > 0:
		out = append(out, count(g.Faults, "fault", "faults"))
	case faulted:
		out = append(out, "no faults")
	}
	return strings.Join(out, ", ")
}
