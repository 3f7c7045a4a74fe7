package fused_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// TestFastPlan: which shapes the fast kernels have, and what is launched over what.
func TestFastPlan(t *testing.T) {
	shape := kda.Shape{B: 2, H: 3, T: 40, K: 64, V: 128, C: 16}
	for _, other := range []func(*kda.Shape){
		func(s *kda.Shape) { s.K = 128 },
		func(s *kda.Shape) { s.V = 96 },
		func(s *kda.Shape) { s.C = 32 },
	} {
		s := shape
		if other(&s); fused.Fast(s) || !fused.Fast(shape) {
			t.Errorf("fast kernels for %+v: %t, for %+v: %t", s, fused.Fast(s), shape, fused.Fast(shape))
		}
	}
	job := fused.Fused(made(t, kda.Case{Family: kda.Mild, Shape: shape}))
	if err := job.Check(); err != nil {
		t.Error(err)
	}
	var got []launch.Launch
	for _, l := range job.Launches {
		l.Args = nil
		got = append(got, l)
	}
	want := []launch.Launch{
		{Kernel: "kda_fast_forward", Phase: "forward", Grid: [3]int{2, 6, 1}, Block: [3]int{512, 1, 1}, Shared: 90112},
		{Kernel: "kda_fast_bk2", Phase: "backward", Grid: [3]int{4, 6, 1}, Block: [3]int{128, 1, 1}, Shared: 42496},
		{Kernel: "kda_fast_bk1", Phase: "backward", Grid: [3]int{3, 6, 1}, Block: [3]int{128, 1, 1}, Shared: 55296},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("launches (-want +got):\n%s", diff)
	}
}

// TestFastForgettingRows: [TestForgettingRows] for the fast kernels, which take decays
// between rows apart.
func TestFastForgettingRows(t *testing.T) {
	host := program(t, cuda, simt.Plain)
	for _, g := range []float64{-90, -3e38} {
		c := kda.Case{Family: kda.Mild, Shape: kda.Shape{B: 1, H: 2, T: 45, K: 64, V: 64, C: 16}, Seed: 7}
		forgetting := func(g float64) *kda.Problem {
			p, err := c.Problem()
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(p.In.G.Data); i += 7 {
				p.In.G.Data[i] = g
			}
			return fused.Rounded(p)
		}
		p := forgetting(g)
		want := oracle(t, forgetting(max(g, fused.Floor)))
		for _, report := range compared(t, p, simttest.Run(t, host, fused.Fused(p)), want) {
			if !report.Within(bar(kda.VeryStrong)) {
				t.Errorf("g of %g: %v", g, report)
			}
		}
	}
}
