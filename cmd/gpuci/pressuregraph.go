package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"gpuci/buildlock"
	"gpuci/pressure"
)

// liveWatch draws the last steps in place. It sets no mode of the terminal: one
// that is left by a kill is as sane as it was.
type liveWatch struct {
	out   *os.File
	began time.Time
	strips
	drawn int // lines that stand there
}

// maxSteps is how many steps a graph shows: about a minute of a stall.
const maxSteps = 60

func (w *liveWatch) show(e pressure.Event) error {
	w.add(e)
	columns, _, err := term.GetSize(int(w.out.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	var b strings.Builder
	if w.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", w.drawn)
	}
	lines := w.lines(columns)
	for _, line := range lines {
		b.WriteString("\r\x1b[K" + line + "\n")
	}
	w.drawn = len(lines)
	_, err = io.WriteString(w.out, b.String()) // in one piece: others write there too
	return err
}

// end leaves what is drawn where it is, and says what there was to see, whole.
func (w *liveWatch) end() {
	_, _ = fmt.Fprintln(w.out, strings.Join(append(w.notes, w.sum(time.Since(w.began))), "\n"))
}

// strips are the steps so far of all resources.
type strips struct {
	steps   []pressure.Span // the last ones
	stalled []string        // "io stalled since 14:02:11", while it is
	calm    string          // since when
	notes   []string        // what is not known, or not as well as it might be
	stalls  int
	seconds float64 // of all steps of which io full is known
	ioFull  float64 // of those, waited
	ioHigh  float64 // percent, of a step
}

// maxNotes is how many notes stand below the graphs.
const maxNotes = 3

// stepLong is from when on a step is longer than others: they are a second.
const stepLong = 5 * time.Second

func (s *strips) add(e pressure.Event) {
	clock := e.Span.To.Local().Format("15:04:05")
	switch e.Kind {
	case pressure.EventStalled:
		s.stalled = append(s.stalled, e.Resource+" stalled since "+clock)
		s.stalls++
	case pressure.EventCalm:
		s.stalled, s.calm = nil, "calm since "+clock
	}
	if e.Note != nil {
		s.notes = append(s.notes, buildlock.Printable("note: "+e.Note.Error()))
		s.notes = s.notes[max(0, len(s.notes)-maxNotes):]
	}
	if n := len(s.steps); e.Span.Length() <= 0 || n > 0 && s.steps[n-1].To.Equal(e.Span.To) {
		return // another event of the same look
	}
	s.steps = append(s.steps, e.Span)
	s.steps = s.steps[max(0, len(s.steps)-maxSteps):]
	if full := e.Span.IO.Full; full.Known {
		length := e.Span.Length().Seconds()
		s.seconds += length
		s.ioFull += length * full.Value
		s.ioHigh = max(s.ioHigh, full.Percent())
	}
}

// numbersWide is what stands beside a graph: a name and two shares.
const numbersWide = len("memory   some 100%  full 100%") + 1

// lines are the graphs, in so many columns.
func (s *strips) lines(columns int) []string {
	wide := min(maxSteps, columns-numbersWide-1)
	var out []string
	for _, r := range []struct {
		name string
		of   func(pressure.Span) pressure.Shares
		some bool // is what is drawn
	}{
		{"cpu", func(s pressure.Span) pressure.Shares { return s.CPU }, true},
		{"io", func(s pressure.Span) pressure.Shares { return s.IO }, false},
		{"memory", func(s pressure.Span) pressure.Shares { return s.Memory }, false},
	} {
		last := pressure.Shares{}
		var cells []rune
		for _, step := range s.steps {
			last = r.of(step)
			drawn := last.Full
			if r.some {
				drawn = last.Some
			}
			if step.Length() > stepLong {
				cells = append(cells, '┊')
			}
			cells = append(cells, block(drawn))
		}
		cells = cells[max(0, len(cells)-max(wide, 0)):]
		graph := strings.Repeat(" ", max(0, wide-len(cells))) + string(cells)
		out = append(out, clipTo(fmt.Sprintf("%-6s %s  some %4s  full %4s", r.name, graph, roughly(last.Some), roughly(last.Full)), columns))
	}
	for _, text := range append([]string{s.state()}, s.notes...) {
		out = append(out, clipTo(text, columns))
	}
	return out
}

func (s *strips) state() string {
	switch {
	case len(s.stalled) > 0:
		return strings.Join(s.stalled, ", ")
	case s.calm != "":
		return s.calm
	}
	return "nothing stalls"
}

// sum is the one line at the end.
func (s *strips) sum(long time.Duration) string {
	text := fmt.Sprintf("watched %s, %s", secondsText(long), count(s.stalls, "stall", "stalls"))
	if s.seconds > 0 {
		text += fmt.Sprintf("; io full %.0f%% in the mean, %.0f%% at the highest", 100*s.ioFull/s.seconds, s.ioHigh)
	}
	return text
}

// block is a share as a character.
func block(s pressure.Share) rune {
	blocks := []rune("▁▂▃▄▅▆▇█")
	if !s.Known {
		return '?'
	}
	return blocks[min(len(blocks)-1, int(s.Value*float64(len(blocks))))]
}

// roughly is a share in whole percent, "?" where it is not known.
func roughly(s pressure.Share) string {
	if !s.Known {
		return "?"
	}
	return fmt.Sprintf("%.0f%%", s.Percent())
}

// clipTo cuts a line that would run over the edge: it would be two.
func clipTo(line string, columns int) string {
	r := []rune(line)
	return string(r[:min(len(r), max(1, columns-1))])
}
