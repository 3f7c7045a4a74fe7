package main

import (
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"gpuci/buildlock"
)

// mostBusy is how many of the processes that use processors are listed.
const mostBusy = 5

// writeBusy prints the processes that used processors.
func writeBusy(b *strings.Builder, l pressureLook) {
	if len(l.busy) == 0 {
		fmt.Fprintf(b, "at work: none seen over %s\n", usedText(leastBusy))
		return
	}
	fmt.Fprintf(b, "at work: %s over %s, of %s\n", count(len(l.busy), "process", "processes"), usedText(leastBusy), count(runtime.NumCPU(), "processor", "processors"))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, x := range l.busy[:min(mostBusy, len(l.busy))] {
		fmt.Fprintf(w, "    %s\n", x.row())
	}
	_ = w.Flush()
	if n := len(l.busy) - mostBusy; n > 0 {
		fmt.Fprintf(b, "    and %d more\n", n)
	}
}

// row is one process, in cells.
func (b busyProcess) row() string {
	who := fmt.Sprintf("pid %d", b.PID)
	if b.uid >= 0 {
		who += " " + buildlock.UserName(b.uid)
	}
	used := usedText(b.used())
	if b.ended >= leastBusy {
		used += fmt.Sprintf(" (%.0f%% by children that have ended)", 100*b.ended)
	}
	cells := []string{b.Comm, who, used, b.place()}
	for i, c := range cells {
		cells[i] = buildlock.Printable(c)
	}
	return strings.Join(cells, "\t")
}

// busyLine is a process that used processors. Its shares are percent of one.
type busyLine struct {
	Type  string  `json:"type"` // always "busy"
	PID   int     `json:"pid"`
	Name  string  `json:"name"`
	User  string  `json:"user,omitempty"`
	Lane  string  `json:"lane,omitempty"`
	Root  string  `json:"root,omitempty"` // of the lane
	Dir   string  `json:"dir,omitempty"`
	Where string  `json:"where"` // the same in words
	Used  float64 `json:"processor"`
	Ended float64 `json:"processor-ended,omitempty"` // of that, by children that have ended
}

// line is the process for programs.
func (b busyProcess) line() busyLine {
	out := busyLine{
		Type: "busy", PID: b.PID, Name: b.Comm, Lane: b.where.lane.Name, Root: b.where.lane.Root, Dir: b.where.dir,
		Where: b.where.text(), Used: round(100 * b.used()), Ended: round(100 * b.ended),
	}
	if b.Kernel {
		out.Dir, out.Where = "", b.place()
	}
	if b.uid >= 0 {
		out.User = buildlock.UserName(b.uid)
	}
	return out
}
