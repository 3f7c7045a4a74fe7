package main

import (
	"fmt"
	"strings"
	"time"

	"gpuci/gates"
)

// noteSheet is the answer of `gpuci notes` as it is written.
type noteSheet struct {
	*app
	flags   notesFlags
	about   []string // only these; nil for all
	shown   int
	wanting int // a look
}

// all writes the whole answer.
func (p *noteSheet) all(l gates.NoteList) error {
	for _, n := range l.Notes {
		if err := p.entry(n, n.Stale || n.Orphan, func() string { return noteText(n) }); err != nil {
			return err
		}
	}
	for _, r := range l.Reds {
		if err := p.entry(r, r.Overdue || r.Green, func() string { return redText(r) }); err != nil {
			return err
		}
	}
	for _, b := range l.Bad {
		line := badNoteLine{"bad-note", b.At(), b.About, b.Why}
		text := func() string {
			return fmt.Sprintf("not read  %s: %s\n  next      mend it or remove it", b.At(), b.Why)
		}
		if err := p.entry(line, true, text); err != nil {
			return err
		}
	}
	if l.Cut != "" {
		p.console.note(l.Cut)
	}
	if p.shown > 0 || p.flags.json {
		return nil
	}
	none := "no notes and no known reds: gpuci notes --help says how to write one"
	of := ""
	if len(p.about) > 0 {
		of = " of " + printable(strings.Join(p.about, ", "))
		none = "no notes and no known red" + of
	}
	if p.flags.stale {
		none = "nothing" + of + " is stale"
	}
	_, err := fmt.Fprintln(p.out, none)
	return err
}

// badNoteLine is what looks like a note and cannot be read, in JSON.
type badNoteLine struct {
	Type  string `json:"type"` // always "bad-note"
	At    string `json:"at"`
	About string `json:"about,omitempty"`
	Why   string `json:"why"`
}

// entry writes one thing that expires.
func (p *noteSheet) entry(line any, wants bool, text func() string) error {
	if wants {
		p.wanting++
	} else if p.flags.stale {
		return nil
	}
	p.shown++
	if p.flags.json {
		return p.jsonLine(line)
	}
	for row := range strings.SplitSeq(text(), "\n") {
		if _, err := fmt.Fprintln(p.out, printable(row)); err != nil {
			return err
		}
	}
	return nil
}

// noteText is a note for people.
func noteText(n gates.ListedNote) string {
	word := "stands"
	if n.Stale {
		word = "stale"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s  %s: %q (%s, %s, %s)", word, oneLine(n.About), n.Text, oneLine(n.Owner), n.At, writtenText(n))
	for _, c := range n.Conditions {
		fmt.Fprintf(&b, "\n  under     %s", oneLine(c))
	}
	for _, f := range n.Fell {
		fmt.Fprintf(&b, "\n  fell      %s", oneLine(f.Text(time.Now())))
	}
	for _, r := range n.Remarks {
		fmt.Fprintf(&b, "\n  but       %s", oneLine(r))
	}
	if n.Prediction != "" && n.Prediction != gates.PredictionRefuted {
		fmt.Fprintf(&b, "\n  expected  %s", predictionText(n))
	}
	switch {
	case n.Orphan:
		fmt.Fprintf(&b, "\n  next      %s is no gate and no file here: mend or remove the note", oneLine(n.About))
	case n.Stale:
		fmt.Fprintf(&b, "\n  next      %s", oneLine(n.Next()))
	}
	return b.String()
}

func predictionText(n gates.ListedNote) string {
	if n.Prediction == gates.PredictionOpen {
		return "nothing said yet: the next run of " + n.About + " does"
	}
	return "confirmed by the last run of " + n.About
}

// writtenText is how old a note is.
func writtenText(n gates.ListedNote) string {
	if n.Ageless != "" {
		return "its age is not known: " + oneLine(n.Ageless)
	}
	if n.Written == nil {
		return "not committed"
	}
	return fmt.Sprintf("written %s by %.10s", agoText(time.Since(*n.Written)), n.By)
}

// redText is a known red for people.
func redText(r gates.ListedRed) string {
	left := count(r.Days, "day", "days") + " left"
	next := ""
	switch {
	case r.Overdue:
		left = "over since " + r.Until
		next = fmt.Sprintf("mend it, or agree on a new end with %s", r.Owner)
	case r.Green:
		next = "it is green: take expect, owner and until out of gpuci.toml"
	case r.Days == 0:
		left = "its last day"
	}
	text := fmt.Sprintf("%-8s  %s (%s, until %s, %s)", "red", r.Gate, oneLine(r.Owner), r.Until, left)
	switch {
	case r.Outcome == "":
		text += "\n  last      never run here: gpuci gate " + r.Gate
	default:
		text += fmt.Sprintf("\n  last      %s, %s", r.Outcome, agoText(time.Since(r.When)))
		if r.Old != "" {
			text += "; stale: " + oneLine(r.Old)
		}
	}
	if next != "" {
		text += "\n  next      " + next
	}
	return text
}
