package main

import (
	"fmt"
	"strings"

	"gpuci/buildlock"
	"gpuci/gates/config"
	"gpuci/gates/fixtures"
)

// fixtureFinding is a finding about no fixture in particular, in JSON.
type fixtureFinding struct {
	Type string `json:"type"` // always "fixture-finding"
	fixtures.Finding
}

// fixturesLine closes a report, in JSON.
type fixturesLine struct {
	Type    string  `json:"type"` // always "fixtures"
	Exit    int     `json:"exit"`
	Seconds float64 `json:"seconds"`
	Stopped string  `json:"stopped,omitempty"`
}

func (a *app) printFixtures(cfg *config.Config, r fixtures.Report, asJSON, verify bool) error {
	if asJSON {
		return a.fixturesJSON(r)
	}
	var b strings.Builder
	for _, res := range r.Results {
		x := fixtureNamed(cfg, res.Fixture)
		fmt.Fprintf(&b, "%s: %s\n", fixtureWord(res, verify), ownLine(fixtureAbout(x, res, verify)))
		fixtureWhy(&b, res.Findings)
		for _, text := range res.Notes {
			b.WriteString("  note     " + ownLine(text) + "\n")
		}
		for _, text := range nexts(res.Findings) {
			b.WriteString("  next     " + ownLine(text) + "\n")
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s: %s\n  next     %s\n", f.Outcome, ownLine(f.Text), ownLine(f.Next))
	}
	if r.Stopped != nil {
		fmt.Fprintf(&b, "stopped: %s\n  next     run it again\n", ownLine(r.Stopped.Error()))
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// maxBecause is how many reasons are shown of a fixture: those of a hundred files are
// as a rule the same.
const maxBecause = 10

// fixtureWhy says what was found, the gravest first, and what each sums up below it.
func fixtureWhy(b *strings.Builder, all []fixtures.Finding) {
	for _, f := range all[:min(maxBecause, len(all))] {
		b.WriteString("  because  " + ownLine(f.Text) + "\n")
		for _, text := range f.Lines {
			b.WriteString("             " + ownLine(text) + "\n")
		}
	}
	if more := len(all) - maxBecause; more > 0 {
		fmt.Fprintf(b, "  because  and %d more; --json has all\n", more)
	}
}

// ownLine keeps what files are called from being taken for a line of ours.
func ownLine(text string) string { return strings.ReplaceAll(printable(text), "\n", `\n`) }

func (a *app) fixturesJSON(r fixtures.Report) error {
	for _, res := range r.Results {
		if err := a.jsonLine(res); err != nil {
			return err
		}
	}
	for _, f := range r.Findings {
		if err := a.jsonLine(fixtureFinding{"fixture-finding", f}); err != nil {
			return err
		}
	}
	last := fixturesLine{Type: "fixtures", Exit: r.Exit, Seconds: r.Seconds}
	if r.Stopped != nil {
		last.Stopped = r.Stopped.Error()
	}
	return a.jsonLine(last)
}

func fixtureNamed(cfg *config.Config, name string) config.Fixture {
	for _, x := range cfg.Fixtures {
		if x.Name == name {
			return x
		}
	}
	return config.Fixture{Name: name}
}

// fixtureWord is the outcome; of a list, where nothing was made, "listed".
func fixtureWord(r fixtures.Result, verify bool) string {
	if !verify && r.Outcome == fixtures.Same {
		return "listed"
	}
	return string(r.Outcome)
}

// fixtureAbout says in a line what a fixture is.
func fixtureAbout(x config.Fixture, r fixtures.Result, verify bool) string {
	parts := []string{x.Name}
	if n := len(r.Files); n == 1 {
		parts = append(parts, r.Files[0].Path)
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d files", n))
	}
	switch {
	case r.ByHand != "":
		parts = append(parts, "made by hand: "+r.ByHand)
	case verify && r.Runs > 0:
		parts = append(parts, "made "+times(r.Runs)+" in "+buildlock.Round(seconds(r.Seconds)).String())
	}
	if len(r.ReadBy) > 0 {
		parts = append(parts, "read by "+strings.Join(r.ReadBy, ", "))
	}
	return strings.Join(parts, ", ")
}

// nexts are what to do, each said once.
func nexts(all []fixtures.Finding) (out []string) {
	seen := make(map[string]bool)
	for _, f := range all {
		if f.Next != "" && !seen[f.Next] {
			seen[f.Next] = true
			out = append(out, f.Next)
		}
	}
	return out
}
