package trace

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Uncounted says why nothing of a recording stands.
type Uncounted struct {
	Why  string
	Next string // what to do
}

func (e *Uncounted) Error() string { return e.Why }

// Measure takes numbers from a recording. A count is that of each warm step: its lowest
// and highest are one where all steps are alike. Of several processes counts are added
// up, and a time is that of the process where it is the longest. The error is an
// *[Uncounted] where calls were lost, or a process was not counted that should have been:
// what remains is no count.
func (r Recording) Measure(ctx context.Context, how Counting, want []Wanted) (Measurement, error) {
	var m Measurement
	if err := r.sound(); err != nil {
		return m, err
	}
	m.Figures = make([]Figure, len(want))
	fit := make([]int, len(want))
	for _, p := range r.Processes {
		if p.State != Attached { // it never came to use CUDA
			continue
		}
		one, c, s, err := p.measure(ctx, how, want)
		if ctx.Err() != nil {
			return m, context.Cause(ctx)
		}
		if err != nil {
			return m, unreadableProcess(p.PID, err.Error())
		}
		m.Processes = append(m.Processes, p)
		m.stages(c, how)
		for i := range want {
			f := one.figure(i, c, &s)
			f.blurred = one.blurred(i, c)
			m.Figures[i].add(f, one.kinds[i].Kind)
			fit[i] += one.fit[i]
		}
	}
	for i, w := range want {
		f := &m.Figures[i]
		f.Fit = fit[i]
		if f.Processes == 0 && f.Why == "" {
			f.Why, f.Absent = (&NoStage{w.Stage, m.there()}).Error(), true
		}
		kind, _ := MeasureOf(w.Measure)
		f.told(kind, len(how.Lines))
	}
	return m, nil
}

// stages notes which there were.
func (m *Measurement) stages(c *counter, how Counting) {
	for _, s := range c.list {
		if !s.has && s.Name == Outside {
			continue
		}
		_, apart := setApart(s.Steps, how.Warm)
		label := StageReport{Name: s.Name}.Label()
		i := slices.IndexFunc(m.Stages, func(o Stepped) bool { return o.Name == label })
		if i < 0 {
			m.Stages = append(m.Stages, Stepped{Name: label})
			i = len(m.Stages) - 1
		}
		m.Stages[i].Processes++
		if s.Steps > m.Stages[i].Steps {
			m.Stages[i].Steps, m.Stages[i].Apart = s.Steps, apart
		}
	}
}

func (m *Measurement) there() (names []string) {
	for _, s := range m.Stages {
		names = append(names, fmt.Sprintf("%q", s.Name))
	}
	return names
}

// blurred are the warm steps of a number's stage that are.
func (m *measurer) blurred(i int, c *counter) []bool {
	stage := c.named[m.want[i].Stage]
	if stage == nil || m.want[i].Stage == WholeRun {
		return nil
	}
	_, apart := setApart(stage.Steps, c.how.Warm)
	return stage.blurredOf(apart)
}

// figure is a number of one process; N is 0 where it has not the stage.
func (m *measurer) figure(i int, c *counter, s *Summary) (f Figure) {
	w, kind := m.want[i], m.kinds[i]
	if f.Why = m.flaw(i); f.Why != "" {
		return f
	}
	if w.Stage == WholeRun {
		return m.whole(i, c, s)
	}
	stage := c.named[w.Stage]
	if stage == nil && w.Stage == outsideLabel {
		stage = c.outside.stage
	}
	if stage == nil {
		return f
	}
	_, apart := setApart(stage.Steps, c.how.Warm)
	switch {
	case kind.Only:
		return Figure{Why: kind.Name + " is of the whole run, and is not noted by stages"}
	case stage.Name != Outside && c.how.Warm > 0 && stage.Steps <= c.how.Warm:
		return noneWarm(stage, c.how)
	case kind.Card:
		return m.onCard(kind, stage, s)
	case kind.Name == stepTime:
		return spreadFigure(stage.Took, time.Millisecond)
	case kind.Name == launchPrice:
		return spreadFigure(stage.Gap, time.Nanosecond)
	case kind.Name == keptBlocks || kind.Name == keptBytes:
		return keptFigure(s.Kept, kind.Name, func(k Kept) int64 {
			if k.Stage != stage.Name {
				return 0
			}
			return k.Warm
		})
	}
	values := m.values[i]
	for len(values) < stage.Steps {
		values = append(values, 0)
	}
	return uncountable(kind, countsFigure(values[apart:], scaleOf(kind)))
}

// uncountable leaves out what is no count.
func uncountable(m Measure, f Figure) Figure {
	if m.Kind == TimeMeasure {
		f.Steps = nil
	}
	return f
}

// whole is a number of all that a process did.
func (m *measurer) whole(i int, c *counter, s *Summary) Figure {
	switch kind := m.kinds[i]; kind.Name {
	case allProcesses:
		return countsFigure([]int64{1}, 1)
	case keptBlocks, keptBytes:
		return keptFigure(s.Kept, kind.Name, func(k Kept) int64 { return k.N })
	case captureAllocs:
		n := int64(0)
		for _, d := range s.Capture.During {
			if d.What == "allocation" {
				n += d.N
			}
		}
		return countsFigure([]int64{n}, 1)
	case launchPrice, stepTime, deviceTime, idleShare:
		if slices.ContainsFunc(s.Stages, func(o *Stage) bool { return o.Name != Outside }) {
			return Figure{Why: "a time is of a stage, and there are several: name one"}
		}
		switch whole := c.outside.stage; {
		case kind.Card:
			return m.onCard(kind, whole, s)
		case kind.Name == launchPrice:
			return spreadFigure(whole.Gap, time.Nanosecond)
		default:
			return spreadFigure(whole.Took, time.Millisecond)
		}
	default:
		return uncountable(kind, countsFigure(m.values[i], scaleOf(kind)))
	}
}

func scaleOf(m Measure) float64 {
	if m.Name == callTime {
		return float64(time.Millisecond)
	}
	return 1
}

// countsFigure is of a number of each step.
func countsFigure(values []int64, scale float64) Figure {
	if len(values) == 0 {
		return Figure{}
	}
	sorted := slices.Sorted(slices.Values(values))
	at := func(i int) float64 { return float64(sorted[i]) / scale }
	return Figure{N: len(values), Low: at(0), Median: at((len(values) - 1) / 2), High: at(len(values) - 1), Processes: 1, Steps: values}
}

func spreadFigure(s Spread, unit time.Duration) Figure {
	if s.N == 0 {
		return Figure{Why: "it was not timed: there were too few launches, or no step came to its end"}
	}
	in := func(d time.Duration) float64 { return float64(d) / float64(unit) }
	return Figure{N: int(s.N), Low: in(s.Low), Median: in(s.Median), High: in(s.High), Processes: 1}
}

// keptFigure adds up as many of each as count.
func keptFigure(list []Kept, name string, of func(Kept) int64) Figure {
	n := int64(0)
	for _, k := range list {
		if name == keptBytes {
			n += of(k) * k.Each
		} else {
			n += of(k)
		}
	}
	return countsFigure([]int64{n}, 1)
}

// add takes in what another process has.
func (f *Figure) add(o Figure, kind MeasureKind) {
	f.blur(o.blurred)
	marks := f.blurred
	defer func() { f.blurred = marks }()
	switch {
	case f.Why != "":
	case o.Why != "":
		*f = Figure{Why: o.Why, Next: o.Next, Absent: o.Absent}
	case kind == TimeMeasure && o.Processes > 0 && f.Processes > 0:
		o.Processes += f.Processes
		if f.Median >= o.Median {
			o.N, o.Low, o.Median, o.High = f.N, f.Low, f.Median, f.High
		}
		*f = o
	case o.Processes == 0:
	case f.Processes == 0:
		*f = o
	case len(f.Steps) == len(o.Steps) && f.Steps != nil: // step by step
		sum := make([]int64, len(f.Steps))
		for i := range sum {
			sum[i] = f.Steps[i] + o.Steps[i]
		}
		processes := f.Processes + 1
		*f = countsFigure(sum, 1)
		f.Processes = processes
	default: // no step has less, or more
		f.N, f.Steps = max(f.N, o.N), nil
		f.Low, f.Median, f.High, f.Processes = f.Low+o.Low, f.Median+o.Median, f.High+o.High, f.Processes+o.Processes
	}
}
