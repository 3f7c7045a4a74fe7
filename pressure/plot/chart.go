package plot

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"gpuci/pressure"
)

// Chart is what Draw draws.
type Chart struct {
	Title, Subtitle string
	// From and To are the time that the chart shows; what lies outside is not
	// drawn. Where one is zero, or To is not after From, the points and bars say
	// what there is to show. The clock is in From's time zone.
	From, To time.Time
	Points   pressure.Timeline // a point whose Length is not above 0 covers no time
	Bars     []Bar             // under the curves, in any order
	Note     string            // below the curves' names: why one of them is unknown
}

// Bar is something the run did, or waited for, from one time to another.
type Bar struct {
	Kind     BarKind
	Label    string
	Detail   string    // only where one points at it: a pid, a ticket
	From, To time.Time // a zero To: it had not ended; a zero From: its start is not known
}

// BarKind says in which rows a bar stands.
type BarKind int

// The kinds of bars. Any other is drawn as a Phase.
const (
	Phase BarKind = iota // a step of the run: build, run, sweep
	Link                 // a link at work
	Wait                 // a link waiting in line
	Hold                 // held back by pressure
)

// The page, in pixels. A README is about 900 wide.
const (
	pageWidth = 960
	plotLeft  = 96 // labels of rows and axes stand left of it
	plotWidth = 832
	plotRight = plotLeft + plotWidth
	plotHigh  = 220
	indent    = 16 // of what stands at the page's left edge
	timeHigh  = 42 // for the two lines of the time axis
)

// Draw writes the chart as an SVG document. Its errors are those of w.
func Draw(w io.Writer, c Chart) error {
	f := newFrame(c)
	steps := newSteps(c.Points, f)
	groups := newGroups(c.Bars, f)

	var body page
	words := inWords(steps, f)
	y := body.heading(c, words, phasesInWords(c.Bars, f))
	top := body.legend(steps, y, c.Note)
	bottom := top + plotHigh
	end := bottom + timeHigh
	for _, g := range groups {
		end += g.high()
	}
	body.grid(f, top, end)
	body.curves(steps, f, top)
	body.timeAxis(f, bottom)
	y = bottom + timeHigh
	for _, g := range groups {
		body.bars(g, f, y)
		y += g.high()
	}

	var doc bytes.Buffer
	doc.WriteString(head(c, words, end+indent))
	doc.Write(body.Bytes())
	doc.WriteString("</svg>\n")
	if _, err := w.Write(doc.Bytes()); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	return nil
}
