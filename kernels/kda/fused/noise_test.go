package fused_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// noiseSeeds is how many problems of each family the rounding errors are taken over.
func noiseSeeds() uint64 {
	if os.Getenv("GPUCI_SOAK") == "1" {
		return 20
	}
	return 3
}

// TestNoise: fusing costs no precision. In every family, over the seeds and for each
// tensor, the fused path's RMS error is at most 1.5 times that of the ops path.
func TestNoise(t *testing.T) {
	host := program(t, cuda, simt.Plain, "kda_ops.cu")
	for i, f := range append(families(), families()...) {
		shape := kda.Shape{B: 1, H: 2, T: 75, K: 24, V: 40, C: 32}
		if i >= len(families()) {
			shape = kda.Shape{B: 1, H: 2, T: 55, K: 64, V: 64, C: 16} // of the fast kernels
		}
		t.Run(fmt.Sprintf("%s-%d", f, shape.K), func(t *testing.T) {
			ours, theirs := map[string]float64{}, map[string]float64{}
			for seed := range noiseSeeds() {
				p := made(t, kda.Case{Family: f, Shape: shape, Seed: seed + 100})
				want := oracle(t, p)
				addSquares(t, ours, p, simttest.Run(t, host, fused.Fused(p)), want)
				addSquares(t, theirs, p, simttest.Run(t, host, fused.Ops(p)), want)
			}
			for _, term := range slices.Sorted(maps.Keys(ours)) {
				ratio := math.Sqrt(ours[term] / theirs[term])
				t.Logf("%-7s fused %.3g, ops %.3g: %.2f times", term, rms(ours[term]), rms(theirs[term]), ratio)
				if !(ratio <= 1.5) {
					t.Errorf("%s: %.2f times the RMS error of the ops path, want at most 1.5", term, ratio)
				}
			}
		})
	}
}

// addSquares adds the square of each tensor's RMS error.
func addSquares(t *testing.T, to map[string]float64, p *kda.Problem, r launch.Result, want results) {
	t.Helper()
	reports := compared(t, p, r, want)
	if len(reports) != 9 {
		t.Fatalf("%d tensors compared, want out, state and seven gradients", len(reports))
	}
	for _, report := range reports {
		to[report.Term] += report.RMSRel * report.RMSRel
	}
}

func rms(squares float64) float64 { return math.Sqrt(squares / float64(noiseSeeds())) }
