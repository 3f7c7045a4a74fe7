package kda

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// The bars of the oracle, relative to the largest element of a tensor. The
// first two are float64 rounding with room; the third is that of central
// differences.
const (
	fwdBar = 1e-13
	adBar  = 1e-12
	fdBar  = 1e-7
)

// TestOracle judges every case: the chunk form's output and final state
// against the sequential form, and its hand-derived adjoint against forward
// derivatives and central differences of the sequential form. Each number is
// printed as a metric line, and the run as one line of coverage.
func TestOracle(t *testing.T) {
	var tally tally
	cases := Cases()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			j := judge{t: t, c: c, tally: &tally}
			j.run()
			if !t.Failed() {
				tally.passed++
			}
		})
	}
	fmt.Printf("kda-oracle cases=%d/%d compared=%d nan=%d\n", tally.passed, len(cases), tally.compared, tally.nans)
	if tally.compared == 0 {
		t.Error("nothing was compared")
	}
}

// tally counts over all cases of a run.
type tally struct {
	passed, compared, nans int
}

// judge runs one case and prints what it finds.
type judge struct {
	t     *testing.T
	c     Case
	tally *tally
}

func (j *judge) run() {
	p := must(j.c.Problem())(j.t)
	f := must(ChunkForward(p))(j.t)
	b := must(ChunkBackward(p, f))(j.t)
	reports := must(CompareOutput(&f.Output, must(Sequential(p))(j.t)))(j.t)
	j.report("fwd-rel", fwdBar, reports)
	if j.c.Directions > 0 {
		j.directions(p, &b.Grad)
		return
	}
	ctx := context.Background()
	ad := must(Gradient(ctx, p))(j.t)
	j.report("ad-rel", adBar, must(CompareGradients(p, &b.Grad, ad))(j.t))
	fd := must(Differences(ctx, p))(j.t)
	j.report("fd-rel", fdBar, must(CompareGradients(p, &b.Grad, fd))(j.t))
}

// directions judges a gradient by its inner products with random directions.
func (j *judge) directions(p *Problem, grad *Leaves) {
	var ad, fd []Report
	for i, term := range grad.Terms() {
		for n := range j.c.Directions {
			along := Direction(p.Shape, term.Name, j.c.Seed+uint64(n))
			got, magnitude := inner(*term.Tensor, *along.Terms()[i].Tensor)
			name := "d_" + term.Name
			ad = append(ad, slope(name, got, must(Directional(p, along))(j.t), magnitude))
			fd = append(fd, slope(name, got, must(DirectionalDifference(p, along))(j.t), magnitude))
		}
	}
	j.report("ad-rel", adBar, ad)
	j.report("fd-rel", fdBar, fd)
}

// slope compares one directional derivative. Its scale is the sum of
// magnitudes of the inner product that it is, since the sum itself can be
// anything down to zero.
func slope(term string, got, want, magnitude float64) Report {
	r := Report{Term: term, Compared: 1, Got: got, Want: want, Scale: magnitude}
	r.MaxRel = math.Abs(got-want) / magnitude
	if !finite(r.MaxRel) {
		r.NaNs = 1
	}
	return r
}

// report prints a metric line for each tensor and fails the case where one
// crosses the bar.
func (j *judge) report(metric string, bar float64, reports []Report) {
	j.t.Helper()
	if len(reports) == 0 {
		j.t.Errorf("%s: nothing was compared", metric)
	}
	for _, r := range reports {
		fmt.Printf("gpuci:metric name=%s value=%.3g case=%s term=%s\n", metric, r.MaxRel, j.c.Name, r.Term)
		j.tally.compared += r.Compared
		j.tally.nans += r.NaNs
		if !r.Within(bar) {
			j.t.Errorf("%s over %g: %v", metric, bar, r)
		}
	}
}

// inner is <a, b> and the sum of magnitudes of its terms.
func inner(a, b Tensor) (sum, magnitude float64) {
	for i, x := range a.Data {
		sum += x * b.Data[i]
		magnitude += math.Abs(x * b.Data[i])
	}
	return sum, magnitude
}

// must gives the value of a call, or ends the test with its error.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
