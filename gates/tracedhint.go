package gates

import (
	"fmt"
	"slices"
	"strconv"

	"gpuci/gates/config"
	"gpuci/kernels/trace"
)

// fits marks a bar on kernels of which none was there: their name may be another. One that
// is to have none is as it should be.
func (f *flow) fits(b config.Bar) {
	if b.Atlas == nil || b.Atlas.Kernel == "" || b.Max != nil && *b.Max == 0 {
		return
	}
	if x := f.traced.figure(*b.Atlas); x.Why == "" && x.Fit == 0 {
		f.mark(fmt.Sprintf("%s: of no kernel that was launched the name fits %q", b.Metric, b.Atlas.Kernel))
	}
}

// smeared says what to do where a bar is crossed in a step by lines, and is not in the mean
// of the steps.
func (f *flow) smeared(metric string) {
	i := slices.IndexFunc(f.gate.Bars, func(b config.Bar) bool { return b.Metric == metric && b.Atlas != nil })
	if i < 0 || f.gate.Trace.Step == "" || f.gate.Bars[i].Atlas.Stage != trace.LineStep {
		return
	}
	b, x, sum := f.gate.Bars[i], f.traced.figure(*f.gate.Bars[i].Atlas), 0.0
	for _, n := range x.Steps {
		sum += float64(n)
	}
	mean := sum / float64(max(1, len(x.Steps)))
	above, below := b.Max != nil && x.High > *b.Max, b.Min != nil && x.Low < *b.Min
	if len(x.Steps) < 2 || !above && !below || above && mean > *b.Max || below && mean < *b.Min {
		return
	}
	f.next(fmt.Sprintf("%s is %s in the mean of its steps, and that holds: what is asked for while a line is on its way to gpuci counts for the step before it. An NVTX range has no such way: range = \"step\" in [gate.trace]", metric, strconv.FormatFloat(mean, 'g', 6, 64)))
}
