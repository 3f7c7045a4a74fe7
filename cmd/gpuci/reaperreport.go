package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"gpuci/buildlock"
	"gpuci/reaper"
)

// sweepText prints the report of a sweep for people.
func (a *app) sweepText(s swept) error {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(buildlock.Printable(fmt.Sprintf(format, args...)) + "\n")
	}
	for _, j := range s.Leaked {
		line("would end %s (%s), %c, %s old: %s", j.Program(), suspect{Judged: j}.who(), j.State, buildlock.Round(j.Age), shortWhy(j))
	}
	for _, j := range s.Young {
		line("would end, if it gets %s old, %s (%s), %c, %s old", reaper.DefaultFloor, j.Program(), suspect{Judged: j}.who(), j.State, buildlock.Round(j.Age))
	}
	if len(s.Young) > 0 {
		line("one look cannot tell whether these get so old: where each ends and another one comes anew, a sweep sends nothing, and ends with 75")
	}
	if text := s.sum(); text != "" {
		line("%s", text)
	}
	if n := len(s.Survivors); n > 0 {
		line("%d not ended:", n)
	}
	for _, left := range s.Survivors {
		line("  %s, of lane %s by %s", left, left.Lane, left.Evidence)
	}
	for _, c := range s.Chains {
		line("goes on, nothing was sent: %s, by its %s", c, c.Evidence)
	}
	for _, j := range s.spared {
		line("let be: %s (%s), %s old: %s; %s", j.Program(), suspect{Judged: j}.who(), buildlock.Round(j.Age), j.Why, remedy(j))
	}
	if shells := lostShells(s.spared); len(shells) > 0 {
		line("if what started these shells is gone (ninja, a script): kill %s; then sweep again", strings.Join(shells, " "))
	}
	if text := elsewhereText(s.leaks); text != "" {
		line("%s", text)
	}
	for _, u := range s.notSeen() {
		line("not seen: %s; %s can", u.what, u.who)
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// notSeen is what may be leaked and could not be looked at.
func (s swept) notSeen() (out []unseen) {
	for _, text := range s.Blind {
		who := rootCan
		if strings.Contains(text, "no answer") || strings.Contains(text, "does not answer") {
			who = "a later sweep, once that answers,"
		}
		out = append(out, unseen{text, who})
	}
	return append(out, s.unseen...)
}

// sum is what came of it in one line; "" where only the survivors tell.
func (s swept) sum() string {
	if n := len(s.Swept) + len(s.Leaked) + len(s.Young); n == 0 && (len(s.Survivors)+len(s.Chains) > 0 || s.err != nil) {
		return ""
	}
	s.Survivors, s.Chains = nil, nil
	text := s.Report.String()
	switch {
	case len(s.Swept) > 0:
		text += fmt.Sprintf("; %s and %s", buildlock.Round(s.took), count(s.Passes, "look", "looks"))
	case len(s.Leaked)+len(s.Young) == 0:
		text += s.where()
	}
	if s.err != nil {
		text += "; not to its end"
	}
	return text
}

// where names the lanes that were swept.
func (s swept) where() string {
	var names []string
	for _, t := range s.lanes {
		if s.meant[t.Name] {
			names = append(names, t.Name)
		}
	}
	word := "lane"
	if len(names) > 1 {
		word = "lanes"
	}
	return fmt.Sprintf(" in %s %s", word, strings.Join(names, ", "))
}

// survivorLine is a leaked process that was not ended, as it is now; its type is
// "survivor".
type survivorLine struct {
	suspectLine
	Sent    bool   `json:"sigkill-sent"`       // by this sweep
	Pending bool   `json:"sigkill-pending"`    // whoever sent it
	Waits   string `json:"waits-in,omitempty"` // the wait channel in the kernel
	Unsent  string `json:"not-sent,omitempty"` // why nothing was sent
	Text    string `json:"text"`
}

// reportLine closes a sweep.
type reportLine struct {
	Type      string  `json:"type"` // always "report"
	Exit      int     `json:"exit"`
	Swept     int     `json:"swept"`
	Survivors int     `json:"survivors"`
	Leaked    int     `json:"would-sweep"`       // of a dry run
	Young     int     `json:"would-sweep-later"` // of a dry run: those of them that get old enough, which one look cannot tell
	Spared    int     `json:"spared"`
	Chains    int     `json:"chains"` // orphaned anew all the time
	Looks     int     `json:"looks"`
	Quiet     bool    `json:"quiet"` // the last looks in a row found nothing; false for a dry run
	Seconds   float64 `json:"seconds"`
	Text      string  `json:"text,omitempty"`
	Why       string  `json:"why,omitempty"`  // it is not 0
	Hint      string  `json:"hint,omitempty"` // what to do
}

// sweepJSON prints the report of a sweep for programs.
func (a *app) sweepJSON(s swept) error {
	var lines []any
	for _, k := range s.kills {
		lines = append(lines, k)
	}
	for _, j := range s.Leaked {
		lines = append(lines, s.line("leaked", j))
	}
	for _, j := range s.Young {
		lines = append(lines, s.line("young", j))
	}
	for _, left := range s.Survivors {
		line := survivorLine{suspectLine: s.line("survivor", left.Judged), Sent: left.Sent, Pending: left.Pending, Waits: left.Waits, Text: left.String()}
		if left.Err != nil {
			line.Unsent = left.Err.Error()
		}
		lines = append(lines, line)
	}
	lines = append(lines, s.chainLines()...)
	for _, j := range s.spared {
		lines = append(lines, s.line("spared", j))
	}
	lines = append(lines, s.elsewhereLines(s.leaks)...)
	for _, u := range s.notSeen() {
		lines = append(lines, unseenLine{"unseen", u.what, u.who})
	}
	return a.jsonLines(append(lines, s.reportLine()))
}

func (s swept) reportLine() reportLine {
	out := reportLine{
		Type: "report", Swept: len(s.Swept), Survivors: len(s.Survivors), Chains: len(s.Chains), Leaked: len(s.Leaked), Young: len(s.Young), Spared: len(s.spared),
		Looks: s.Passes, Quiet: s.Quiet, Seconds: round(s.took.Seconds()), Text: s.sum(),
	}
	if err := s.verdict(); err != nil {
		out.Exit, out.Why = exitCode(err, true), err.Error()
		if c := (coded{}); errors.As(err, &c) {
			out.Hint = c.hint
		}
	}
	return out
}
