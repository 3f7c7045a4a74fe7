package main

import (
	"fmt"
	"io"
	"strings"

	"gpuci/gates/lint"
)

// lintLine is a finding in JSON.
type lintLine struct {
	Type string `json:"type"` // always "finding"
	lint.Finding
}

// lintSummary closes the answer of lint in JSON.
type lintSummary struct {
	Type     string         `json:"type"` // always "summary"
	Gates    int            `json:"gates"`
	Findings int            `json:"findings"` // that stand
	States   map[string]int `json:"states"`
	Accepted int            `json:"accepted"`
	Read     []string       `json:"read"`
	Unread   []string       `json:"unread,omitempty"`
	Beyond   []string       `json:"beyond,omitempty"` // what is run and is of no kind that is read
	Exit     int            `json:"exit"`
}

// printLint writes what was found to stdout.
func (a *app) printLint(r *lint.Report, f lintFlags, gates int) error {
	s := lintSummary{Type: "summary", Gates: gates, States: make(map[string]int), Read: r.Read, Unread: r.Unread, Beyond: r.Beyond, Exit: r.Exit()}
	if s.Read == nil {
		s.Read = []string{}
	}
	var b strings.Builder
	for _, x := range r.Findings {
		state := string(x.State)
		if x.State == lint.Untried {
			state = "not tried"
		}
		if x.Accepted != "" {
			s.Accepted++
		} else {
			s.States[state]++
		}
		if x.Accepted == "" && x.State != lint.Withdrawn {
			s.Findings++
		}
		if f.json {
			if err := a.jsonLine(lintLine{"finding", x}); err != nil {
				return err
			}
			continue
		}
		if x.State != lint.Withdrawn || f.verbose {
			lintRows(&b, x)
		}
	}
	if f.json {
		return a.jsonLine(s)
	}
	for _, why := range r.Unread {
		fmt.Fprintf(&b, "not read: %s\n", printable(why))
	}
	for _, why := range r.Beyond {
		fmt.Fprintf(&b, "beyond lint: %s\n", printable(why))
	}
	if f.verbose && len(r.Read) > 0 {
		const most = 20 // files of tests come in hundreds
		list := strings.Join(r.Read[:min(most, len(r.Read))], ", ")
		if more := len(r.Read) - most; more > 0 {
			list += fmt.Sprintf(" and %d more", more)
		}
		fmt.Fprintf(&b, "read: %s\n", printable(list))
	}
	fmt.Fprintln(&b, lintSum(s))
	if next := lintNext(r, f); next != "" {
		fmt.Fprintln(&b, "next: "+next)
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

func lintRows(b *strings.Builder, x lint.Finding) {
	row := func(key, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-8s %s\n", key, printable(strings.ReplaceAll(text, "\n", "; ")))
		}
	}
	word := string(x.Kind)
	if x.Accepted != "" {
		word = "accepted " + word
	}
	fmt.Fprintf(b, "%s:%d: %s (gate %s)\n", printable(x.File), x.Line, word, strings.Join(x.Gates, ", "))
	row("line", x.Text)
	if x.Accepted != "" {
		row("because", x.Accepted)
		return
	}
	row("lost", clipped(x.Command)+": "+x.Why)
	if x.State != lint.Untried {
		row("proof", string(x.State)+": "+x.Proof)
	}
	row("remark", x.Remark)
	row("instead", x.Instead)
}

// clipped is as much of a command as a line has room for.
func clipped(command string) string {
	const most = 100
	if r := []rune(command); len(r) > most {
		return string(r[:most]) + "…"
	}
	return command
}

// lintSum is the last line for a person.
func lintSum(s lintSummary) string {
	n := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	text := fmt.Sprintf("%s in %s, %s read", n(s.Findings, "finding"), n(s.Gates, "gate"), n(len(s.Read), "file"))
	switch {
	case s.Findings > 0:
	case len(s.Unread) > 0:
		text = fmt.Sprintf("nothing found in what could be read of %s: %s, and %s not read", n(s.Gates, "gate"), n(len(s.Read), "file"), n(len(s.Unread), "place"))
	default:
		text = fmt.Sprintf("nothing found in %s, %s read", n(s.Gates, "gate"), n(len(s.Read), "file"))
	}
	var parts []string
	for _, state := range []lint.State{lint.Proven, lint.NotProven, lint.Withdrawn} {
		if c := s.States[string(state)]; c > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c, state))
		}
	}
	if s.Accepted > 0 {
		parts = append(parts, fmt.Sprintf("%d accepted", s.Accepted))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
