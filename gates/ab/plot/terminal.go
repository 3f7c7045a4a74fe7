package plot

import (
	"fmt"
	"io"
	"strings"

	"gpuci/gates/ab/judge"
)

// The terminal's picture, in cells.
const (
	narrowest = 40
	labels    = 14 // left of the pictures
	high      = 12 // of the picture over time
)

// marks are what runs are drawn as: of the control, of the arm, and of both in one
// cell.
var marks = [3]rune{'·', 'x', '*'}

// sparks are heights of one cell.
var sparks = []rune(" ▁▂▃▄▅▆▇█")

// Terminal draws the chart in text, no wider than so many cells. Colour only adds to
// what is seen without. Its errors are those of w.
func Terminal(w io.Writer, c Chart, width int, colour bool) error {
	s := newScene(c)
	t := text{scene: s, wide: max(narrowest, width) - labels - 1, all: max(narrowest, width), colour: colour}
	t.line("", s.title())
	t.line("", s.Answer.Metric.Name+": "+s.counted())
	t.overTime()
	t.spread()
	t.differences()
	if _, err := io.WriteString(w, t.String()); err != nil {
		return fmt.Errorf("write chart: %w", err)
	}
	return nil
}

// text is the picture so far.
type text struct {
	scene
	strings.Builder
	wide, all int // of a picture, and of the terminal
	colour    bool
}

// line writes a line with its label.
func (t *text) line(label, line string) {
	if label == "" {
		t.WriteString(strings.TrimRight(fit(line, t.all), " ") + "\n")
		return
	}
	label = fit(label, labels-1)
	t.WriteString(strings.Repeat(" ", max(0, labels-1-cells(label))) + label + " " + strings.TrimRight(line, " ") + "\n")
}

// overTime draws each run at its time.
func (t *text) overTime() {
	cells := make([][]int, high)
	for i := range cells {
		cells[i] = make([]int, t.wide)
	}
	for i, side := range t.sides {
		for _, p := range side.points {
			x := min(t.wide-1, int(t.when(p.at)*float64(t.wide)))
			y := high - 1 - min(high-1, int(t.share(p.value)*high))
			cells[y][x] |= i + 1
		}
	}
	for y, row := range cells {
		label := " "
		switch y {
		case 0:
			label = t.quantity(t.high)
		case high - 1:
			label = t.quantity(t.low)
		}
		t.line(label, "│"+t.marked(row))
	}
	below := []rune("└" + strings.Repeat("─", t.wide-1))
	for _, at := range t.thrown {
		below[min(len(below)-1, 1+int(t.when(at)*float64(t.wide-1)))] = '!'
	}
	t.line(" ", string(below))
	key := fmt.Sprintf("%c %s   %c %s   %c both", marks[0], t.sides[0].name, marks[1], t.sides[1].name, marks[2])
	if len(t.thrown) > 0 {
		key += "   ! thrown out"
	}
	t.line(" ", fit(t.moment(0)+" to "+t.moment(t.length)+"   "+key, t.wide))
}

// marked writes cells: 1 has a run of the control, 2 one of the arm, 3 both.
func (t *text) marked(cells []int) string {
	var b strings.Builder
	for _, c := range cells {
		if c == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteString(t.paint(c, string(marks[c-1])))
	}
	return b.String()
}

// paint colours a mark: blue for the control, yellow for the arm.
func (t *text) paint(which int, mark string) string {
	if code := map[int]string{1: "34", 2: "33"}[which]; t.colour && code != "" {
		return "\x1b[" + code + "m" + mark + "\x1b[0m"
	}
	return mark
}

// spread draws how the values of each arm are spread.
func (t *text) spread() {
	counts := [2][]int{}
	most := 1
	for i, side := range t.sides {
		counts[i] = t.histogram(side.sorted, t.wide)
		for _, n := range counts[i] {
			most = max(most, n)
		}
	}
	t.line("", "")
	for i, side := range t.sides {
		line := make([]rune, t.wide)
		for x, n := range counts[i] {
			line[x] = sparks[(n*(len(sparks)-1)+most-1)/most]
		}
		t.line(side.name, t.paint(i+1, string(line)))
		t.line(" ", fit(t.median(side), t.wide))
	}
	from, to := t.quantity(t.low), t.quantity(t.high)
	t.line(" ", from+strings.Repeat(" ", max(1, t.wide-cells(from)-cells(to)))+to)
}

// differences draws what the judge makes of it: the control beside itself, and the
// arm, with the floor around 0.
func (t *text) differences() {
	rows, reach := t.rows(), t.reach()
	if len(rows) == 0 {
		return
	}
	at := func(part float64) int {
		return min(t.wide-1, int(inside((part/reach+1)/2)*float64(t.wide)))
	}
	t.line("", "")
	for _, r := range rows {
		line := []rune(strings.Repeat(" ", t.wide))
		for x := at(-t.Answer.Floor); x <= at(t.Answer.Floor); x++ {
			line[x] = '░'
		}
		line[at(0)] = '┊'
		for x := at(r.interval.Low); x <= at(r.interval.High); x++ {
			line[x] = '─'
		}
		line[at(r.interval.Low)], line[at(r.interval.High)] = '├', '┤'
		line[at(r.centre)] = '●'
		t.line(r.name, string(line))
		t.line(" ", fit(r.within(), t.wide))
	}
	t.line(" ", fit(fmt.Sprintf("░ the floor, %s; ┊ no difference", judge.Percent(t.Answer.Floor)), t.wide))
}
