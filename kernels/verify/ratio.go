package verify

import (
	"context"
	"fmt"
	"math"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
)

const (
	// ratioSeeds is how many problems of a family the two paths are compared on.
	ratioSeeds = 20
	// ratioBar is the figure of the kernels' design: fusing may cost half as much
	// rounding again as the chain of small kernels has.
	ratioBar = 1.5
	// ratioLeast is half of what fusing saves: 0.87 to 1.07 were measured. What is far
	// below was not won by fusing but lost by the ops path.
	ratioLeast = 0.5
)

// ratioName is the metric of the fused path's root mean square error over that of the
// ops path.
const ratioName = "rms-ratio"

// opsRelName is the largest difference of the ops path in a family. It has the bars of
// the fused path: a baseline that is wrong itself would let everything pass.
func opsRelName(f kda.Family) string { return "ops-" + relName(f) }

// ratioBars are the bars of both.
func ratioBars() []Bar {
	bars := []Bar{{ratioName, ratioLeast, ratioBar}}
	for _, b := range relBars() {
		bars = append(bars, atMost("ops-"+b.Metric, b.Max))
	}
	return append(bars, atMost(findingsName, 0))
}

func ratioCheck() Check {
	return Check{
		Name:     "fused-vs-ops",
		About:    "root mean square error of the fused path over that of a chain of small kernels, over 20 seeds and the fast shape",
		Programs: []Program{fusedProgram(Numbers), opsProgram()},
		Bars:     ratioBars(),
		cases:    kdaNames(ratioCases),
		run:      ratio,
	}
}

// ratioCases are the seeds of each family, two chunks of 16 rows and a tail, and one case of
// the shape that has fused kernels of its own.
func ratioCases() (list []kda.Case) {
	for _, f := range families() {
		for i := range ratioSeeds {
			list = append(list, kda.Case{Name: fmt.Sprintf("%s-seed-%d", f, i), Family: f, Shape: shape(39, 24, 16, 16)})
		}
		list = append(list, kda.Case{Name: string(f) + "-fast", Family: f, Shape: shape(40, 64, 64, 16)})
	}
	return list
}

// ratioResult is what came of one case, by tensor in the order in which reports come.
type ratioResult struct {
	c          kda.Case
	fused, ops []sums
	ran        launched
	findings   []launch.Finding
	err        error
}

// sums are over the elements of one tensor.
type sums struct {
	elements, nans     int
	squares, reference float64 // of differences, and of the reference
	worst              kda.Report
}

func (s *sums) add(o sums) {
	if s.elements == 0 || worse(Real(o.worst.MaxRel), Real(s.worst.MaxRel)) {
		s.worst = o.worst
	}
	s.elements, s.nans = s.elements+o.elements, s.nans+o.nans
	s.squares, s.reference = s.squares+o.squares, s.reference+o.reference
}

func ratio(ctx context.Context, s *session) (Report, error) {
	cases := s.pick(ratioCases())
	own, ops := s.program(fusedProgram(Numbers)), s.program(opsProgram())
	results, err := each(ctx, s.Jobs, cases, caseCost, func(ctx context.Context, c kda.Case) ratioResult {
		r := ratioResult{c: c}
		r.err = r.run(ctx, own, ops)
		return r
	})
	if err != nil {
		return Report{}, err
	}
	return ratioReport(results, s.sight), nil
}

// run runs both paths on one problem.
func (r *ratioResult) run(ctx context.Context, own, ops launch.Backend) error {
	want, err := oracle(r.c)
	if err != nil {
		return err
	}
	if r.fused, err = r.path(ctx, own, fused.Fused(want.problem), want); err != nil {
		return fmt.Errorf("fused path: %w", err)
	}
	if r.ops, err = r.path(ctx, ops, fused.Ops(want.problem), want); err != nil {
		return fmt.Errorf("ops path: %w", err)
	}
	return nil
}

// path runs one of them.
func (r *ratioResult) path(ctx context.Context, b launch.Backend, job launch.Job, want reference) ([]sums, error) {
	result, err := b.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	r.ran.add(result)
	r.findings = append(r.findings, result.Findings...)
	if result.Buffers == nil {
		return nil, fmt.Errorf("the job did not come to its end: %s", findingsText(result.Findings))
	}
	out, grad, err := fused.Read(want.problem, result)
	if err != nil {
		return nil, err
	}
	reports, err := want.compare(&out, &grad)
	if err != nil {
		return nil, err
	}
	got, reference := values(&out, &grad), values(want.out, want.grad)
	var list []sums
	for i, report := range reports {
		list = append(list, sumOf(report, got[i], reference[i]))
	}
	return list, nil
}

// values are the tensors in the order in which reports come.
func values(out *kda.Output, grad *kda.Leaves) [][]float64 {
	list := [][]float64{out.Out.Data, out.Final.Data}
	for _, t := range grad.Terms() {
		list = append(list, t.Tensor.Data)
	}
	return list
}

func sumOf(report kda.Report, got, want []float64) sums {
	s := sums{elements: report.Compared, nans: report.NaNs, worst: report}
	for i, w := range want {
		s.squares += (got[i] - w) * (got[i] - w)
		s.reference += w * w
	}
	return s
}

// root is a root mean square over another, both of as many elements.
func root(squares, of float64) float64 { return math.Sqrt(squares / of) }
