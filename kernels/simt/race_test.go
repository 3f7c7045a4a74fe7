package simt_test

import (
	"fmt"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// shape is a launch of testdata with buffers that fit it.
type shape struct {
	kernel          string
	blocks, threads int
	scratch         int // elements; 0: no such argument
	out             int // elements; 0: as many as threads in all; below 0: no such argument
	args            []launch.Arg
}

// job makes the arguments in the order scratch, out, args.
func (s shape) job(order uint64) launch.Job {
	l := launch.Launch{
		Kernel: s.kernel, Phase: "test", Grid: [3]int{s.blocks, 1, 1}, Block: [3]int{s.threads, 1, 1}, Shared: 4 * s.threads,
	}
	job := launch.Job{Order: order}
	if s.scratch > 0 {
		job.Buffers = append(job.Buffers, launch.Buffer{Name: "scratch", Count: s.scratch, Role: launch.Scratch})
		l.Args = append(l.Args, launch.Of("scratch"))
	}
	if s.out >= 0 {
		if s.out == 0 {
			s.out = s.blocks * s.threads
		}
		job.Buffers = append(job.Buffers, launch.Buffer{Name: "out", Count: s.out, Role: launch.Output})
		l.Args = append(l.Args, launch.Of("out"))
	}
	l.Args = append(l.Args, s.args...)
	job.Launches = []launch.Launch{l}
	return job
}

func TestRace(t *testing.T) {
	for _, c := range []struct {
		shape
		line, other int // 0: no race
		memory      string
		blocks      bool // the threads are of two blocks
	}{
		{shape{kernel: "no_barrier", blocks: 1, threads: 64}, 7, 8, "shared+4", false},
		{shape: shape{kernel: "with_barrier", blocks: 3, threads: 64}},
		{shape{kernel: "accumulate", blocks: 1, threads: 64, out: 1}, 23, 23, "total+0", false},
		{shape{kernel: "blocks_write", blocks: 3, threads: 64, scratch: 200, out: -1}, 31, 31, "scratch[63]", true},
		{shape{kernel: "blocks_read", blocks: 3, threads: 64, scratch: 192}, 35, 36, "scratch[64]", true},
		{shape: shape{kernel: "blocks_apart", blocks: 3, threads: 64, scratch: 192}},
		{shape{kernel: "plain_pointer", blocks: 1, threads: 64}, 46, 49, "tile+4", false},
		{shape{kernel: "warp_unsynced", blocks: 1, threads: 64}, 61, 63, "shared+4", false},
		{shape: shape{kernel: "warp_synced", blocks: 2, threads: 64}},
		{shape: shape{kernel: "halves", blocks: 1, threads: 64, args: []launch.Arg{launch.I(1)}}},
		{shape{kernel: "halves", blocks: 1, threads: 64, args: []launch.Arg{launch.I(16)}}, 77, 79, "shared+64", false},
	} {
		t.Run(fmt.Sprint(c.kernel, c.args), func(t *testing.T) {
			for _, cxx := range everyCompiler(t) {
				r := run(t, built(t, cxx, simt.Check, "race.cu"), c.job(0))
				if c.line == 0 {
					none(t, r)
					continue
				}
				f := only(t, r, launch.Race)
				if f.File != "race.cu" || f.Other.File != "race.cu" || !isPair(f.Line, f.Other.Line, c.line, c.other) {
					t.Errorf("%s: at %s:%d and %s:%d, want race.cu:%d and %d: %s", cxx, f.File, f.Line, f.Other.File, f.Other.Line, c.line, c.other, f.Text)
				}
				if len(f.Threads) != 2 || (f.Block == f.Other.Block && f.Threads[0] == f.Threads[1]) {
					t.Errorf("%s: not of two threads: %s", cxx, f.Text)
				}
				if f.Kernel != c.kernel || f.Memory != c.memory || (f.Block != f.Other.Block) != c.blocks {
					t.Errorf("%s: want a race of kernel %s on %s: %s", cxx, c.kernel, c.memory, f.Text)
				}
			}
		})
	}
}

func isPair(a, b, x, y int) bool { return a == x && b == y || a == y && b == x }

// only is the finding of that kind, which must be there, and no other race.
func only(t *testing.T, r launch.Result, kind launch.Kind) launch.Finding {
	t.Helper()
	var found *launch.Finding
	for _, f := range r.Findings {
		if f.Kind == kind && found == nil {
			found = &f
		}
	}
	if found == nil {
		t.Fatalf("no %s was found; findings: %v", kind, r.Findings)
	}
	return *found
}

// A race is a race in every order of threads, whatever it computes.
func TestRaceIsFoundInEveryOrder(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Check, "race.cu")
	for order := range uint64(8) {
		r := run(t, p, shape{kernel: "no_barrier", blocks: 2, threads: 64}.job(order))
		if !r.Found(launch.Race) {
			t.Errorf("order %d: no race", order)
		}
		none(t, run(t, p, shape{kernel: "with_barrier", blocks: 2, threads: 64}.job(order)))
	}
}

// The order changes what a racy kernel computes and nothing of what a right one does.
func TestOrderShowsRaceInResult(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Plain, "race.cu")
	first := run(t, p, shape{kernel: "with_barrier", blocks: 4, threads: 64}.job(0))
	racy := map[string]bool{}
	for order := range uint64(6) {
		equal(t, run(t, p, shape{kernel: "with_barrier", blocks: 4, threads: 64}.job(order)), "out", first.Buffers["out"])
		r := run(t, p, shape{kernel: "no_barrier", blocks: 1, threads: 64}.job(order))
		again := run(t, p, shape{kernel: "no_barrier", blocks: 1, threads: 64}.job(order))
		equal(t, again, "out", r.Buffers["out"])
		racy[fmt.Sprint(r.Buffers["out"])] = true
	}
	if len(racy) < 5 {
		t.Errorf("six orders gave %d different results of a racy kernel", len(racy))
	}
}
