package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// The page, in pixels. A README is about 900 wide.
const (
	pageWide = 960
	left     = 120 // labels stand left of it
	wide     = 800
	right    = left + wide
	indent   = 16
	timeHigh = 220
	partHigh = 56 // of one arm's distribution
	rowHigh  = 34 // of one difference
)

// SVG writes the chart as an SVG document. Its errors are those of w.
func SVG(w io.Writer, c Chart) error {
	s := newScene(c)
	var body page
	y := body.heading(s)
	y = body.overTime(s, y)
	y = body.spread(s, y)
	y = body.differences(s, y)
	var doc bytes.Buffer
	doc.WriteString(head(s, y+indent))
	doc.Write(body.Bytes())
	doc.WriteString("</svg>\n")
	if _, err := w.Write(doc.Bytes()); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	return nil
}

// page is the drawing so far.
type page struct{ bytes.Buffer }

// printf writes an element on a line of its own. Texts in it must be escaped.
func (p *page) printf(format string, args ...any) {
	fmt.Fprintf(&p.Buffer, format+"\n", args...)
}

// cell is how wide a character is at most, of the largest font but the title's.
const cell = 7.3

// text writes a text at a place, cut to what is left of the page. One that has its
// middle there is moved so that it is whole.
func (p *page) text(class string, x float64, y int, text string) {
	room := pageWide - indent - x
	switch {
	case strings.Contains(class, "end"):
		room = x - 2
	case strings.Contains(class, "mid"):
		half := min(cell*float64(cells(text)), pageWide-2*indent) / 2
		x = min(max(x, indent+half), pageWide-indent-half)
		room = 2 * half
	}
	p.printf(`<text class="%s" x="%s" y="%d">%s</text>`, class, num(x), y, escape(fit(text, max(3, int(room/cell+0.01)))))
}

// num writes a number of pixels, to a tenth. What is no number is at the edge.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	text := strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

// escape makes a text safe between tags and in attributes.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(clean(s))) // a strings.Builder has no errors
	return b.String()
}

// heading writes the texts above the pictures and gives the place below them.
func (p *page) heading(s scene) (y int) {
	y = 28
	p.text("t", indent, y, s.title())
	if why := s.Answer.Why; why != "" {
		y += 22
		p.text("b", indent, y, why)
	}
	y += 20
	p.text("m", indent, y, s.Answer.Metric.Name+": "+s.counted())
	for _, note := range s.Answer.Notes {
		y += 18
		p.text("m", indent, y, "note: "+note)
	}
	y += 26
	x := float64(indent)
	for _, side := range s.sides {
		p.printf(`<path class="%s" d="%s"/>`, side.class(), side.mark(x+6, float64(y)-4.5))
		p.text("s", x+18, y, fit(side.name, 40))
		x += 40 + cell*float64(cells(fit(side.name, 40)))
	}
	if len(s.thrown) > 0 {
		p.printf(`<path class="out" d="M%s %dv9"/>`, num(x+6), y-9)
		p.text("s", x+18, y, "thrown out")
	}
	return y + 16
}

// class is a side's in the style.
func (d side) class() string {
	if d.arm {
		return "arm"
	}
	return "ctl"
}

// mark draws a run: a dot for the control, a cross for the arm.
func (d side) mark(x, y float64) string {
	if d.arm {
		return fmt.Sprintf("M%s %sl5 5m0-5l-5 5", num(x-2.5), num(y-2.5))
	}
	return fmt.Sprintf("M%s %sh0", num(x), num(y))
}

// overTime draws each run at its time, and the medians as lines.
func (p *page) overTime(s scene, y int) (below int) {
	bottom := float64(y + timeHigh)
	place := func(one point) (float64, float64) {
		return left + s.when(one.at)*wide, bottom - s.share(one.value)*timeHigh
	}
	p.axis(s, y)
	for _, side := range s.sides {
		var d strings.Builder
		for _, one := range side.points {
			x, at := place(one)
			d.WriteString(side.mark(x, at))
		}
		if d.Len() == 0 {
			continue
		}
		p.printf(`<path class="%s" d="%s"><title>%s</title></path>`, side.class(), d.String(), escape(side.name+", "+s.median(side)))
		_, at := place(point{0, middle(side.sorted)})
		p.printf(`<path class="%sl" d="M%d %sH%d"/>`, side.class(), left, num(at), right)
	}
	for _, at := range s.thrown {
		p.printf(`<path class="out" d="M%s %sv9"/>`, num(left+s.when(at)*wide), num(bottom-4))
	}
	p.text("s", left, y+timeHigh+20, s.moment(0))
	p.text("s end", right, y+timeHigh+20, s.moment(s.length))
	return y + timeHigh + 40
}

// axis rules the picture over time, with five values.
func (p *page) axis(s scene, y int) {
	for i := range 5 {
		at := float64(y+timeHigh) - float64(i)*timeHigh/4
		p.printf(`<path class="gr" d="M%d %sH%d"/>`, left, num(at), right)
		p.text("s end", left-8, int(at)+4, s.quantity(s.low+(s.high-s.low)*float64(i)/4))
	}
}
