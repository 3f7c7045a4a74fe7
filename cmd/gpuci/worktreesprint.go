package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"gpuci/buildlock"
	"gpuci/worktrees"
)

// worktreesText prints the lanes for people: a table, and what is to be said of
// some of them.
func (a *app) worktreesText(l lanesLook) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	against := "base"
	if l.base.Name != "" {
		against = buildlock.Printable(l.base.Name)
	}
	fmt.Fprintf(w, "lane\tbranch\tcommit\tchanged\t%s\tcommitted\tran\tleaked\ttickets\tgates\n", against)
	var remarks, scratch []string
	for _, lane := range l.lanes {
		if text, ok := l.scratchText(lane); ok {
			scratch = append(scratch, text)
			continue
		}
		cells := l.cells(lane)
		for i, c := range cells {
			cells[i] = buildlock.Printable(c)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
		for _, text := range l.remarks(lane) {
			remarks = append(remarks, lane.Name+": "+text)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	section(&b, "", remarks)
	section(&b, "scratch lanes:", scratch)
	_, err := io.WriteString(a.out, b.String())
	return err
}

// section writes lines under a title, if there are any.
func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n")
	indent := ""
	if title != "" {
		b.WriteString(title + "\n")
		indent = "  "
	}
	for _, line := range lines {
		b.WriteString(indent + buildlock.Printable(line) + "\n")
	}
}

// cells are the row of a lane; "-" is nothing, "?" is not known.
func (l lanesLook) cells(lane laneLook) []string {
	return []string{
		lane.Name, orDash(lane.State.Branch), commitCell(lane.Standing), changedCell(lane.Standing), againstCell(lane.Standing),
		l.age(lane.Committed), l.age(lane.ran), orUnknown(l.noLeaks, leakedCell(lane)), orUnknown(l.noLocks, ticketsCell(lane)),
		orUnknown(l.noGates, lane.gatesText()),
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func orUnknown(unknown bool, s string) string {
	if unknown {
		return "?"
	}
	return orDash(s)
}

func commitCell(st worktrees.Standing) string {
	if st.State.Commit == "" && st.Err == nil && !st.Removed {
		return "none yet"
	}
	return orDash(fmt.Sprintf("%.10s", st.State.Commit))
}

func changedCell(st worktrees.Standing) string {
	switch {
	case st.Removed:
		return "removed"
	case st.Err != nil:
		return "?"
	case st.State.Count == 0:
		return "-"
	}
	return fmt.Sprint(st.State.Count)
}

func againstCell(st worktrees.Standing) string {
	var parts []string
	switch {
	case st.CountErr != nil:
		return "?"
	case !st.Counted:
		return "-"
	case st.Ahead > 0:
		parts = append(parts, fmt.Sprintf("+%d", st.Ahead))
	}
	if st.Behind > 0 {
		parts = append(parts, fmt.Sprintf("-%d", st.Behind))
	}
	if len(parts) == 0 {
		return "="
	}
	return strings.Join(parts, " ")
}

func (l lanesLook) age(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return agoText(l.now.Sub(at))
}

func leakedCell(lane laneLook) string {
	if lane.leaked == 0 {
		return ""
	}
	return fmt.Sprint(lane.leaked)
}

// ticketsCell says of each lock whether the lane has it or waits for it. A build
// has a ticket for every link.
func ticketsCell(lane laneLook) string {
	n := make(map[string]int)
	var words []string
	for _, t := range lane.tickets {
		word := strings.TrimSuffix(t.Lock.String(), " lock") + " " + t.State
		if n[word]++; n[word] == 1 {
			words = append(words, word)
		}
	}
	for i, word := range words {
		if n[word] > 1 {
			words[i] = fmt.Sprintf("%s %d times", word, n[word])
		}
	}
	return strings.Join(words, ", ")
}
