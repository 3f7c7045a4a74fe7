package simt_test

import (
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

func TestBarrier(t *testing.T) {
	three := []launch.Arg{launch.I(3)}
	for _, c := range []struct {
		shape
		kind        launch.Kind // "": nothing
		line, other int
		text        string
	}{
		{shape{kernel: "two_barriers", blocks: 1, threads: 64}, launch.DivergentBarrier, 8, 10, "of block (0,0,0)"},
		{shape{kernel: "uneven_loop", blocks: 2, threads: 4}, launch.DivergentBarrier, 25, 26, ""},
		{shape{kernel: "crossed", blocks: 1, threads: 32}, launch.Deadlock, 36, 34, "shuffle at barrier.cu:34 by thread (1,0,0) and 30 more"},
		{shape{kernel: "not_named", blocks: 1, threads: 32}, launch.DivergentBarrier, 43, 0, "syncwarp"},
		{shape: shape{kernel: "early", blocks: 1, threads: 64, out: 33, args: []launch.Arg{launch.I(33)}}},
		{shape: shape{kernel: "unrolled", blocks: 2, threads: 32, out: 32, args: three}},
		{shape: shape{kernel: "unrolled", blocks: 1, threads: 1, args: three}},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			if c.kernel == "unrolled" {
				c.blocks = 1
			}
			for _, cxx := range compilers(t) {
				for _, mode := range modes {
					for order := range uint64(3) {
						r := run(t, built(t, cxx, mode, "barrier.cu"), c.job(order))
						if c.kind == "" {
							none(t, r)
							continue
						}
						f := only(t, r, c.kind)
						if !isPair(f.Line, f.Other.Line, c.line, c.other) || f.Kernel != c.kernel {
							t.Errorf("%s, %s: want lines %d and %d: %s", cxx, mode, c.line, c.other, f.Text)
						}
						if order == 0 && !strings.Contains(f.Text, c.text) {
							t.Errorf("%s, %s: want %q: %s", cxx, mode, c.text, f.Text)
						}
						if (r.Buffers == nil) != (c.kind == launch.Deadlock) {
							t.Errorf("%s, %s: buffers %v after %s", cxx, mode, r.Buffers, c.kind)
						}
					}
				}
			}
		})
	}
}

// Two calls of a function that waits are two barriers, though the line is one. The check
// build knows by which calls a thread came, the others only the address.
func TestBarrierOfTwoCallers(t *testing.T) {
	for _, mode := range modes {
		for _, cxx := range compilers(t) {
			r := run(t, built(t, cxx, mode, "barrier.cu"), shape{kernel: "one_function", blocks: 1, threads: 64}.job(0))
			if mode != simt.Check {
				none(t, r)
				continue
			}
			if f := only(t, r, launch.DivergentBarrier); f.Line != 16 || f.Other.Line != 16 || f.Count != 32 {
				t.Errorf("%s: want line 16 twice, 32 times: %s", cxx, f.Text)
			}
		}
	}
}
