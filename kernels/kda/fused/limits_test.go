package fused_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// TestFits: a shape that cannot be launched is refused with the reason, before a plan of
// it is; what is just within is a job that may run.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		shape kda.Shape
		want  string
	}{
		{kda.Shape{B: 1, H: 65535, T: 1, K: 1, V: 1, C: 1}, ""},
		{kda.Shape{B: 5, H: 13107, T: 1, K: 1, V: 1, C: 1}, ""},
		{kda.Shape{B: 1, H: 65536, T: 1, K: 1, V: 1, C: 1}, "65535 heads"},
		{kda.Shape{B: 256, H: 256, T: 1, K: 1, V: 1, C: 1}, "65535 heads"},
		{kda.Shape{B: 1 << 62, H: 4, T: 1, K: 1, V: 1, C: 1}, "65535 heads"},
		{kda.Shape{B: 1, H: 1, T: 1 << 31, K: 1, V: 1, C: 1}, "counts in an int"},
		{kda.Shape{B: 1, H: 1, T: 1 << 28, K: 8, V: 1, C: 1}, "counts in an int"},
		{kda.Shape{B: 1, H: 1, T: 1, K: 1, V: 1, C: 1 << 40}, "counts in an int"},
		{kda.Shape{B: 1, H: 1, T: 1, K: 1, V: 1, C: 1 << 15}, "shared memory"},
	} {
		err := fused.Fits(c.shape)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.shape, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: error %v, want one with %q", c.shape, err, c.want)
		case c.want == "":
			job := fused.Fused(made(t, kda.Case{Family: kda.Mild, Shape: c.shape}))
			if err := job.Check(); err != nil {
				t.Errorf("%+v fits and cannot run: %v", c.shape, err)
			}
		}
	}
}

// forgetful is a mild problem in which every n-th element of g is one that forgets all.
func forgetful(t *testing.T, n int, g float64) *kda.Problem {
	t.Helper()
	c := kda.Case{Family: kda.Mild, Shape: kda.Shape{B: 1, H: 2, T: 75, K: 20, V: 12, C: 64}, Seed: 7}
	p, err := c.Problem()
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.In.G.Data {
		if i%n == 0 {
			p.In.G.Data[i] = g
		}
	}
	return fused.Rounded(p)
}

// TestForgettingRows: a row that forgets all leaves the rows behind it as they are,
// however large its log decay, by both paths.
func TestForgettingRows(t *testing.T) {
	host := program(t, cuda, simt.Plain, "kda_ops.cu")
	for _, g := range []float64{-90, -1000, -1e6, -3e38} {
		p := forgetful(t, 7, g)
		if err := fused.Holds(p); err != nil {
			t.Error(err)
		}
		// In float64, too, -3e38 would leave nothing of the rows behind.
		want := oracle(t, forgetful(t, 7, max(g, fused.Floor)))
		for name, job := range map[string]launch.Job{"fused": fused.Fused(p), "ops": fused.Ops(p)} {
			for _, report := range compared(t, p, simttest.Run(t, host, job), want) {
				if !report.Within(bar(kda.VeryStrong)) {
					t.Errorf("%s, g of %g: %v", name, g, report)
				}
			}
		}
	}
}

// TestHolds: what all families make holds; too many such rows in a chunk do not, and
// are told with the place.
func TestHolds(t *testing.T) {
	for _, c := range append(kda.Cases(), modelCases()...) {
		if err := fused.Holds(made(t, c)); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	err := fused.Holds(forgetful(t, 3, -1e6))
	if err == nil {
		t.Fatal("a third of the rows forgets all, and that holds")
	}
	for _, part := range []string{"of head 0, channel", "smaller chunks"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	p := forgetful(t, 3, -1e6)
	p.C = 16
	if err := fused.Holds(p); err != nil {
		t.Errorf("in chunks of 16: %v", err)
	}
}

// TestOneElement: with one channel and one row nearly all of d_g may cancel, q*dq against
// k*dk and b*db, and float32 leaves a few roundings of those, whatever is left. Beyond
// that no seed is over the bar.
func TestOneElement(t *testing.T) {
	host := program(t, cuda, simt.Plain, "kda_ops.cu")
	cancelled := 0
	for _, f := range families() {
		if os.Getenv("GPUCI_SOAK") != "1" && f != kda.VeryStrong {
			continue // the family in which it happens
		}
		for seed := range uint64(40) {
			p := made(t, kda.Case{Family: f, Shape: kda.Shape{B: 1, H: 1, T: 1, K: 1, V: 1, C: 16}, Seed: seed})
			want := oracle(t, p)
			for _, report := range compared(t, p, simttest.Run(t, host, fused.Fused(p)), want) {
				rounding := 0.0
				if report.Term == "d_g" {
					rounding = fused.Cancelled * magnitude(p, &want.grad)
				}
				off := math.Abs(report.Got - report.Want)
				if !(off <= max(bar(f)*report.Scale, rounding)) || report.NaNs > 0 {
					t.Errorf("%s, seed %d, over %g: %v", f, seed, bar(f), report)
				}
				if off > bar(f)*report.Scale {
					cancelled++
				}
			}
		}
	}
	if cancelled == 0 || cancelled > 8 {
		t.Errorf("d_g cancels in %d of 160; 4 are known", cancelled)
	}
}

// magnitude is that of the terms of d_g of one element.
func magnitude(p *kda.Problem, grad *kda.Leaves) float64 {
	q, k, b := p.In.Q.Data[0]*grad.Q.Data[0], p.In.K.Data[0]*grad.K.Data[0], p.In.B.Data[0]*grad.B.Data[0]
	return math.Abs(q) + math.Abs(k) + math.Abs(b)
}
