package simt_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// A launch that goes on for ever ends at the limit, with what was running and where.
func TestLimitEndsLaunch(t *testing.T) {
	for _, mode := range modes {
		p, err := simt.Build(t.Context(), simt.Options{
			Sources: []string{"testdata/crash.cu"}, Mode: mode, Dir: directory, CXX: compilers(t)[0], Limit: 50 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Run(t.Context(), shape{kernel: "endless", blocks: 1, threads: 1}.job(0))
		var limit *simt.LimitError
		if !errors.As(err, &limit) || limit.Limit != 50*time.Millisecond {
			t.Errorf("%s: error %v", mode, err)
			continue
		}
		parts := []string{"kernel endless was not through after 50ms", "of block (0,0,0)"}
		if mode != simt.Check { // in which it may be the shadow that is running
			parts = append(parts, "at crash.cu:")
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q does not say %q", mode, err, part)
			}
		}
	}
}

// Buffers that no memory could hold are refused, before anybody makes them.
func TestJobBeyondMemoryIsRefused(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Plain, "sum.cu")
	for _, count := range []int{1 << 36, 1 << 62} {
		job := shape{kernel: "halves", blocks: 1, threads: 1, args: []launch.Arg{launch.I(1)}}.job(0)
		job.Buffers[0].Count = count
		if _, err := p.Run(t.Context(), job); err == nil || !strings.Contains(err.Error(), "memory") {
			t.Errorf("%d elements: error %v", count, err)
		}
	}
}
