package plot

import "fmt"

// rowGap is between a group's rows and the next group's, in pixels.
const rowGap = 8

// high is how much of the page the group takes.
func (g group) high() int {
	h := len(g.rows)*g.pitch + rowGap
	if g.note() != "" {
		h += noteHigh
	}
	return h
}

const noteHigh = 16

// bars draws a group from y on.
func (p *page) bars(g group, f frame, y int) {
	p.text(words{class: "s", at: "end", x: plotLeft - 8, y: y + g.pitch - 6, text: fit(g.title(), 13)})
	for _, row := range g.rows {
		for _, b := range row {
			p.bar(g, b, f, y)
		}
		y += g.pitch
	}
	if note := g.note(); note != "" {
		p.text(at("s m", plotLeft, y+11, note))
	}
}

// title is the group's name, with the number of bars where they are many.
func (g group) title() string {
	if g.kind == Phase {
		return g.name
	}
	return fmt.Sprintf("%s %d", g.name, g.count)
}

// bar draws one, with its label if there is room for it.
func (p *page) bar(g group, b bar, f frame, y int) {
	high := g.pitch - 2
	p.printf(`<rect class="%s" x="%s" y="%d" width="%s" height="%d"><title>%s</title></rect>`,
		g.class, num(b.from), y, num(b.to-b.from), high, escape(g.tip(b, f)))
	text := clean(b.Label)
	if b.more > 0 {
		text = fmt.Sprintf("×%d", b.more+1)
		p.printf(`<rect class="many" x="%s" y="%d" width="%s" height="%d"/>`, num(b.from), y, num(b.to-b.from), high)
	}
	cells := int((b.to - b.from - 8) / cellBar)
	if cut := fit(text, cells); cut != "" && (cut == text || cells >= fewest) {
		p.text(at("in in-"+g.class, b.from+4, y+high/2+4, cut))
	}
}

// fewest is how many characters a cut label must keep to say anything.
const fewest = 5

// tip is what a browser shows when one points at the bar.
func (g group) tip(b bar, f frame) string {
	when := f.clock(b.From) + " to " + f.clock(b.To)
	switch {
	case b.To.IsZero():
		when = "from " + f.clock(b.From)
	case b.From.IsZero():
		when = "to " + f.clock(b.To)
	}
	if b.more > 0 {
		return fmt.Sprintf("%d %s too close to draw apart, the first: %s, %s", b.more+1, g.name, b.whole(), when)
	}
	verb := map[BarKind]string{Phase: "", Link: "at work ", Wait: "waited in line ", Hold: "held back "}[g.kind]
	return fmt.Sprintf("%s: %s%s, %s", b.whole(), verb, b.length(), when)
}

// whole is all that is known of what a bar is.
func (b Bar) whole() string {
	if b.Detail == "" {
		return b.Label
	}
	return b.Label + " (" + b.Detail + ")"
}
