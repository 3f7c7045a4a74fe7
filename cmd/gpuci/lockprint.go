package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gpuci/buildlock"
)

// statusText prints the state of the locks for people.
func (a *app) statusText(s lockState) error {
	var b strings.Builder
	for _, q := range s.queues {
		fmt.Fprintf(&b, "%s: %s\n", q.Lock, countText(q))
		for _, e := range q.Entries {
			fmt.Fprintf(&b, "  %-10s %s\n", e.ID, buildlock.Printable(s.entryText(q, e)))
		}
	}
	open, hidden := s.split()
	if len(open) == 0 {
		b.WriteString("linkers without a ticket: none seen\n")
	} else {
		fmt.Fprintf(&b, "linkers without a ticket: %d\n", len(open))
	}
	writeGroups(&b, open)
	if len(hidden) > 0 {
		fmt.Fprintf(&b, "linkers of other users, ticket unknown (root can see): %d\n", len(hidden))
		writeGroups(&b, hidden)
	}
	b.WriteString("io: " + s.ioText() + "\n")
	_, err := io.WriteString(a.out, b.String())
	return err
}

// split tells the linkers that hold no ticket from those that nobody knows of.
func (s lockState) split() (open, hidden []linkerState) {
	for _, l := range s.linkers {
		if l.Hidden {
			hidden = append(hidden, l)
		} else {
			open = append(open, l)
		}
	}
	return open, hidden
}

func writeGroups(b *strings.Builder, list []linkerState) {
	for _, g := range groups(list) {
		fmt.Fprintf(b, "  %s\n", buildlock.Printable(g.text()))
	}
}

// countText says how full a lock is.
func countText(q buildlock.Queue) string {
	count := make(map[string]int)
	for _, e := range q.Entries {
		count[e.State]++
	}
	text := fmt.Sprintf("%d at a time", q.Slots)
	if len(q.Entries) == 0 {
		return text + ", free"
	}
	for _, c := range []struct{ state, word string }{
		{buildlock.StateHolds, "held"}, {buildlock.StateKept, "kept"}, {buildlock.StateWaits, "waiting"}, {buildlock.StateVoid, "void"},
	} {
		if n := count[c.state]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, c.word)
		}
	}
	return text
}

// entryText says what one ticket is doing.
func (s lockState) entryText(q buildlock.Queue, e buildlock.Entry) string {
	text := e.State + "  " + e.String()
	if n := q.Place(e.Number); n > 0 {
		text = fmt.Sprintf("waits  %s, place %d, %s so far", e, n, buildlock.Round(s.waited(e)))
	}
	if e.Void != nil {
		text += fmt.Sprintf("; declared void by %s at %s: %s", buildlock.UserName(e.Void.UID), e.Void.Time.Local().Format("15:04:05"), e.Void.Why)
	}
	if e.Unread > 0 {
		text += "; " + count(e.Unread, "process", "processes") + " could not be looked at"
	}
	return text
}

// linkerGroup are linkers of one tool in one place that came past the shims in
// one way: a build that does not queue can have dozens of them.
type linkerGroup []linkerState

func groups(list []linkerState) (out []linkerGroup) {
	for _, l := range list {
		at := slices.IndexFunc(out, func(g linkerGroup) bool {
			x := g[0]
			return x.Tool == l.Tool && x.lane == l.lane && x.dir == l.dir && x.Hidden == l.Hidden && x.past == l.past
		})
		if at < 0 {
			out = append(out, linkerGroup{l})
		} else {
			out[at] = append(out[at], l)
		}
	}
	return out
}

// text says whose they are, and what would have caught them.
func (g linkerGroup) text() string {
	var pids []string
	for _, l := range g {
		pids = append(pids, fmt.Sprintf("pid %d %c", l.PID, l.State))
	}
	first := g[0]
	text := first.Tool
	if !first.Hidden {
		text = first.past.String()
	}
	text += fmt.Sprintf(" (%s)", strings.Join(pids, ", "))
	switch {
	case first.lane != "":
		text += " in lane " + first.lane
	case first.dir != "":
		text += " in " + first.dir
	}
	if r := first.past.WouldCatch(false); r != "" {
		text += ": " + r
	}
	return text
}

// ioText says for how much of the last ten seconds the disk was waited for.
func (s lockState) ioText() string {
	if s.io.Unknown != nil {
		return "unknown: " + s.io.Unknown.Error()
	}
	text := fmt.Sprintf("some %.0f%%", s.io.Some.Avg10)
	if s.io.Full != nil {
		text += fmt.Sprintf(", full %.0f%%", s.io.Full.Avg10)
	}
	return text + " of the last 10 s"
}
