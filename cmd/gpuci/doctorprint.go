package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// doctorSum closes the report in JSON.
type doctorSum struct {
	Type    string `json:"type"` // always "summary"
	OK      int    `json:"ok"`
	Lost    int    `json:"lost"`
	Broken  int    `json:"broken"`
	Unknown int    `json:"unknown"`
	First   string `json:"first,omitempty"` // what to do first
	Exit    int    `json:"exit"`
}

func (r report) sum() doctorSum {
	s := doctorSum{"summary", r.count(stateOK), r.count(stateLost), r.count(stateBroken), r.count(stateUnknown), "", r.exit()}
	if c, any := r.first(); any {
		s.First = c.todo()
	}
	return s
}

// doctorJSON prints the report as JSON lines.
func (a *app) doctorJSON(r report, _ doctorOptions) error {
	for _, c := range r {
		if err := a.jsonLine(c); err != nil {
			return err
		}
	}
	return a.jsonLine(r.sum())
}

// doctorText prints the report for people.
func (a *app) doctorText(r report, o doctorOptions) error {
	var b strings.Builder
	for rest := r; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Group == rest[0].Group {
			n++
		}
		a.groupText(&b, rest[:n], o.verbose)
		rest = rest[n:]
	}
	b.WriteString("\n" + r.sumText())
	_, err := io.WriteString(a.out, b.String())
	return err
}

// nameWidth is that of the longest usual name of a check.
const nameWidth = 15

// groupText prints one group. Those that are as they should be and of which
// there are many share a line, and so do those that are not here.
func (a *app) groupText(b *strings.Builder, r report, verbose bool) {
	fmt.Fprintf(b, "%s\n", r[0].Group)
	var here, missing []string
	for _, c := range r {
		switch {
		case verbose || !c.aside && (!c.brief || c.State != stateOK):
			a.checkText(b, c)
		case c.aside:
		case c.Path == "":
			missing = append(missing, c.Name)
		default:
			here = append(here, strings.TrimSpace(c.Name+" "+c.Version))
		}
	}
	if len(here) > 0 {
		a.row(b, stateOK, "here", strings.Join(here, ", "))
	}
	if len(missing) > 0 {
		a.row(b, stateOK, "not here", strings.Join(missing, ", "))
	}
}

// checkText prints one check: what is there, what is lost, how to get it.
func (a *app) checkText(b *strings.Builder, c check) {
	var parts []string
	for _, p := range []string{c.Version, c.Value, c.Path} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	a.row(b, c.State, c.Name, strings.Join(parts, ", "))
	if c.Lost != "" {
		a.row(b, "", "", "without it: "+c.Lost)
	}
	if c.Get != "" {
		a.row(b, "", "", "get it: "+c.Get)
	}
}

// textWidth is how long a line of the report is; what is longer goes on in the
// next one.
const textWidth = 110

// row prints a state, a name and a text, which can have several lines.
func (a *app) row(b *strings.Builder, state, name, text string) {
	for i, line := range wrapped(text, textWidth-nameWidth-12) {
		if i > 0 {
			state, name = "", ""
		}
		fmt.Fprintf(b, "  %s  %-*s  %s\n", a.paintState(state), nameWidth, name, printable(line))
	}
}

// wrapped are the lines of a text, broken between words where they are longer
// than width. What stands further in was laid out by somebody, and stays so.
func wrapped(text string, width int) (out []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for utf8.RuneCountInString(line) > width && !strings.HasPrefix(line, " ") {
			at := lastBreak(line, width)
			if at <= 0 {
				break // one long word, such as a path
			}
			out, line = append(out, line[:at]), line[at+1:]
		}
		out = append(out, line)
	}
	return out
}

// lastBreak is where the last blank is among the first characters of a line,
// and the one behind them; -1 where there is none.
func lastBreak(line string, width int) int {
	last, n := -1, 0
	for at, r := range line {
		if n > width {
			break
		}
		if n++; r == ' ' {
			last = at
		}
	}
	return last
}

// paintState is a state in its colour, and in the width of all.
func (a *app) paintState(state string) string {
	text := fmt.Sprintf("%-7s", state)
	if !colored(a.color, terminal(a.out)) || state == "" {
		return text
	}
	code := map[string]string{stateOK: "32", stateBroken: "31"}[state]
	return "\x1b[1;" + cmp.Or(code, "33") + "m" + text + "\x1b[0m"
}

// sumText is the end of the report.
func (r report) sumText() string {
	s := r.sum()
	text := fmt.Sprintf("%d broken, %d lost", s.Broken, s.Lost)
	if s.Unknown > 0 {
		text += fmt.Sprintf(", %d unknown", s.Unknown)
	}
	if s.Exit == 0 {
		text += ": gates can run here\n"
	} else {
		text += fmt.Sprintf(": gates cannot run here (exit %d)\n", s.Exit)
	}
	if s.First != "" {
		text += "first: " + s.First + "\n"
	}
	return text
}
