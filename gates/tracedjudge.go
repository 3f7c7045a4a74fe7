package gates

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"gpuci/gates/config"
	"gpuci/gates/metric"
	"gpuci/kernels/trace"
)

// countTrace counts what was recorded, and gives the numbers to whoever judges the run.
func (f *flow) countTrace(ctx context.Context, failed bool) {
	t := f.traced
	if t == nil || f.run == nil {
		return
	}
	err := t.count(ctx, f.gate, f.judge.witnesses)
	if lost := t.lost(); lost != nil && (err == nil || len(t.found) > 0) {
		err = lost
	}
	if t.uncounted == "" && err != nil {
		t.uncounted = err.Error()
	}
	if t.uncounted != "" {
		f.uncounted(failed, err)
		return
	}
	f.v.Trace = t.verdict()
	if t.blind != "" {
		f.mark(t.blind + " held up the look at its processes: one that was not counted after that is not known of")
	}
	for _, b := range f.gate.Bars {
		f.giveTraced(b.Metric, b.Atlas)
		f.fits(b)
	}
	for _, m := range f.gate.Metrics {
		f.giveTraced(m.Name, m.Atlas)
	}
	f.markLeft()
	for _, w := range f.judge.witnesses {
		if !f.v.Partial || !t.lacks(w.atlas) { // the arguments are there to narrow it
			w.counted(t)
		}
	}
}

// count asks for all numbers at once.
func (t *tracing) count(ctx context.Context, g config.Gate, witnesses []*witness) error {
	t.index = make(map[config.Atlas]int)
	var want []trace.Wanted
	ask := func(a *config.Atlas) error {
		if a == nil {
			return nil
		}
		if _, asked := t.index[*a]; asked {
			return nil
		}
		w := trace.Wanted{Measure: a.Measure, Stage: a.Stage}
		if a.Kernel != "" {
			var err error
			if w.Kernel, err = regexp.Compile(a.Kernel); err != nil {
				return err
			}
		}
		t.index[*a] = len(want)
		want = append(want, w)
		return nil
	}
	var errs error
	for _, b := range g.Bars {
		errs = errors.Join(errs, ask(b.Atlas))
	}
	for _, m := range g.Metrics {
		errs = errors.Join(errs, ask(m.Atlas))
	}
	for _, w := range witnesses {
		for _, a := range w.atlas {
			errs = errors.Join(errs, ask(&a))
		}
	}
	if errs != nil {
		return errs
	}
	var err error
	t.measured, err = trace.MeasureDir(ctx, t.dir, want)
	return err
}

// uncounted is for a run of which nothing was counted, or not all. Where the command
// failed, that is the finding.
func (f *flow) uncounted(failed bool, err error) {
	t := f.traced
	for _, w := range f.judge.witnesses {
		w.uncounted()
	}
	if failed {
		return
	}
	f.find(Broken, "what it asks of CUDA was not counted: "+t.uncounted)
	if no := (*trace.Uncounted)(nil); errors.As(err, &no) {
		f.next(no.Next)
	}
}

// verdict is what is told of it.
func (t *tracing) verdict() *Trace {
	m := t.measured
	out := &Trace{Dir: t.dir, Processes: len(m.Processes), Stages: m.Stages, Text: m.Text()}
	for _, p := range m.Processes {
		out.CUPTI = max(out.CUPTI, p.CUPTI)
	}
	return out
}

// figure is what was counted of something.
func (t *tracing) figure(a config.Atlas) trace.Figure { return t.measured.Figures[t.index[a]] }

// giveTraced gives one number: of a count the lowest and the highest of all warm steps,
// of a time the median.
func (f *flow) giveTraced(name string, a *config.Atlas) {
	if a == nil {
		return
	}
	x := f.traced.figure(*a)
	switch {
	case x.Absent && f.v.Partial: // the arguments are there to narrow it
		return
	case x.Why != "":
		f.judge.collector.Miss(name, x.Why)
		return
	}
	if x.Blurred > 0 {
		f.traced.leave(name, x)
	}
	sample := func(v float64) metric.Sample {
		s := metric.Sample{Metric: name, Text: strconv.FormatFloat(v, 'f', -1, 64)}
		s.Labels = labelsOf(name, *a, f.gate.Trace.Timeline)
		return s
	}
	if m, _ := trace.MeasureOf(a.Measure); m.Kind == trace.TimeMeasure {
		f.judge.collector.GiveAll(sample(x.Median), sample(x.Median), x.N)
		return
	}
	f.judge.collector.GiveAll(sample(x.Low), sample(x.High), x.N)
}

// labelsOf are the labels of a number: what it is of, where its name does not say so. One
// that comes to mean something else is then of another series, and held against nothing
// that it was before: so is a time of the host beside which times of the card are taken.
func labelsOf(name string, a config.Atlas, timeline bool) map[string]string {
	labels := make(map[string]string)
	if a.Stage != trace.WholeRun {
		labels["stage"] = a.Stage
	}
	switch {
	case a.Kernel != "":
		labels["kernel"] = a.Kernel
		if a.Measure != "launches" {
			labels["measure"] = a.Measure
		}
	case a.Measure != name:
		labels["measure"] = a.Measure
	}
	if m, _ := trace.MeasureOf(a.Measure); m.Kind == trace.TimeMeasure && !m.Card && timeline {
		labels["timeline"] = "true"
	}
	return labels
}

// atlasOf says what the atlas counts for a metric; nil for one that is printed.
func (f *flow) atlasOf(name string) *config.Atlas {
	for _, b := range f.gate.Bars {
		if b.Metric == name {
			return b.Atlas
		}
	}
	for _, m := range f.gate.Metrics {
		if m.Name == name {
			return m.Atlas
		}
	}
	return nil
}

// judgedTraced makes a finding of a number of the atlas that could not be told; true where
// it has none more to make. Why nothing at all was counted has been said.
func (f *flow) judgedTraced(name string, s metric.State, failed bool, why []string) bool {
	a := f.atlasOf(name)
	if a != nil && s == metric.Crossed {
		f.smeared(name)
	}
	if a == nil || s != metric.Unreadable {
		return false
	}
	if failed || f.traced.uncounted != "" {
		return true
	}
	f.untold(name, strings.Join(why, "; "))
	f.next(f.traced.figure(*a).Next)
	return true
}

// judgedRecorded is the same of numbers that are counted and not judged.
func (f *flow) judgedRecorded(failed bool, seen map[string]bool) {
	for _, m := range f.gate.Metrics {
		if m.Atlas == nil || seen[m.Name] {
			continue
		}
		seen[m.Name] = true
		if found := f.judge.collector.Found(m.Name); found != nil && found.Faulty > 0 {
			f.judgedTraced(m.Name, metric.Unreadable, failed, found.Faults)
		}
	}
}

// howGiven says how a metric comes by its numbers.
func (f *flow) howGiven(name string) string {
	if f.atlasOf(name) != nil {
		return "counted"
	}
	return "printed"
}
