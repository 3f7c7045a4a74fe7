package fused_test

import (
	"fmt"
	"os"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// bar is how far float32 may be from the oracle: ten times the worst that was ever
// seen of a right kernel in the family, and no more, since a whole term can be missing
// below 1e-3.
func bar(f kda.Family) float64 {
	switch f {
	case kda.Mild, kda.Moderate:
		return 2e-5
	}
	return 2e-4
}

func families() []kda.Family {
	return []kda.Family{kda.Mild, kda.Moderate, kda.Strong, kda.VeryStrong}
}

// modelCases have the chunks and heads of models, two batches and two heads each: 1, 2,
// 4 and 16 chunks, tails of all lengths, K = V, K != V both ways, and 100 and 33
// channels, which no tile divides. GPUCI_SOAK=1 has them in all families, else each is in
// the mildest or in the strongest.
func modelCases() []kda.Case {
	var cases []kda.Case
	for n, f := range families() {
		for i, s := range []kda.Shape{
			{B: 2, H: 2, T: 64, K: 128, V: 128, C: 64},
			{B: 2, H: 2, T: 65, K: 64, V: 100, C: 64},
			{B: 2, H: 2, T: 31, K: 128, V: 64, C: 32},
			{B: 2, H: 2, T: 127, K: 33, V: 64, C: 32},
			{B: 2, H: 2, T: 64, K: 100, V: 3, C: 16},
			{B: 2, H: 2, T: 241, K: 20, V: 40, C: 16},
			{B: 2, H: 3, T: 1, K: 128, V: 128, C: 64},
			{B: 2, H: 2, T: 61, K: 64, V: 64, C: 16},
			{B: 2, H: 2, T: 250, K: 64, V: 64, C: 16},
			{B: 2, H: 3, T: 32, K: 64, V: 192, C: 16},
		} {
			if os.Getenv("GPUCI_SOAK") != "1" && n != i%2*3 {
				continue
			}
			name := fmt.Sprintf("%s/T%d-K%d-V%d-C%d", f, s.T, s.K, s.V, s.C)
			cases = append(cases, kda.Case{Name: name, Family: f, Shape: s, Seed: uint64(len(cases)) + 1})
		}
	}
	return cases
}

// TestFused holds the fused path against the oracle on every case that the oracle
// itself is judged on, and on shapes as models have them. Nothing may be left
// unwritten, and the numbers must come from one forward and two backward launches.
func TestFused(t *testing.T) {
	host := program(t, cuda, simt.Plain)
	worst := map[kda.Family]kda.Report{}
	for _, c := range append(kda.Cases(), modelCases()...) {
		t.Run(c.Name, func(t *testing.T) {
			if err := fused.Fits(c.Shape); err != nil {
				t.Fatal(err)
			}
			p := made(t, c)
			r := simttest.Run(t, host, fused.Fused(p))
			clean(t, r)
			if f, b := r.Launched(fused.Forward), r.Launched(fused.Backward); f != 1 || b != 2 {
				t.Errorf("%d forward and %d backward launches, want 1 and 2", f, b)
			}
			for _, report := range compared(t, p, r, oracle(t, p)) {
				if !report.Within(bar(c.Family)) {
					t.Errorf("over %g: %v", bar(c.Family), report)
				}
				if report.MaxRel > worst[c.Family].MaxRel {
					worst[c.Family] = report
				}
			}
		})
	}
	for _, f := range families() {
		t.Logf("%s: worst %v", f, worst[f])
	}
}
