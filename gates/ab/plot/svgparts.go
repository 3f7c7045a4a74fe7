package plot

import (
	"fmt"
	"strings"

	"gpuci/gates/ab/judge"
)

// bins of a distribution.
const bins = 100

// spread draws how the values of each arm are spread: as hills above one axis, with
// the median, and the middle half as a bar.
func (p *page) spread(s scene, y int) (below int) {
	var counts [2][]int
	most := 1
	for i, side := range s.sides {
		counts[i] = s.histogram(side.sorted, bins)
		for _, n := range counts[i] {
			most = max(most, n)
		}
	}
	for i, side := range s.sides {
		base := y + partHigh - 14
		p.text("s end", left-8, base, side.name)
		if n := len(side.sorted); n > 0 {
			p.hill(side, counts[i], most, base)
			x := func(v float64) string { return num(left + s.share(v)*wide) }
			p.printf(`<path class="%sb" d="M%s %dH%s"/>`, side.class(), x(side.sorted[n/4]), base+5, x(side.sorted[n-1-n/4]))
			p.printf(`<path class="%sl" d="M%s %dV%d"/>`, side.class(), x(middle(side.sorted)), base-partHigh+16, base+9)
		}
		y += partHigh
	}
	p.text("s", left, y+8, s.quantity(s.low))
	p.text("s end", right, y+8, s.quantity(s.high))
	p.text("s m mid", left+wide/2, y+8, "how the values are spread; bar: the middle half; line: the median")
	return y + 34
}

// hill draws counts as steps.
func (p *page) hill(of side, counts []int, most, base int) {
	const step = float64(wide) / bins
	var d strings.Builder
	fmt.Fprintf(&d, "M%d %d", left, base)
	for i, n := range counts {
		h := float64(n) / float64(most) * (partHigh - 20)
		fmt.Fprintf(&d, "V%sH%s", num(float64(base)-h), num(left+float64(i+1)*step))
	}
	p.printf(`<path class="%sf" d="%sV%dZ"><title>%s</title></path>`, of.class(), d.String(), base, escape(of.name))
}

// differences draws the control beside itself and the arm beside the control, with
// their intervals, on the floor.
func (p *page) differences(s scene, y int) (below int) {
	rows, reach := s.rows(), s.reach()
	if len(rows) == 0 {
		return y
	}
	x := func(part float64) float64 { return left + inside((part/reach+1)/2)*wide }
	high := rowHigh * len(rows)
	floor := s.Answer.Floor
	p.printf(`<rect class="floor" x="%s" y="%d" width="%s" height="%d"><title>the floor</title></rect>`,
		num(x(-floor)), y, num(max(0, x(floor)-x(-floor))), high)
	p.printf(`<path class="ax" d="M%s %dV%d"/>`, num(x(0)), y, y+high)
	for i, r := range rows {
		at := y + i*rowHigh + 22
		class := side{arm: r.arm}.class()
		p.text("s end", left-8, at+4, r.name)
		p.printf(`<path class="%sb" d="M%s %dH%s"/>`, class, num(x(r.interval.Low)), at, num(x(r.interval.High)))
		p.printf(`<path class="%s" d="%s"/>`, class, side{arm: r.arm}.mark(x(r.centre), float64(at)))
		p.text("s mid", x(r.centre), at-9, r.within())
	}
	y += high + 18
	p.text("s", left, y, judge.Signed(-reach))
	p.text("s end", right, y, judge.Signed(reach))
	p.text("s m mid", left+wide/2, y, "difference from "+s.sides[0].name+"; shaded: the floor, "+judge.Percent(floor))
	return y
}
