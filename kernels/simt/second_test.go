package simt_test

import (
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// A write is held against every reader of the word that it may race with, not only
// against the one that the writer itself may be.
func TestWriteRacesWithAnotherReader(t *testing.T) {
	for _, cxx := range compilers(t) {
		p := built(t, cxx, simt.Check, "second.cu")
		for _, order := range []uint64{0, 1, 5} {
			for _, c := range []struct {
				shape
				line, other int
			}{
				{shape{kernel: "lanes_read", blocks: 1, threads: 32}, 11, 9},
				{shape{kernel: "lanes_read_apart", blocks: 1, threads: 32}, 0, 0},
				{shape{kernel: "blocks_read_first", blocks: 2, threads: 1, scratch: 2}, 30, 29},
				{shape{kernel: "one_block_reads", blocks: 2, threads: 1, scratch: 2}, 0, 0},
			} {
				job := c.job(order)
				if c.scratch > 0 {
					job.Buffers[0].Data = []float32{1, 2}
				}
				r := run(t, p, job)
				if c.line == 0 {
					none(t, r)
					continue
				}
				f := only(t, r, launch.Race)
				// In another order of blocks the reader comes later.
				if at, other := f.Line, f.Other.Line; (at != c.line || other != c.other) && (at != c.other || other != c.line) {
					t.Errorf("%s, order %d: %s", c.kernel, order, f.Text)
				}
			}
		}
	}
}
