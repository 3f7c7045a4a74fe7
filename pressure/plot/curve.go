package plot

import (
	"strings"

	"gpuci/pressure"
)

// series is one curve. Its class gives its line, which no other one has.
type series struct {
	name, class string
	about       string // what the name does not say, for the legend
	share       func(pressure.Point) pressure.Share
}

// allSeries has the main one first.
func allSeries() []series {
	return []series{
		{"io full", "iof", "", func(p pressure.Point) pressure.Share { return p.IO.Full }},
		{"io some", "ios", "", func(p pressure.Point) pressure.Share { return p.IO.Some }},
		{"cpu some", "cpu", "", func(p pressure.Point) pressure.Share { return p.CPU.Some }},
		{"memory full", "mem", "", func(p pressure.Point) pressure.Share { return p.Memory.Full }},
		{"own io full", "own", ": of the run's own processes", func(p pressure.Point) pressure.Share { return p.OwnIO.Full }},
	}
}

// curves draws what is known, and hatches the time of which nothing is.
func (p *page) curves(steps []step, f frame, top int) {
	base := float64(top + plotHigh)
	p.unknown(steps, f, top)
	all := allSeries()
	for i, s := range all {
		for _, run := range runs(thin(levelsOf(steps, s.share))) {
			run = visible(run)
			if i == 0 {
				p.printf(`<path class="fill" d="%s"/>`, area(run, base))
			}
			p.printf(`<path class="%s" d="%s"/>`, s.class, line(run, base))
		}
	}
	if _, peak, known := stallOf(levelsOf(steps, all[0].share)); known {
		p.printf(`<circle class="peak" cx="%s" cy="%s" r="3.5"/>`,
			num((peak.from+peak.to)/2), num(height(peak.value, base)))
	}
}

// unknown hatches the stretches where no curve is known.
func (p *page) unknown(steps []step, f frame, top int) {
	known := thin(levelsOf(steps, anyKnown))
	from := float64(plotLeft)
	for _, run := range append(runs(known), []level{{from: plotRight, to: plotRight}}) {
		if to := run[0].from; to-from >= 2 { // a run starts a moment before its first point
			p.printf(`<rect class="un" x="%s" y="%d" width="%s" height="%d"><title>%s</title></rect>`,
				num(from), top, num(to-from), plotHigh,
				escape("unknown for "+lasting(f.time(to-from))+" from "+f.clock(f.from.Add(f.time(from-plotLeft)))))
		}
		from = run[len(run)-1].to
	}
	if len(known) == 0 {
		p.text(words{class: "b", at: "mid", x: plotLeft + plotWidth/2, y: top + plotHigh/2 + 4,
			text: "nothing is known of the pressure in this time"})
	}
}

func anyKnown(p pressure.Point) pressure.Share {
	for _, s := range allSeries() {
		if v := s.share(p); isKnown(v) {
			return v
		}
	}
	return pressure.Share{}
}

func height(v, base float64) float64 { return base - v*plotHigh }

// line is the path along the top of levels that follow each other.
func line(run []level, base float64) string {
	y := num(height(run[0].value, base))
	return "M" + num(run[0].from) + " " + y + along(run, base, y)
}

// area is the path around them, down to the base.
func area(run []level, base float64) string {
	y := num(height(run[0].value, base))
	return "M" + num(run[0].from) + " " + num(base) + "V" + y + along(run, base, y) + "V" + num(base) + "Z"
}

// along goes over levels from the corner at height y. Equal levels that follow
// each other are one line.
func along(run []level, base float64, y string) string {
	var b strings.Builder
	for i, l := range run {
		if next := num(height(l.value, base)); next != y {
			b.WriteString("V" + next)
			y = next
		}
		if i+1 == len(run) || num(height(run[i+1].value, base)) != y {
			b.WriteString("H" + num(l.to))
		}
	}
	return b.String()
}
