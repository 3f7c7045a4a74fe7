package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// blurredSteps plays steps of so many launches, a millisecond each, whose lines are read
// late by so many steps.
func blurredSteps(t *testing.T, launches []int, late map[int]int) (*forge, []Line) {
	t.Helper()
	f := newForge(t)
	k := f.kernel("k", 1)
	var written []time.Duration
	for _, n := range launches {
		f.wait(500 * time.Microsecond)
		for range n {
			f.launch(k)
		}
		f.wait(500 * time.Microsecond)
		written = append(written, f.now)
	}
	var lines []Line
	for i := range launches {
		read := written[min(i+late[i], len(written)-1)]
		lines = append(lines, Line{At: forgeBegan.Add(read), Step: i, Late: read - written[i]})
	}
	return f, lines
}

// Steps that a line read late has run together are left out where enough stay, and what they
// come to together is as the others are; else nothing is said of them.
func TestMeasureBlurred(t *testing.T) {
	same := []int{9, 3, 3, 3, 3, 3, 3, 3}
	for name, c := range map[string]struct {
		launches []int
		late     map[int]int
		want     string // of the figure
		blurred  int
	}{
		"none":                 {same, nil, "3 3 3 of 7 in 1", 0},
		"late, nothing since":  {[]int{9, 3, 3, 0, 3, 3, 3, 3}, map[int]int{2: 1}, "0 3 3 of 7 in 1", 0},
		"one line":             {same, map[int]int{3: 1}, "3 3 3 of 5 in 1", 2},
		"the set apart":        {same, map[int]int{0: 1}, "3 3 3 of 6 in 1", 1},
		"an unlike one within": {[]int{9, 3, 3, 3, 7, 3, 3, 3}, map[int]int{3: 1}, "cannot", 0},
		"an unlike one beside": {[]int{9, 3, 7, 3, 3, 3, 3, 3}, map[int]int{3: 1}, "3 3 7 of 5 in 1", 2},
		"most":                 {same, map[int]int{1: 4, 2: 3, 3: 2, 4: 1}, "cannot", 0},
	} {
		f, lines := blurredSteps(t, c.launches, c.late)
		got := f.measure(Counting{Lines: lines, Warm: 1}, Wanted{"launches", LineStep, nil})[0]
		if c.want == "cannot" {
			if !strings.Contains(got.Why, "warm steps cannot be told apart (8 lines fit the pattern of a step)") || got.Next != blurNext || got.N != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		wantFigure(t, name, got, c.want)
		if got.Blurred != c.blurred {
			t.Errorf("%s: %d are left out, want %d", name, got.Blurred, c.blurred)
		}
	}
}

// Lines that were kept back and come at once end no steps that are known: a step that asked
// for nothing is none of theirs. What a pipe in between holds for a moment is not seen.
func TestMeasureKeptBack(t *testing.T) {
	for name, c := range map[string]struct {
		at   []int         // behind which step each line comes
		read time.Duration // from when the first may have been written until all were read
		end  bool          // the program asks for something behind the last one
		want string
	}{
		"one by one":      {[]int{0, 1, 2, 3, 4, 5, 6, 7}, 20 * time.Microsecond, true, "3 3 3 of 7 in 1"},
		"all at the end":  {[]int{7, 7, 7, 7, 7, 7, 7, 7}, 20 * time.Microsecond, true, "cannot"},
		"nothing behind":  {[]int{7, 7, 7, 7, 7, 7, 7, 7}, 20 * time.Microsecond, false, "no step is warm"},
		"read late":       {[]int{7, 7, 7, 7, 7, 7, 7, 7}, 400 * time.Microsecond, true, "cannot"},
		"in two halves":   {[]int{3, 3, 3, 3, 7, 7, 7, 7}, 20 * time.Microsecond, true, "cannot"},
		"a few, once":     {[]int{0, 1, 2, 3, 5, 5, 6, 7}, 20 * time.Microsecond, true, "3 3 3 of 4 in 1"},
		"a few set apart": {[]int{0, 1, 3, 3, 4, 5, 6, 7}, 20 * time.Microsecond, true, "3 3 3 of 4 in 1"},
	} {
		f, lines := blurredSteps(t, []int{3, 3, 3, 3, 3, 3, 3, 3}, nil)
		if c.end {
			f.sync(time.Microsecond)
		}
		came := make([]Line, len(lines))
		for i, after := range c.at {
			came[i] = Line{At: lines[after].At, Step: i, Late: c.read}
		}
		got := f.measure(Counting{Lines: came, Warm: 1}, Wanted{"launches", LineStep, nil})[0]
		if c.want == "no step is warm" {
			if !strings.Contains(got.Why, c.want+" (8 lines fit the pattern of a step") || got.Next != blurNext || got.N != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		} else if c.want != "cannot" {
			wantFigure(t, name, got, c.want)
		} else if !strings.Contains(got.Why, "kept back and came at once") || got.N != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A report says which steps it cannot tell apart.
func TestReportBlurred(t *testing.T) {
	f, lines := blurredSteps(t, []int{9, 3, 3, 3, 3, 3}, map[int]int{3: 1})
	r := f.report(Counting{Lines: lines, Warm: 1})
	if s := r.stage(t, LineStep); s.Blurred != 2 {
		t.Errorf("%+v", s)
	}
	if got := r.finding("blurred-steps"); !strings.Contains(got, "2 of its 5 warm steps cannot be told apart (6 lines fit the pattern of a step)") {
		t.Error(fmt.Sprint(got))
	}
}
