package plot

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// mostTicks is how many labels of the time axis stand beside each other
// without touching.
const mostTicks = 9

// ticks are the moments of the time axis, from the frame's start on: round
// numbers of elapsed time, since the wall clock of a run's start never is one.
func (f frame) ticks() []time.Duration {
	step := tickStep(f.length)
	var at []time.Duration
	for n := time.Duration(0); n <= mostTicks && n <= f.length/step; n++ {
		at = append(at, n*step)
	}
	return at
}

// tickStep is the shortest step with at most mostTicks in a length.
func tickStep(length time.Duration) time.Duration {
	const ms, s, m, h = time.Millisecond, time.Second, time.Minute, time.Hour
	least := length/mostTicks + 1
	for _, step := range []time.Duration{
		20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms, s, 2 * s, 5 * s, 10 * s, 15 * s, 30 * s,
		m, 2 * m, 5 * m, 10 * m, 15 * m, 30 * m, h, 2 * h, 3 * h, 6 * h, 12 * h,
	} {
		if step >= least {
			return step
		}
	}
	const day = 24 * h
	days := math.Ceil(float64(least) / float64(day))
	power := math.Pow(10, math.Floor(math.Log10(days)))
	for _, k := range []float64{1, 2, 5} {
		if k*power >= days {
			return time.Duration(k*power) * day
		}
	}
	return time.Duration(10*power) * day
}

// timeAxis labels the moments under the curves, elapsed and by the wall clock.
func (p *page) timeAxis(f frame, y int) {
	p.text(words{class: "s m", x: indent, y: y + 17, text: "elapsed"})
	p.text(words{class: "s m", x: indent, y: y + 32, text: f.zone()})
	for _, d := range f.ticks() {
		x := f.after(d)
		p.printf(`<path class="ax" d="M%s %dv4"/>`, num(x), y)
		p.text(words{class: "s", at: "mid", x: x, y: y + 17, text: lasting(d)})
		clock := f.tickClock(f.from.Add(d))
		x = min(x, pageWidth-indent-cellSmall*float64(len(clock))/2) // not over the page's edge
		p.text(words{class: "s m", at: "mid", x: x, y: y + 32, text: clock})
	}
}

// zone names the zone of the clock: many have no name but their offset.
func (f frame) zone() string {
	name := f.from.Format("MST")
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		name = "UTC" + name
	}
	const cells = 11 // left of the plot
	return fit(name, cells)
}

// grid rules the frame from top to end: shares across the curves, moments down
// to the last bar.
func (p *page) grid(f frame, top, end int) {
	bottom := top + plotHigh
	for _, d := range f.ticks() {
		below := ""
		if rows := bottom + timeHigh; end > rows { // not through the axis' labels
			below = fmt.Sprintf("M%s %dV%d", num(f.after(d)), rows-2, end)
		}
		p.printf(`<path class="gr" d="M%s %dV%d%s"/>`, num(f.after(d)), top, bottom, below)
	}
	for percent := 0; percent <= 100; percent += 25 {
		y := bottom - plotHigh*percent/100
		p.printf(`<path class="gr" d="M%d %dH%d"/>`, plotLeft, y, plotRight)
		p.text(words{class: "s", at: "end", x: plotLeft - 8, y: y + 4, text: percentOf(float64(percent) / 100)})
	}
}
