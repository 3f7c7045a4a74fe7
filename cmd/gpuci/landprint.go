package main

import (
	"fmt"
	"io"
	"strings"

	"gpuci/ci"
)

// landed prints what came of a landing, and gives its exit code.
func (a *app) landed(l ci.Landing, f landFlags) error {
	_ = a.console.settle()
	var err error
	if f.json {
		err = a.jsonLine(l)
	} else {
		_, err = io.WriteString(a.out, landText(l))
	}
	if err != nil {
		return err
	}
	return coded{code: l.Exit}
}

// landText is a landing for a person.
func landText(l ci.Landing) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", l.Outcome, printable(landHead(l)))
	row := func(key, text string) { fmt.Fprintf(&b, "  %-8s %s\n", key, oneLine(text)) }
	if l.Why != "" {
		row("because", l.Why)
	}
	if l.Outcome == ci.WouldTry {
		dryRows(l, row)
	}
	for _, g := range l.Gates {
		switch {
		case g.AsBase:
			row("gate", fmt.Sprintf("%s: red, as %s is", g.Gate, l.Onto))
		case g.Outcome != "":
			row("gate", g.Gate+": "+string(g.Outcome))
		}
	}
	if len(l.Dropped) > 0 {
		row("mark", fmt.Sprintf("%s required what is not there any more: %s", l.Onto, strings.Join(l.Dropped, ", ")))
	}
	for _, n := range l.Next {
		row("next", n)
	}
	return b.String()
}

// landHead says what it is about.
func landHead(l ci.Landing) string {
	text := "lane " + l.Lane
	if l.Onto != "" {
		text = fmt.Sprintf("lane %s onto %s", l.Lane, l.Onto)
	}
	switch {
	case l.Outcome == ci.Landed:
		text += fmt.Sprintf(", %s%s, %.10s to %.10s", count(l.Commits, "commit", "commits"), leftOut(l), l.Base, l.Tip)
		if l.In != "" {
			text += ", with the files of lane " + l.In
		}
	case l.Commits > 0:
		text += fmt.Sprintf(", %s at %.10s", count(l.Commits, "commit", "commits"), l.Commit)
	}
	return text
}

// leftOut says what of the lane's commits a replay leaves out.
func leftOut(l ci.Landing) string {
	var parts []string
	if l.Merges > 0 {
		parts = append(parts, count(l.Merges, "merge", "merges")+" left out")
	}
	if l.Known > 0 {
		parts = append(parts, fmt.Sprintf("%d that %s has by other commits", l.Known, l.Onto))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// dryRows say what would be done.
func dryRows(l ci.Landing, row func(key, text string)) {
	how := "as they are: %s is among their ancestors"
	if l.Replayed {
		how = "replayed on %s, by other commits"
	}
	if l.Merges > 0 {
		how += "; " + count(l.Merges, "merge", "merges") + " left out"
	}
	row("commits", fmt.Sprintf("%d, "+how, l.Commits, l.Onto))
	var names []string
	for _, g := range l.Gates {
		names = append(names, g.Gate)
	}
	row("gates", orNone(strings.Join(names, ", ")))
	in := "in no lane: the branch alone is moved"
	if l.In != "" {
		in = "in lane " + l.In + ", whose files go along"
	}
	row("moves", fmt.Sprintf("%s, checked out %s", l.Onto, in))
}
