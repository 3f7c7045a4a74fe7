package gates

import (
	"fmt"
	"slices"
	"strings"

	"gpuci/kernels/trace"
)

// leftOut are numbers of which as many warm steps were left out.
type leftOut struct {
	names  []string
	n, out int
}

// leave notes that some of a number's were.
func (t *tracing) leave(name string, x trace.Figure) {
	i := slices.IndexFunc(t.left, func(l leftOut) bool { return l.n == x.N && l.out == x.Blurred })
	if i < 0 {
		i, t.left = len(t.left), append(t.left, leftOut{n: x.N, out: x.Blurred})
	}
	if l := &t.left[i]; !slices.Contains(l.names, name) {
		l.names = append(l.names, name)
	}
}

// markLeft says so, of all numbers of a stage at once.
func (f *flow) markLeft() {
	for _, l := range f.traced.left {
		is := "is"
		if len(l.names) > 1 {
			is = "are"
		}
		f.mark(fmt.Sprintf("%s %s of %d warm steps: %d more cannot be told from those beside them, for gpuci read the lines that end them late, or they came at once", strings.Join(l.names, ", "), is, l.n, l.out))
	}
}

// untold makes a finding of a number that cannot be told. What is so of several for one
// reason is one finding.
func (f *flow) untold(name, why string) {
	f.next("gpuci trace report " + f.traced.dir + " has what was counted")
	for i := range f.v.Findings {
		of := &f.v.Findings[i]
		if names, is := strings.CutSuffix(of.Text, ": "+why); is && of.Outcome == Broken && why != "" {
			of.Text = names + ", " + name + ": " + why
			return
		}
	}
	f.find(Broken, name+": "+why)
}

// judgedCounters is of a relation whose counters the atlas could not tell: no program prints
// these.
func (f *flow) judgedCounters(w WitnessResult, failed bool) bool {
	if f.traced == nil || !slices.Contains(f.traced.untold, w.Why) {
		return false
	}
	if failed {
		return true
	}
	why := w.Why
	if _, bare, is := strings.Cut(why, ": "); is && f.saidAlready(bare) {
		why = bare
	}
	f.untold("witness "+w.Name, why)
	return true
}

// saidAlready says whether a reason is one of a number before.
func (f *flow) saidAlready(why string) bool {
	return slices.ContainsFunc(f.v.Findings, func(of Finding) bool { return of.Outcome == Broken && strings.HasSuffix(of.Text, ": "+why) })
}
