package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"gpuci/buildlock"
	"gpuci/pressure"
)

// lookText prints a look for people.
func (a *app) lookText(l pressureLook) error {
	var b strings.Builder
	b.WriteString(buildlock.Printable(l.diagnosis.Text) + "\n")
	if l.diagnosis.Next != "" {
		b.WriteString("next: " + l.diagnosis.Next + "\n")
	}
	b.WriteString("\n")
	writeLevels(&b, l)
	b.WriteString("\nmemory: " + l.memoryText() + "\n")
	writeStuck(&b, l)
	writeBusy(&b, l)
	for _, x := range l.builds {
		b.WriteString(buildlock.Printable(x.String()) + "\n")
	}
	for _, u := range l.unseen {
		fmt.Fprintf(&b, "not seen: %s; %s can\n", u.what, u.who)
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// namedResource is a resource with its name.
type namedResource struct {
	name   string
	read   pressure.Resource
	shares pressure.Shares
}

func (l pressureLook) resources() []namedResource {
	r, s := l.after, l.span
	return []namedResource{{"cpu", r.CPU, s.CPU}, {"io", r.IO, s.IO}, {"memory", r.Memory, s.Memory}, {"irq", r.IRQ, s.IRQ}}
}

// writeLevels prints a row for each level that there is. Interrupts have no
// "some", on any kernel; a "full" of cpu came with Linux 5.13.
func writeLevels(b *strings.Builder, l pressureLook) {
	row := func(cells ...any) { fmt.Fprintf(b, "%-6s  %-4s  %10s  %6s  %6s  %6s\n", cells...) }
	row("", "", "last "+buildlock.Round(l.span.Length()).String(), "10 s", "60 s", "300 s")
	for _, r := range l.resources() {
		if r.read.Unknown != nil {
			b.WriteString(buildlock.Printable(fmt.Sprintf("%-6s  unknown: %v", r.name, r.read.Unknown)) + "\n")
			continue
		}
		level := func(name string, v *pressure.Level, s pressure.Share) {
			switch {
			case v != nil:
				row(r.name, name, shareText(s), percentText(v.Avg10), percentText(v.Avg60), percentText(v.Avg300))
			case r.name != "irq":
				fmt.Fprintf(b, "%-6s  %-4s  unknown: this kernel does not tell it\n", r.name, name)
			}
		}
		level("some", r.read.Some, r.shares.Some)
		level("full", r.read.Full, r.shares.Full)
	}
}

// shareText is a share of time in percent.
func shareText(s pressure.Share) string {
	if !s.Known {
		return "unknown"
	}
	return percentText(s.Percent())
}

func percentText(v float64) string { return fmt.Sprintf("%.1f%%", v) }

// memoryText says what memory there is, and what waits in it to be written.
func (l pressureLook) memoryText() string {
	if l.noMemory != nil {
		return "unknown: " + l.noMemory.Error()
	}
	m := l.memory
	text := fmt.Sprintf("%s of %s available; %s dirty, %s in writeback", pressure.Bytes(m.Available), pressure.Bytes(m.Total), pressure.Bytes(m.Dirty), pressure.Bytes(m.Writeback))
	if m.SwapTotal > 0 {
		text += fmt.Sprintf("; %s of %s swap used", pressure.Bytes(m.SwapTotal-m.SwapFree), pressure.Bytes(m.SwapTotal))
	}
	return text
}

// perLane is how many processes are listed of one lane: in a stall there are
// dozens, and they are all alike.
const perLane = 20

// writeStuck prints the processes in D, lane by lane.
func writeStuck(b *strings.Builder, l pressureLook) {
	switch n := len(l.stuck); {
	case n == 0:
		b.WriteString("in D: none seen")
	default:
		b.WriteString("in D: " + count(n, "process", "processes"))
		if not := l.elsewhere(); not > 0 {
			fmt.Fprintf(b, ", %d not for the disk", not)
		}
		if l.outside {
			b.WriteString(" (no lanes: this is no git worktree)")
		}
	}
	b.WriteString(l.kernelText() + "\n")
	for _, g := range byPlace(l.stuck) {
		fmt.Fprintf(b, "  %s\n", g.title())
		w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, s := range g.list[:min(perLane, len(g.list))] {
			fmt.Fprintf(w, "    %s\n", s.row(l.looks))
		}
		_ = w.Flush()
		if n := len(g.list) - perLane; n > 0 {
			fmt.Fprintf(b, "    and %d more\n", n)
		}
	}
}

// elsewhere is how many of the processes in D do not wait for the disk.
func (l pressureLook) elsewhere() (n int) {
	for _, s := range l.stuck {
		if s.other {
			n++
		}
	}
	return n
}

// kernelText names the kernel's own threads in D, each name once: they wait for
// the disk on somebody's behalf.
func (l pressureLook) kernelText() string {
	if len(l.kernel) == 0 {
		return ""
	}
	const most = 5
	var names []string
	for _, s := range l.kernel {
		if n := len(names); n == 0 || names[n-1] != s.Comm {
			names = append(names, s.Comm)
		}
	}
	text := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return buildlock.Printable(fmt.Sprintf("; of the kernel: %s (%s)", count(len(l.kernel), "thread", "threads"), text))
}

// row is one process, in cells.
func (s stuckProcess) row(looks int) string {
	who := fmt.Sprintf("pid %d", s.PID)
	if s.uid >= 0 {
		who += " " + buildlock.UserName(s.uid)
	}
	io := "reads and writes unknown: " + s.noIO + "\t"
	if s.rates != nil {
		io = fmt.Sprintf("reads %s/s\twrites %s/s", pressure.Bytes(int64(s.rates.read)), pressure.Bytes(int64(s.rates.written)))
	}
	cells := []string{s.Comm, who, fmt.Sprintf("D %d/%d", s.inD, looks), buildlock.Round(s.age).String() + " old", io,
		fmt.Sprintf("CPU %.1f s", s.cpu().Seconds()), s.waitsText()}
	for i, c := range cells {
		if i != 4 { // two cells, and ours
			cells[i] = buildlock.Printable(c)
		}
	}
	return strings.Join(cells, "\t")
}

// waitsText is what a process waits in. It was in D at some of the looks, and
// the kernel says nothing of one that runs just now.
func (s stuckProcess) waitsText() string {
	switch {
	case s.other:
		return "waits in " + s.waits + ", not for the disk"
	case s.waits != "":
		return "waits in " + s.waits
	case s.State != 'D':
		return "did not wait at the last look"
	}
	return "what it waits in is not ours to see"
}
