package simt_test

import (
	"fmt"
	"testing"

	"gpuci/kernels/launch"
)

// rights are the launches of right.cu: what they compute must be the same in every
// mode, order and compiler, and nobody may accuse them. Where want is nil, the plain
// build of the first compiler says what is right.
func rights() map[string]struct {
	job  launch.Job
	want []float32
} {
	rounds := []launch.Arg{launch.I(5)}
	all := map[string]struct {
		job  launch.Job
		want []float32
	}{}
	add := func(name string, job launch.Job, want []float32) {
		all[name] = struct {
			job  launch.Job
			want []float32
		}{job, want}
	}
	input := func(s shape, n int) launch.Job {
		job := s.job(0)
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(i + 1)
		}
		job.Buffers = append(job.Buffers, launch.Buffer{Name: "x", Count: n, Data: data, Role: launch.Input})
		job.Launches[0].Args = append([]launch.Arg{launch.Of("x")}, job.Launches[0].Args...)
		return job
	}
	add("same_input", input(shape{kernel: "same_input", blocks: 2, threads: 4}, 2), []float32{3, 4, 5, 6, 3, 4, 5, 6})
	vectors := input(shape{kernel: "vectors", blocks: 1, threads: 2, out: 8}, 8)
	vectors.Launches[0].Shared = 32
	add("vectors", vectors, []float32{8, 7, 6, 5, 4, 3, 2, 1})
	add("returned", shape{kernel: "returned", blocks: 1, threads: 2, out: 16}.job(0), []float32{1, 2, 3, 4, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2, 3})
	add("local_array", shape{kernel: "local_array", blocks: 1, threads: 3}.job(0), []float32{120, 136, 152})
	add("copies", shape{kernel: "copies", blocks: 1, threads: 32, out: 32 * 24}.job(0), nil)
	add("struct_to_global", shape{kernel: "struct_to_global", blocks: 1, threads: 32, out: 32 * 24}.job(0), nil)
	add("double_buffer", shape{kernel: "double_buffer", blocks: 1, threads: 8, args: rounds}.job(0), nil)
	add("conditional", shape{kernel: "conditional", blocks: 1, threads: 4, args: rounds}.job(0), []float32{4, 12, 0, 0})
	add("bytes", shape{kernel: "bytes", blocks: 1, threads: 64}.job(0), nil)
	add("own_global", shape{kernel: "own_global", blocks: 3, threads: 4, scratch: 12}.job(0), []float32{1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0})
	add("with_volatile", shape{kernel: "with_volatile", blocks: 1, threads: 64}.job(0), nil)
	add("warps", shape{kernel: "warps", blocks: 1, threads: 64}.job(0), nil)
	dimensions := shape{kernel: "dimensions", blocks: 1, threads: 1, out: 720}.job(0)
	dimensions.Launches[0].Grid, dimensions.Launches[0].Block = [3]int{3, 2, 2}, [3]int{5, 4, 3}
	add("dimensions", dimensions, nil)
	largest := shape{kernel: "largest", blocks: 1, threads: 1024, args: []launch.Arg{launch.I(227 << 8)}}.job(0)
	largest.Launches[0].Shared = 227 << 10
	add("largest", largest, nil)
	return all
}

func TestRightKernelsAreNotAccused(t *testing.T) {
	want := map[string][]float32{}
	for _, cxx := range compilers(t) {
		for _, mode := range modes {
			p := built(t, cxx, mode, "right.cu")
			for name, c := range rights() {
				t.Run(fmt.Sprintf("%s/%s/%s", cxx, mode, name), func(t *testing.T) {
					for _, order := range []uint64{0, 1, 2, 1 << 63} {
						c.job.Order = order
						r := run(t, p, c.job)
						none(t, r)
						if c.want == nil && want[name] == nil {
							want[name] = r.Buffers["out"]
						}
						if c.want == nil {
							c.want = want[name]
						}
						equal(t, r, "out", c.want)
					}
				})
			}
		}
	}
}

func TestDimensions(t *testing.T) {
	r := run(t, built(t, compilers(t)[0], "", "right.cu"), rights()["dimensions"].job)
	for i, got := range r.Buffers["out"] {
		thread, block := i%60, i/60
		want := thread%5 + 10*(thread/5%4) + 100*(thread/20) + 1000*(block%3) + 10000*(block/3%2) + 100000*(block/6)
		if got != float32(want) {
			t.Fatalf("out[%d] is %v, want %d", i, got, want)
		}
	}
}
