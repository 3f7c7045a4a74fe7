package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gpuci/gates/ab/judge"
)

// title says what the chart is of.
func (s scene) title() string {
	if s.Title != "" {
		return s.Title
	}
	text := fmt.Sprintf("%s against %s", s.sides[1].name, s.sides[0].name)
	if s.Answer.Verdict != "" {
		text += ": " + string(s.Answer.Verdict)
	}
	return text
}

// counted says how many runs are drawn, and what is not in the picture.
func (s scene) counted() string {
	text := fmt.Sprintf("%d runs of %s, %d of %s", len(s.sides[0].points), s.sides[0].name, len(s.sides[1].points), s.sides[1].name)
	if n := len(s.Session.Thrown); n > 0 {
		text += fmt.Sprintf(", %d thrown out", n)
	}
	if s.outside > 0 {
		text += fmt.Sprintf("; %d above the picture", s.outside)
	}
	return text
}

// median is a side's, in words.
func (s scene) median(of side) string {
	if len(of.sorted) == 0 {
		return "no runs"
	}
	return "median " + s.quantity(middle(of.sorted))
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// quantity writes a value with its unit.
func (s scene) quantity(v float64) string {
	return strings.TrimSpace(strconv.FormatFloat(v, 'g', 4, 64) + " " + s.Answer.Metric.Unit)
}

// moment writes when something was, as short as it can be read.
func (s scene) moment(at float64) string {
	if s.begin.IsZero() {
		return fmt.Sprintf("run %.0f", at+1)
	}
	d := time.Duration(min(at, 1e9) * float64(time.Second))
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	default:
		return d.Round(10 * time.Millisecond).String()
	}
}

// row is a difference with its interval, as the judge has it.
type row struct {
	name     string
	centre   float64
	interval judge.Interval
	arm      bool
}

// rows are those of an answer that has any: the control beside itself, and the arm.
func (s scene) rows() []row {
	a := s.Answer
	if a.Look == 0 {
		return nil
	}
	return []row{
		{s.sides[0].name + " again", a.Twin - 1, a.TwinIn, false},
		{s.sides[1].name, a.Ratio - 1, a.Interval, true},
	}
}

// reach is the largest difference that a picture of the rows has to show.
func (s scene) reach() float64 {
	reach := s.Answer.Floor
	for _, r := range s.rows() {
		reach = max(reach, math.Abs(r.interval.Low), math.Abs(r.interval.High), math.Abs(r.centre))
	}
	if !(reach > 0) || math.IsInf(reach, 0) {
		return 0.01
	}
	return 1.1 * reach
}

// within writes a row's difference and its interval.
func (r row) within() string {
	return fmt.Sprintf("%s (%s to %s)", judge.Signed(r.centre), judge.Signed(r.interval.Low), judge.Signed(r.interval.High))
}

// clean replaces what cannot be seen. Such characters could hide a part of the text
// or turn it around.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// fit cuts a text to so many cells of a fixed-width font.
func fit(s string, cells int) string {
	used, end := 0, 0
	s = clean(s)
	for i, r := range s {
		if used < cells {
			end = i
		}
		if used += cellsOf(r); used > cells {
			return s[:end] + "…"
		}
	}
	return s
}

// cellsOf is how many cells a character takes at most: one beyond the first few
// alphabets may take two.
func cellsOf(r rune) int {
	if r >= 0x1100 && r < 0x2000 || r >= 0x2e80 && r != utf8.RuneError {
		return 2
	}
	return 1
}

// cells is how many a text takes at most.
func cells(s string) (n int) {
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}
