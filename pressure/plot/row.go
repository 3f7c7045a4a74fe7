package plot

import (
	"cmp"
	"fmt"
	"slices"
)

// bar is a Bar with its place on the page.
type bar struct {
	Bar
	from, to float64
	more     int // bars after it that are drawn as one with it
}

// group is the rows of one kind of bars.
type group struct {
	kind    BarKind
	name    string
	class   string
	pitch   int // from row to row, in pixels
	most    int // rows
	rows    [][]bar
	count   int // bars of the kind, drawn or not
	over    int // bars for which no row was left
	outside int // bars outside the frame
}

// The most rows of links and of waits are what a build with -j20 has, and a
// few more.
func newGroups(bars []Bar, f frame) []group {
	var out []group
	for _, g := range []group{
		{kind: Phase, name: "phases", class: "ph", pitch: 20, most: 3},
		{kind: Link, name: "links", class: "li", pitch: 18, most: 24},
		{kind: Wait, name: "in line", class: "wa", pitch: 15, most: 24},
		{kind: Hold, name: "held", class: "ho", pitch: 18, most: 3},
	} {
		for _, b := range bars {
			if b.kind() == g.kind {
				g.count++
			}
		}
		if g.count == 0 {
			continue
		}
		in := placed(bars, f, g.kind)
		g.outside = g.count - len(in)
		g.pack(in)
		for i, row := range g.rows {
			g.rows[i] = merge(row)
		}
		out = append(out, g)
	}
	return out
}

func (b Bar) kind() BarKind {
	if b.Kind < Phase || b.Kind > Hold {
		return Phase
	}
	return b.Kind
}

// placed are the bars of one kind that reach into the frame, by their start.
// One that ends before it starts is only its start.
func placed(bars []Bar, f frame, kind BarKind) []bar {
	var out []bar
	end := f.from.Add(f.length)
	for _, b := range bars {
		if b.kind() != kind || b.From.After(end) || !b.To.IsZero() && max(b.To.Sub(f.from), b.From.Sub(f.from)) < 0 {
			continue
		}
		to := float64(plotRight)
		if !b.To.IsZero() {
			to = f.x(b.To)
		}
		from := f.x(b.From)
		out = append(out, bar{Bar: b, from: from, to: max(from, to)})
	}
	slices.SortFunc(out, func(a, b bar) int {
		return cmp.Or(cmp.Compare(a.from, b.from), a.From.Compare(b.From),
			cmp.Compare(a.to, b.to), a.To.Compare(b.To), cmp.Compare(a.Label, b.Label))
	})
	return out
}

// pack gives each bar the first row that is free at its start. Of bars sorted
// by their start, no packing needs fewer rows.
func (g *group) pack(bars []bar) {
	for _, b := range bars {
		i := slices.IndexFunc(g.rows, func(row []bar) bool { return row[len(row)-1].to <= b.from })
		switch {
		case i >= 0:
			g.rows[i] = append(g.rows[i], b)
		case len(g.rows) < g.most:
			g.rows = append(g.rows, []bar{b})
		default:
			g.over++
		}
	}
}

// The narrowest bar, in pixels, and the narrowest that keeps a place of its own
// beside one that was widened.
const (
	narrowest = 3
	apart     = 5
)

// merge widens bars that are too narrow to be seen, and draws those as one
// that would then lie on each other. They have their row by their true times:
// the number of rows is the number at once, however short they are.
func merge(row []bar) []bar {
	var out []bar
	for _, b := range row {
		b.from = min(b.from, plotRight-narrowest)
		b.to = max(b.to, b.from+narrowest)
		if n := len(out) - 1; n >= 0 && b.from < out[n].to {
			switch last := &out[n]; {
			case b.to-last.to >= apart:
				b.from = last.to
			case last.more == 0 && b.from-last.from >= apart:
				last.to = b.from
			default:
				last.more++
				last.to, last.To = max(last.to, b.to), b.To
				continue
			}
		}
		out = append(out, b)
	}
	return out
}

// note says what the rows do not show.
func (g group) note() string {
	switch {
	case g.over > 0 && g.outside > 0:
		return fmt.Sprintf("and %d more, and %d outside this time", g.over, g.outside)
	case g.over > 0:
		return fmt.Sprintf("and %d more", g.over)
	case g.outside > 0:
		return fmt.Sprintf("and %d outside this time", g.outside)
	}
	return ""
}
