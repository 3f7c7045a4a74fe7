package simt_test

import (
	"testing"

	"gpuci/kernels/launch"
)

func TestSum(t *testing.T) {
	for _, cxx := range compilers(t) {
		for _, mode := range modes {
			t.Run(cxx+"/"+string(mode), func(t *testing.T) {
				p := built(t, cxx, mode, "sum.cu")
				for _, kernel := range []string{"sum_shared", "sum_shuffle"} {
					for _, order := range []uint64{0, 1, 7} {
						testSum(t, p, kernel, order)
					}
				}
			})
		}
	}
}

func testSum(t *testing.T, p launch.Backend, kernel string, order uint64) {
	t.Helper()
	const n, blocks = 1000, 4
	x := make([]float32, n)
	want := make([]float32, blocks)
	for i := range x {
		x[i] = float32(i)
		want[i/256] += x[i] // whole numbers below 2^24: the same in any order
	}
	r := run(t, p, launch.Job{
		Order:   order,
		Buffers: []launch.Buffer{{Name: "x", Count: n, Data: x, Role: launch.Input}, {Name: "out", Count: blocks, Role: launch.Output}},
		Launches: []launch.Launch{{
			Kernel: kernel, Phase: "sum", Grid: [3]int{blocks, 1, 1}, Block: [3]int{256, 1, 1}, Shared: 1024,
			Args: []launch.Arg{launch.Of("x"), launch.Of("out"), launch.I(n)},
		}},
	})
	none(t, r)
	equal(t, r, "out", want)
}
