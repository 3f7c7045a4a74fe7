package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gpuci/gates/ab"
)

// unfinishedLine is a comparison that has not ended, in JSON.
type unfinishedLine struct {
	Type    string    `json:"type"` // always "unfinished"
	ID      string    `json:"id"`
	Gate    string    `json:"gate"`
	Started time.Time `json:"started"`
	Samples int       `json:"samples"`
	State   string    `json:"state,omitempty"` // stopped, owed, running or killed; "" where another machine has it, and that is not known
	Why     string    `json:"why,omitempty"`
}

// unfinishedOf says of one whether somebody works on it; state is where its journal is.
func unfinishedOf(state string, l ab.Log) unfinishedLine {
	u := unfinishedLine{Type: "unfinished", ID: l.ID, Gate: l.Gate, Started: l.Started, Samples: len(l.Samples)}
	host, _ := os.Hostname()
	switch {
	case ab.Held(state, l.ID): // also one that ended, and is gone on with
		u.State = "running"
	case l.End != nil:
		u.State, u.Why = l.End.State, l.End.Why
	case l.Host == host:
		u.State = "killed"
	}
	return u
}

// text is what people are told.
func (u unfinishedLine) text() string {
	state, next := u.State, ": gpuci ab --resume="+u.ID
	switch state {
	case "running":
		state, next = "goes on", ""
	case "killed":
		state = "was killed"
	case "":
		state = "goes on, or was killed"
	}
	return fmt.Sprintf("not ended: %s of gate %s, %s, %s%s\n", u.ID, printable(u.Gate), count(u.Samples, "run", "runs"), state, next)
}

// printDecisions writes what stands, and of what does not by what it was replaced.
func (a *app) printDecisions(stand, gone []standingDecision, looks []string, open []unfinishedLine, json bool) error {
	if json {
		for _, s := range stand {
			if err := a.jsonLine(s); err != nil {
				return err
			}
		}
		for _, u := range open {
			if err := a.jsonLine(u); err != nil {
				return err
			}
		}
		for _, text := range looks {
			if err := a.jsonLine(map[string]string{"type": "look", "text": text}); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := io.WriteString(a.out, decisionsText(stand, gone, looks, open, time.Now()))
	return err
}

func decisionsText(stand, gone []standingDecision, looks []string, open []unfinishedLine, now time.Time) string {
	var b strings.Builder
	if len(stand) == 0 {
		b.WriteString("nothing is banked yet: gpuci ab --help\n")
	} else {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "decision\tgate\tarm\tverdict\tchange\tbanked\tdefault\tsince")
		for _, s := range stand {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID, printable(s.Gate), printable(s.Arm.Name), s.Verdict, abChange(s.Change), sinceCell(s.At, now), onText(s.On), printable(changedText(s.Since)))
		}
		_ = w.Flush() // into memory
	}
	for _, s := range stand {
		for _, text := range s.Looks {
			fmt.Fprintf(&b, "%s: %s\n", printable(s.Gate), printable(text))
		}
	}
	for _, s := range gone {
		if !s.again(stand) {
			fmt.Fprintf(&b, "%s: %s of %s is superseded by %s: %s\n", printable(s.Gate), s.ID, printable(s.Arm.Name), s.ReplacedBy, printable(s.ReplacedAs))
		}
	}
	for _, text := range looks {
		fmt.Fprintf(&b, "%s\n", printable(text))
	}
	for _, u := range open {
		b.WriteString(u.text())
	}
	return b.String()
}

// again says that a decision was looked at again, which needs no word.
func (s standingDecision) again(stand []standingDecision) bool {
	return slices.ContainsFunc(stand, func(o standingDecision) bool { return o.ID == s.ReplacedBy && o.Again == s.ID })
}

func onText(on *bool) string {
	switch {
	case on == nil:
		return "?"
	case *on:
		return "yes"
	}
	return "no"
}

// changedText is what has changed since a decision.
func changedText(s ab.Since) string {
	const most = 3
	var parts []string
	if s.Settings {
		parts = append(parts, "the gate's settings changed")
	}
	if n := len(s.Files); n > most {
		parts = append(parts, fmt.Sprintf("%d files changed in %s", n, count(s.Commits, "commit", "commits")))
	} else if n > 0 {
		parts = append(parts, strings.Join(s.Files, " ")+" changed")
	}
	if s.Driver != "" {
		parts = append(parts, "the driver is "+s.Driver+" now")
	}
	if s.NoCard != "" {
		parts = append(parts, "there is no "+s.NoCard+" here")
	}
	if s.Unknown != "" {
		parts = append(parts, "not known: "+s.Unknown)
	}
	if len(parts) == 0 {
		return "same"
	}
	return strings.Join(parts, "; ")
}
