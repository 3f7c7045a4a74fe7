package plot

// How wide a character is, by the size of its font. Of the fonts that the style
// names the widest has 0.602 of its size.
const (
	cellTitle = 9.7 // 16px
	cellBody  = 7.9 // 13px
	cellText  = 7.3 // 12px
	cellSmall = 6.7 // 11px
	cellBar   = 6.1 // 10px
)

// heading writes the texts above the curves, those that there are, and gives
// the place below them.
func (p *page) heading(c Chart, words, phases string) (y int) {
	y = 12
	for _, l := range []struct {
		class string
		cell  float64
		high  int
		text  string
	}{
		{"t", cellTitle, 20, c.Title},
		{"m", cellText, 20, c.Subtitle},
		{"b", cellBody, 22, words},
		{"s m", cellSmall, 18, phases},
	} {
		if text := clean(l.text); text != "" {
			y += l.high
			p.text(at(l.class, indent, y, fit(text, int((pageWidth-2*indent)/l.cell))))
		}
	}
	return y
}

// noteCells is how many characters of a note fit on the page.
const noteCells = 138 // (pageWidth - 2*indent) / cellSmall

func at(class string, x float64, y int, text string) words {
	return words{class: class, x: x, y: y, text: text}
}

// legend shows the line of each curve with its name, and gives the place where
// the curves begin. It names what is not known, and in a note why.
func (p *page) legend(steps []step, y int, note string) (top int) {
	const sample, space = 34, 22
	x := float64(indent)
	y += 24
	for i, s := range allSeries() {
		name := s.name
		if len(levelsOf(steps, s.share)) == 0 {
			name += " (unknown)"
		}
		name += s.about
		wide := sample + cellSmall*float64(len(name))
		if x+wide > pageWidth-indent {
			x, y = indent, y+18
		}
		line := float64(y) - 4.5
		if i == 0 {
			line -= 5
			p.printf(`<path class="fill" d="M%s %sh26v10h-26Z"/>`, num(x), num(line))
		}
		p.printf(`<path class="%s" d="M%s %sh26"/>`, s.class, num(x), num(line))
		p.text(at("s", x+sample, y, name))
		x += wide + space
	}
	if note := clean(note); note != "" {
		y += 17
		p.text(at("s m", indent, y, fit(note, noteCells)))
	}
	return y + 18
}
