package trace

import (
	"fmt"
	"slices"
)

// CannotTell is in [Figure.Why] where gpuci could not tell steps apart, which says nothing of
// the program.
const CannotTell = "cannot be told apart"

// blurNext is what to do where steps cannot be told apart.
const blurNext = `tell the steps by an NVTX range (range = "step"), whose times are the program's own; let the program flush each line; or run on a machine that is less busy`

// linesFit says how many lines were to end a step.
func linesFit(lines int) string {
	if lines == 1 {
		return "1 line fits the pattern of a step"
	}
	return fmt.Sprintf("%d lines fit the pattern of a step", lines)
}

// noneWarm says that no step of a stage is warm. Of steps that lines end there may have been more
// than are left.
func noneWarm(stage *Stage, how Counting) Figure {
	f := Figure{Absent: true, Why: fmt.Sprintf("%q has %s, and the first %d are set apart: no step is warm", stage.Name, many(int64(stage.Steps), "step"), how.Warm)}
	if n := len(how.Lines); stage.Name == LineStep && n > stage.Steps {
		f.Why += fmt.Sprintf(" (%s: steps that asked for nothing, or whose lines came at once, "+CannotTell+")", linesFit(n))
		f.Next = blurNext
	}
	return f
}

// blurredOf marks those of a stage's warm steps whose counts may be those of their
// neighbours; nil where there are none.
func (s *Stage) blurredOf(apart int) (marks []bool) {
	for _, i := range s.blurred {
		if i < apart {
			continue
		}
		if marks == nil {
			marks = make([]bool, s.Steps-apart)
		}
		marks[i-apart] = true
	}
	return marks
}

// blur says that steps of a report are.
func (s *StageReport) blur(lines int) (f Finding, is bool) {
	if s.Blurred == 0 || s.once() {
		return f, false
	}
	return Finding{Kind: "blurred-steps", Stage: s.Name, Text: fmt.Sprintf(
		"%s: %d of its %d warm steps cannot be told apart (%s): gpuci read the lines that end them late, or they were kept back and came at once, and their least and most may be of two steps; their sum holds. Take an NVTX range (--range), let the program flush each line, or take a machine that is less busy", s.Label(), s.Blurred, s.Warm(), linesFit(lines))}, true
}

// told leaves the steps out that cannot be told apart from their neighbours, where enough
// stay. What several of them in a row come to is known: were one of these unlike the steps
// that stay, their mean would be, and then nothing is said. That holds of sums alone, and not
// where such a row goes on into a step that is not warm.
func (f *Figure) told(m Measure, lines int) {
	n := 0
	for _, b := range f.blurred {
		n += count(b)
	}
	if n == 0 || f.Why != "" {
		return
	}
	all := len(f.blurred)
	why := fmt.Sprintf("%d of its %d warm steps "+CannotTell+" (%s): gpuci read the lines that end them late, or they were kept back and came at once, and what was asked for meanwhile may be of either", n, all, linesFit(lines))
	if kept := m.Name == keptBlocks || m.Name == keptBytes; kept && !f.blurred[0] && !f.blurred[all-1] {
		return // of all warm steps together
	} else if kept || 2*n > all || len(f.Steps) != all && f.Steps != nil {
		*f = Figure{Why: why, Next: blurNext}
		return
	}
	f.Blurred = n
	if f.Steps == nil { // a time, whose median stands
		return
	}
	var stay []int64
	for i, v := range f.Steps {
		if !f.blurred[i] {
			stay = append(stay, v)
		}
	}
	if !slices.Contains(m.sum, HighMark) && !f.alike(slices.Min(stay), slices.Max(stay)) {
		*f = Figure{Why: why, Next: blurNext}
		return
	}
	processes, fit := f.Processes, f.Fit
	*f = countsFigure(stay, 1)
	f.Processes, f.Fit, f.Blurred = processes, fit, n
}

// alike says whether the mean of each row of blurred steps is as those that stay are.
func (f *Figure) alike(low, high int64) bool {
	for i := 0; i < len(f.Steps); i++ {
		first, sum := i, int64(0)
		for ; i < len(f.Steps) && f.blurred[i]; i++ {
			sum += f.Steps[i]
		}
		n, within := int64(i-first), first > 0 && i < len(f.Steps)
		if n > 0 && within && (sum < low*n || sum > high*n) {
			return false
		}
	}
	return true
}

// blur takes in which steps of another process are blurred.
func (f *Figure) blur(o []bool) {
	if len(f.blurred) < len(o) {
		f.blurred = append(slices.Clone(f.blurred), make([]bool, len(o)-len(f.blurred))...)
	}
	for i, b := range o {
		f.blurred[i] = f.blurred[i] || b
	}
}
