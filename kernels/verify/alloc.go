package verify

import (
	"context"
	"errors"
	"slices"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

// The metrics of memory on a card, of one forward and backward: allocations, bytes at
// the most at a time, and bytes that were not given back.
const (
	allocName = "allocations"
	highName  = "alloc-high-bytes"
	leftName  = "alloc-left-bytes"
)

// MiB is 2^20 bytes.
const mib = 1 << 20

func allocCheck() Check {
	return Check{
		Name: "fused-alloc", Only: OnCUDA,
		About:    "what one forward and backward of a model's shape takes of a card's memory, counted where it is allocated",
		Programs: []Program{fusedProgram(Numbers)},
		// 28 buffers and 337 MiB are what the plan comes to on paper; half as much again is
		// another plan.
		Bars:  []Bar{{allocName, 1, 45}, {highName, 1, 540 * mib}, {leftName, 0, 0}, atMost(findingsName, 0)},
		cases: modelNames,
		run:   alloc,
	}
}

// modelCase is the shape that times and memory are quoted for: 8 batches of 12 heads,
// 512 rows in chunks of 16, 64 channels.
func (o Options) modelCase() []kda.Case {
	if o.model != nil {
		return slices.Clone(o.model)
	}
	return []kda.Case{{Name: "b8-h12-t512", Family: kda.Mild, Shape: kda.Shape{B: 8, H: 12, T: 512, K: 64, V: 64, C: 16}}}
}

func modelNames(o Options) (names []string, err error) {
	for _, c := range o.modelCase() {
		names = append(names, c.Name)
	}
	return names, nil
}

func alloc(ctx context.Context, s *session) (Report, error) {
	cases := s.pick(s.modelCase())
	if len(cases) == 0 {
		return Report{}, nil
	}
	r := Report{Planned: len(cases)}
	c := cases[0]
	job, _, err := modelJob(c, fused.Fused)
	if err != nil {
		return r, err
	}
	b, ok := s.program(fusedProgram(Numbers)).(measurer)
	if !ok {
		return r, errors.New("the backend does not tell what a job takes")
	}
	m, err := b.Measure(ctx, job, nil, "out")
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	var ran launched
	if r.take(c.Name, m.Result.Findings, err) {
		ran.add(m.Result)
		r.Numbers = []Number{
			{Name: allocName, Value: Real(m.Memory.Allocations)},
			{Name: highName, Value: Real(m.Memory.High)},
			{Name: leftName, Value: Real(m.Memory.Left)},
		}
	}
	r.Numbers = append(r.Numbers, r.findings(s.sight.Numbers)...)
	r.Counters = ran.counters()
	return r, nil
}

// modelJob is a plan on the problem of a case as a kernel is given it.
func modelJob(c kda.Case, plan func(*kda.Problem) launch.Job) (launch.Job, *kda.Problem, error) {
	p, err := c.Problem()
	if err != nil {
		return launch.Job{}, nil, err
	}
	p = fused.Rounded(p)
	if err := errors.Join(fused.Fits(p.Shape), fused.Holds(p)); err != nil {
		return launch.Job{}, nil, err
	}
	return plan(p), p, nil
}
