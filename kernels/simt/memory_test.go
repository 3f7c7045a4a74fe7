package simt_test

import (
	"math"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

func TestMemory(t *testing.T) {
	rows := []launch.Arg{launch.I(1)}
	for _, c := range []struct {
		shape
		kind   launch.Kind
		line   int
		memory string
		thread int // the first, by x
		count  int
	}{
		{shape{kernel: "read_shared", blocks: 1, threads: 32}, launch.Uninitialised, 7, "shared+0", 0, 1},
		{shape{kernel: "read_static", blocks: 1, threads: 64}, launch.Uninitialised, 15, "second+12", 3, 1},
		{shape{kernel: "read_scratch", blocks: 1, threads: 32, scratch: 32}, launch.Uninitialised, 19, "scratch[0]", 0, 32},
		{shape{kernel: "read_left", blocks: 2, threads: 32}, launch.Uninitialised, 26, "shared+0", 0, 32},
		{shape{kernel: "row_beyond", blocks: 1, threads: 16, scratch: 16, args: rows}, launch.OutOfBounds, 33, "scratch[16]", 0, 16},
		{shape{kernel: "row_beyond_shared", blocks: 1, threads: 16, args: rows}, launch.OutOfBounds, 40, "shared+64", 0, 16},
		{shape{kernel: "write_before", blocks: 1, threads: 33, out: 32}, launch.OutOfBounds, 44, "out[-1]", 0, 1},
		{shape{kernel: "twice", blocks: 1, threads: 32}, launch.Rewritten, 55, "out[1]", 0, 32},
		{shape{kernel: "twice_at_once", blocks: 1, threads: 32}, launch.Rewritten, 61, "out[0]", 0, 32},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for _, cxx := range compilers(t) {
				f := only(t, run(t, built(t, cxx, simt.Check, "memory.cu"), c.job(0)), c.kind)
				if f.File != "memory.cu" || f.Line != c.line || f.Memory != c.memory || f.Kernel != c.kernel ||
					f.Threads[0] != [3]int{c.thread, 0, 0} || f.Count != c.count {
					t.Errorf("%s: want %s at line %d on %s by thread %d, %d times: %s", cxx, c.kind, c.line, c.memory, c.thread, c.count, f.Text)
				}
			}
		})
	}
}

// AddressSanitizer ends the job at the first access beyond, and that is the finding.
func TestAddress(t *testing.T) {
	rows := []launch.Arg{launch.I(1)}
	for _, c := range []struct {
		shape
		line   int
		memory string
	}{
		{shape{kernel: "row_beyond", blocks: 1, threads: 16, scratch: 16, args: rows}, 33, "scratch[16]"},
		{shape{kernel: "row_beyond_shared", blocks: 1, threads: 16, args: rows}, 40, "shared+64"},
		{shape{kernel: "write_before", blocks: 1, threads: 33, out: 32}, 44, "out[-1]"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for _, cxx := range compilers(t) {
				p := built(t, cxx, simt.Address, "memory.cu")
				r := run(t, p, c.job(0))
				f := only(t, r, launch.OutOfBounds)
				if f.File != "memory.cu" || f.Line != c.line || f.Memory != c.memory || f.Kernel != c.kernel {
					t.Errorf("%s: want line %d on %s: %s", cxx, c.line, c.memory, f.Text)
				}
				if r.Buffers != nil {
					t.Errorf("%s: a job that was ended has buffers", cxx)
				}
				inside := c.shape
				inside.args = []launch.Arg{launch.I(0)} // the row is now the first
				if c.args != nil && run(t, p, inside.job(0)).Found(launch.OutOfBounds) {
					t.Errorf("%s: the first row is said to be out of bounds", cxx)
				}
			}
		})
	}
}

// The plain build sees what was written beyond a buffer when all is over.
func TestTrampled(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Plain, "memory.cu")
	r := run(t, p, shape{kernel: "write_before", blocks: 1, threads: 33, out: 32}.job(0))
	if f := only(t, r, launch.OutOfBounds); f.Memory != "out[-1]" || f.Kernel != "" {
		t.Errorf("want out[-1]: %s", f.Text)
	}
}

func TestUnwrittenTail(t *testing.T) {
	for _, mode := range modes {
		for order := range uint64(2) {
			p := built(t, compilers(t)[0], mode, "memory.cu")
			s := shape{kernel: "tail", blocks: 2, threads: 32, args: []launch.Arg{launch.I(61)}}
			f := only(t, run(t, p, s.job(order)), launch.Unwritten)
			if f.Memory != "out[61]" || f.Count != 3 {
				t.Errorf("%s: want 3 elements from out[61]: %s", mode, f.Text)
			}
			s.args = []launch.Arg{launch.I(64)}
			none(t, run(t, p, s.job(order)))
		}
	}
}

// Whatever nobody wrote is NaN, so that it shows in the result of the plain build too.
func TestEverythingBeginsAsNaN(t *testing.T) {
	for _, mode := range modes {
		p := built(t, compilers(t)[0], mode, "memory.cu")
		for _, c := range []struct {
			shape
			at int
		}{
			{shape{kernel: "read_shared", blocks: 1, threads: 32}, 0},
			{shape{kernel: "read_static", blocks: 1, threads: 64}, 3},
			{shape{kernel: "read_scratch", blocks: 1, threads: 32, scratch: 32}, 31},
			{shape{kernel: "read_left", blocks: 2, threads: 32}, 40},
			{shape{kernel: "tail", blocks: 1, threads: 32, args: []launch.Arg{launch.I(31)}}, 31},
		} {
			for order := range uint64(3) {
				job := c.job(order)
				if out := run(t, p, job).Buffers["out"]; !math.IsNaN(float64(out[c.at])) {
					t.Errorf("%s, %s, order %d: out[%d] is %v and not NaN", mode, c.kernel, order, c.at, out[c.at])
				}
			}
		}
	}
}

// An output that the caller has filled is still to be written.
func TestFilledOutputIsStillToBeWritten(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Check, "memory.cu")
	job := shape{kernel: "tail", blocks: 1, threads: 8, args: []launch.Arg{launch.I(6)}}.job(0)
	job.Buffers[0].Data = make([]float32, 8)
	if f := only(t, run(t, p, job), launch.Unwritten); f.Count != 2 {
		t.Errorf("want 2 elements: %s", f.Text)
	}
}
