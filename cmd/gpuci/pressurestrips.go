package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/pressure"
)

// strips are the steps so far of all resources.
type strips struct {
	steps   []pressure.Span  // the last ones
	reading pressure.Reading // of the last event
	at      time.Time        // of the last event
	stalled []stall          // what is, or was up to a moment ago
	calm    time.Time        // since when, zero before the first stall is over
	notes   []string         // what is not known, or not as well as it might be
	stalls  int
	seconds float64 // of all steps of which io full is known
	ioFull  float64 // of those, waited
	ioHigh  float64 // percent, of a step
}

// stall is one on the screen.
type stall struct {
	resource    string
	since, over time.Time // over is when it was last over the limit
	who         string
}

// text is the stall in words: what is below its limit again stalls no more,
// though it takes a few seconds until that counts as calm.
func (s stall) text(now time.Time) string {
	const clock = "15:04:05"
	if s.over.Before(now) {
		return fmt.Sprintf("%s stalled from %s to %s; %s", s.resource, s.since.Local().Format(clock), s.over.Local().Format(clock), s.who)
	}
	return fmt.Sprintf("%s stalled since %s (%s); %s", s.resource, s.since.Local().Format(clock), overText(s.resource), s.who)
}

// maxNotes is how many notes stand below the graphs.
const maxNotes = 3

// stepLong is from when on a step is longer than others: they are a second.
const stepLong = 5 * time.Second

func (s *strips) add(e sight) {
	s.reading, s.at = e.Reading, e.Span.To
	for i := range s.stalled {
		x := &s.stalled[i]
		_, limit := overOf(x.resource)
		if is := shareOver(e.Span, x.resource); !is.Known || is.Percent() >= limit {
			x.over = e.Span.To
		}
	}
	switch e.Kind {
	case pressure.EventStalled:
		s.stalled = slices.DeleteFunc(s.stalled, func(x stall) bool { return x.resource == e.Resource })
		s.stalled = append(s.stalled, stall{e.Resource, e.Span.To, e.Span.To, whoText(e.Resource, e.who)})
		s.stalls++
	case pressure.EventCalm:
		s.calm = time.Time{}
		for _, x := range s.stalled {
			if x.over.After(s.calm) {
				s.calm = x.over
			}
		}
		s.stalled = nil
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
		if n := len(s.steps); n > 0 && s.steps[n-1].Length() > stepLong {
			last = r.of(averagesOf(s.reading)) // a graph shows the hour, a number what is now
		}
		cells = cells[max(0, len(cells)-max(wide, 0)):]
		graph := strings.Repeat(" ", max(0, wide-len(cells))) + string(cells)
		out = append(out, clipTo(fmt.Sprintf("%-6s %s  some %4s  full %4s", r.name, graph, roughly(last.Some), roughly(last.Full)), columns))
	}
	for _, text := range append(s.state(), s.notes...) {
		out = append(out, clipTo(text, columns))
	}
	return out
}

// state is what stalls, a line each.
func (s *strips) state() (out []string) {
	for _, x := range s.stalled {
		out = append(out, x.text(s.at))
	}
	switch {
	case len(out) > 0:
		return out
	case !s.calm.IsZero():
		return []string{"calm since " + s.calm.Local().Format("15:04:05")}
	}
	return []string{"nothing stalls"}
}

// sum is the one line at the end.
func (s *strips) sum(long time.Duration) string {
	text := fmt.Sprintf("watched %s, %s", secondsText(long), count(s.stalls, "stall", "stalls"))
	if s.seconds > 0 {
		text += fmt.Sprintf("; io full %.0f%% in the mean, %.0f%% at the highest", 100*s.ioFull/s.seconds, s.ioHigh)
	}
	return text
}
