package fused_test

import (
	"fmt"
	"math"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// instrumentCases reach every branch of the kernels: tails, one row, more than one tile
// of value channels with a tail of its own, several passes over the block's threads.
func instrumentCases() []kda.Case {
	return []kda.Case{
		{Name: "tiles", Family: kda.Mild, Shape: kda.Shape{B: 2, H: 2, T: 41, K: 20, V: 40, C: 16}, Seed: 1},
		{Name: "wide-keys", Family: kda.Strong, Shape: kda.Shape{B: 1, H: 2, T: 64, K: 37, V: 12, C: 32}, Seed: 2},
		{Name: "one-row", Family: kda.Moderate, Shape: kda.Shape{B: 2, H: 2, T: 1, K: 5, V: 3, C: 16}, Seed: 3},
		{Name: "model", Family: kda.Mild, Shape: kda.Shape{B: 1, H: 2, T: 65, K: 128, V: 100, C: 64}, Seed: 5},
		{Name: "large-chunk", Family: kda.VeryStrong, Shape: kda.Shape{B: 1, H: 2, T: 70, K: 12, V: 33, C: 64}, Seed: 4},
		{Name: "fast", Family: kda.Moderate, Shape: kda.Shape{B: 1, H: 2, T: 37, K: 64, V: 128, C: 16}, Seed: 6},
		{Name: "fast-row", Family: kda.VeryStrong, Shape: kda.Shape{B: 2, H: 1, T: 1, K: 64, V: 64, C: 16}, Seed: 7},
	}
}

// TestInstruments: no access is out of bounds, no read comes before a write, no word is
// shared by two threads that no barrier orders, and no output is written twice.
func TestInstruments(t *testing.T) {
	for _, mode := range []simt.Mode{simt.Address, simt.Check} {
		t.Run(string(mode), func(t *testing.T) {
			host := program(t, cuda, mode)
			for _, c := range instrumentCases() {
				for _, order := range []uint64{0, 11} {
					t.Run(fmt.Sprintf("%s/%d", c.Name, order), func(t *testing.T) {
						p := made(t, c)
						job := fused.Fused(p)
						job.Order = order
						r := simttest.Run(t, host, job)
						clean(t, r)
						for _, report := range compared(t, p, r, oracle(t, p)) {
							if !report.Within(bar(c.Family)) {
								t.Errorf("over %g: %v", bar(c.Family), report)
							}
						}
					})
				}
			}
		})
	}
}

// TestOrder: whatever the order in which the threads run between two barriers, and the
// blocks of a launch, every bit of every buffer is the same.
func TestOrder(t *testing.T) {
	host := program(t, cuda, simt.Plain)
	for _, c := range instrumentCases() {
		t.Run(c.Name, func(t *testing.T) {
			job := fused.Fused(made(t, c))
			first := simttest.Run(t, host, job)
			for _, order := range []uint64{0, 1, 2, 3, 4, 5} {
				job.Order = order
				again := simttest.Run(t, host, job)
				if len(again.Buffers) != len(first.Buffers) || len(first.Buffers) < 19 {
					t.Fatalf("order %d: %d buffers, %d before", order, len(again.Buffers), len(first.Buffers))
				}
				for name, want := range first.Buffers {
					if at := differs(again.Buffers[name], want); at >= 0 {
						t.Errorf("order %d: %s[%d] is %v, in ascending order %v", order, name, at, again.Buffers[name][at], want[at])
					}
				}
			}
		})
	}
}

// differs is the first place where two buffers are not the same bits, -1 if nowhere.
func differs(got, want []float32) int {
	for i := range want {
		if i >= len(got) || math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			return i
		}
	}
	return -1
}
