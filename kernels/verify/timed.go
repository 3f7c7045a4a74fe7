package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gpuci/kernels/cuda"
	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

// The metrics of times on a card. A time is the median of samples, each by events of its
// own; a spread is the distance of the 9th from the 1st tenth of them over the median.
const (
	copyName    = "copy-gbps"           // bytes read and written in a second by a copy within the card, 10^9
	recheckName = "recheck-differences" // sets of buffers that had other results after the last sample
	agreeName   = "agree-rel"           // what was timed, against the ops path
)

// agreeBar is that of mild decays: both paths are judged by it against the oracle, on
// other shapes.
const agreeBar = 2 * mildBar

func timeCheck() Check {
	return Check{
		Name: "fused-time", Only: OnCUDA,
		About:    "times of the fused forward and backward at a model's shape, beside the ops path and a copy in the same run",
		Programs: []Program{fusedProgram(Numbers), opsProgram()},
		Bars:     []Bar{{recheckName, 0, 0}, atMost(agreeName, agreeBar), atMost(findingsName, 0)},
		cases:    modelNames,
		run:      times,
	}
}

// How a path is timed: 20 runs until clocks are up, 100 samples for the tenths of a
// spread, four sets of buffers of some hundred MiB where the second-level cache has 50,
// and a copy of 1 GiB, which no cache holds.
func timing() *cuda.Timing {
	return &cuda.Timing{WarmUps: 20, Samples: 100, Copies: 4, Copy: 1 << 30}
}

// timedPath is one that was timed.
type timedPath struct {
	job      launch.Job
	measured cuda.Measured
	out      kda.Output
	grad     kda.Leaves
}

func times(ctx context.Context, s *session) (Report, error) {
	cases := s.pick(s.modelCase())
	if len(cases) == 0 {
		return Report{}, nil
	}
	r := Report{Planned: len(cases)}
	c := cases[0]
	own, err := timePath(ctx, s.program(fusedProgram(Numbers)), c, fused.Fused)
	var ops timedPath
	if err == nil {
		ops, err = timePath(ctx, s.program(opsProgram()), c, fused.Ops)
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	findings := slices.Concat(own.measured.Result.Findings, ops.measured.Result.Findings)
	var ran launched
	ran.add(own.measured.Result)
	ran.add(ops.measured.Result)
	if r.take(c.Name, findings, err) {
		r.Numbers = timeNumbers(own, ops)
		if err := r.agree(c, own, ops); err != nil {
			return r, err
		}
	}
	r.Numbers = append(r.Numbers, r.findings(s.sight.Numbers)...)
	t := timing()
	r.Counters = append(ran.counters(), counter("samples", t.Samples), counter("copies", t.Copies),
		Counter{"rechecked", fmt.Sprintf("%d/%d", own.measured.Equal+ops.measured.Equal, 2*t.Copies)})
	return r, nil
}

func timePath(ctx context.Context, b launch.Backend, c kda.Case, plan func(*kda.Problem) launch.Job) (t timedPath, err error) {
	job, p, err := modelJob(c, plan)
	if err != nil {
		return t, err
	}
	m, ok := b.(measurer)
	if !ok {
		return t, errors.New("the backend does not tell what a job takes")
	}
	back := []string{"out", "state_t"}
	for _, term := range kda.NewLeaves(p.Shape).Terms() {
		back = append(back, "d_"+term.Name)
	}
	t.job = job
	if t.measured, err = m.Measure(ctx, job, timing(), back...); err != nil {
		return t, err
	}
	t.out, t.grad, err = fused.Read(p, t.measured.Result)
	return t, err
}

// timeNumbers are those of both paths.
func timeNumbers(own, ops timedPath) (list []Number) {
	list = append(own.numbers(""), ops.numbers("ops-")...)
	for _, phase := range []string{fused.Forward, fused.Backward} {
		a, b := own.median(phase), ops.median(phase)
		list = append(list, Number{Name: phase + "-over-ops", Value: Real(a / b)})
	}
	copied := own.measured.Copied
	if copied == nil {
		copied = &cuda.Copy{}
	}
	rate := 2 * float64(copied.Bytes) / median(copied.Samples) / 1e6 // bytes a millisecond, in 10^9 a second
	list = append(list, Number{Name: copyName, Value: Real(rate)})
	return append(list, Number{Name: recheckName, Value: Real(2*timing().Copies - own.measured.Equal - ops.measured.Equal)})
}

// numbers are a path's own, their names behind a prefix.
func (t timedPath) numbers(prefix string) (list []Number) {
	for _, x := range t.measured.Times {
		if x.Kernel != "" {
			list = append(list, Number{Name: prefix + "kernel-ms", Value: Real(median(x.Samples)), Labels: Labels{{"kernel", x.Kernel}, {"phase", x.Phase}}})
			continue
		}
		ms := median(x.Samples)
		list = append(list,
			Number{Name: prefix + x.Phase + "-ms", Value: Real(ms), Labels: Labels{{"samples", fmt.Sprint(len(x.Samples))}}},
			Number{Name: prefix + x.Phase + "-spread", Value: Real(spread(x.Samples))},
			Number{Name: prefix + x.Phase + "-gbps", Value: Real(float64(moved(t.job, x.Phase)) / ms / 1e6)})
	}
	return list
}

// median is that of a phase; NaN where it was not timed.
func (t timedPath) median(phase string) float64 {
	for _, x := range t.measured.Times {
		if x.Phase == phase && x.Kernel == "" {
			return median(x.Samples)
		}
	}
	return math.NaN()
}

// moved is the bytes of the buffers that a phase has for arguments, each once: what it
// must read or write at least.
func moved(job launch.Job, phase string) (bytes int) {
	used := map[string]bool{}
	for _, l := range job.Launches {
		for _, a := range l.Args {
			used[a.Buffer] = used[a.Buffer] || l.Phase == phase
		}
	}
	for _, b := range job.Buffers {
		if used[b.Name] {
			bytes += 4 * b.Count
		}
	}
	return bytes
}

// agree holds what was timed against the other path.
func (r *Report) agree(c kda.Case, own, ops timedPath) error {
	var t table
	want := ops.grad.Terms()
	list := []struct {
		name      string
		got, want kda.Tensor
	}{{"out", own.out.Out, ops.out.Out}, {"state", own.out.Final, ops.out.Final}}
	for i, term := range own.grad.Terms() {
		list = append(list, struct {
			name      string
			got, want kda.Tensor
		}{"d_" + term.Name, *term.Tensor, *want[i].Tensor})
	}
	for _, one := range list {
		report, err := kda.Compare(one.name, one.got, one.want, 0)
		if err != nil {
			return err
		}
		t.add(string(c.Family), c.Shape.Chunks(), c.Name, report)
	}
	r.Rows = t.rows
	for _, row := range t.rows {
		r.Numbers = append(r.Numbers, row.placed(Number{Name: agreeName, Value: row.MaxRel, Labels: Labels{{"term", row.Term}}}, ""))
	}
	return nil
}

// median is NaN of none.
func median(samples []float64) float64 { return share(samples, 0.5) }

// spread is the distance from the 1st to the 9th tenth, over the median.
func spread(samples []float64) float64 {
	return (share(samples, 0.9) - share(samples, 0.1)) / median(samples)
}

// share is the sample below which that share of them lies, between two in proportion.
func share(samples []float64, of float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	at := of * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
