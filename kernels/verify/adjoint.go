package verify

import (
	"context"
	"fmt"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

// Bars of package kda, relative to the reference's largest element: ten times the
// float32 noise of out, the final state and the seven gradients at K = V = 64, 2e-6 for
// log decays down to -1 and 1.3e-5 below that. One of 1e-3 hides whole missing terms.
const (
	mildBar   = 2e-5
	strongBar = 2e-4
)

// relBars are the bars of each family's worst element.
func relBars() []Bar {
	return []Bar{
		atMost(relName(kda.Mild), mildBar), atMost(relName(kda.Moderate), mildBar),
		atMost(relName(kda.Strong), strongBar), atMost(relName(kda.VeryStrong), strongBar),
	}
}

// relName is what the largest difference in a family is called: each family has a bar
// of its own, and a bar is of one metric.
func relName(f kda.Family) string { return string(f) + "-rel" }

func adjointCheck() Check {
	return Check{
		Name:     "fused-adjoint",
		About:    "out, the final state and the seven gradients of the fused path against the float64 oracle, family by family",
		Programs: []Program{fusedProgram(Numbers)},
		Bars:     append(relBars(), atMost(orderName, 0), atMost(findingsName, 0)),
		cases:    kdaNames(adjointCases),
		run:      adjoint,
	}
}

// adjointResult is what came of one case.
type adjointResult struct {
	c        kda.Case
	reports  []kda.Report
	ran      launched
	differ   differ
	findings []launch.Finding
	err      error
}

func adjoint(ctx context.Context, s *session) (Report, error) {
	cases := s.pick(adjointCases())
	b := s.program(fusedProgram(Numbers))
	results, err := each(ctx, s.Jobs, cases, caseCost, func(ctx context.Context, c kda.Case) adjointResult {
		return adjointOf(ctx, b, c)
	})
	if err != nil {
		return Report{}, err
	}
	r := adjointReport(results, true, s.sight)
	r.Covered = covered(results)
	return r, nil
}

// pick makes the cases that are asked for.
func (s *session) pick(list []kda.Case) (picked []kda.Case) {
	for _, c := range seeded(list, s.Seed) {
		if s.picks(c.Name) {
			picked = append(picked, c)
		}
	}
	return picked
}

// caseCost grows as the work on a case does.
func caseCost(c kda.Case) int {
	s := c.Shape
	return s.Heads() * s.T * (s.C*(s.K+s.V) + s.K*s.V)
}

// adjointOf holds one case against the oracle.
func adjointOf(ctx context.Context, b launch.Backend, c kda.Case) adjointResult {
	r := adjointResult{c: c}
	want, err := oracle(c)
	if err != nil {
		r.err = err
		return r
	}
	r.err = r.run(ctx, b, want)
	return r
}

// run runs the fused path in two orders of threads, and holds it against a reference.
func (r *adjointResult) run(ctx context.Context, b launch.Backend, want reference) error {
	job := fused.Fused(want.problem)
	first, err := r.once(ctx, b, job)
	if err != nil {
		return err
	}
	job.Order = r.c.Seed | 1 // 0 is the order of the first
	second, err := r.once(ctx, b, job)
	if err != nil {
		return err
	}
	r.differ = differing(r.c.Name, job, first, second)
	out, grad, err := fused.Read(want.problem, first)
	if err != nil {
		return err
	}
	r.reports, err = want.compare(&out, &grad)
	return err
}

// once runs a job. What a finding stopped has no results.
func (r *adjointResult) once(ctx context.Context, b launch.Backend, job launch.Job) (launch.Result, error) {
	result, err := b.Run(ctx, job)
	if err != nil {
		return result, err
	}
	r.ran.add(result)
	r.findings = append(r.findings, result.Findings...)
	if result.Buffers == nil {
		return result, fmt.Errorf("the job did not come to its end: %s", findingsText(result.Findings))
	}
	return result, nil
}
