//go:build bench

package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/entry"
)

// aimShare is of the time that cuobjdump -res-usage takes on the same files.
const aimShare = 0.1

// TestBenchInspect prints what it takes to read 1,000 kernels in four cubins and to
// write a line for each, beside cuobjdump -res-usage, which is one process a file.
func TestBenchInspect(t *testing.T) {
	cuobjdump, nvcc := need(t, "cuobjdump"), need(t, "nvcc")
	var source strings.Builder
	for i := range 250 {
		fmt.Fprintf(&source, "extern \"C\" __global__ void k%d(float *x, int n, float a) { if (n > %d) x[threadIdx.x + %d] += a * n; }\n", i, i, i)
	}
	path := write(t, "many.cu", []byte(source.String()))
	var files []string
	for _, arch := range []string{"75", "80", "86", "90"} {
		out := strings.TrimSuffix(path, ".cu") + arch + ".cubin"
		run(t, "", nvcc, "-cubin", "-arch=sm_"+arch, "-o", out, path)
		files = append(files, out)
	}
	kernels := 0
	ours := func() {
		kernels = 0
		for _, f := range files {
			modules, err := File(t.Context(), f, Options{Brief: true}) // as the table does
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range modules {
				kernels += len(m.Kernels)
				print1000(io.Discard, m)
			}
		}
	}
	theirs := func() {
		for _, f := range files {
			run(t, "", cuobjdump, "-res-usage", f)
		}
	}
	var a, b []time.Duration
	for range 11 { // in turn, so that a busy machine is busy for both
		a, b = append(a, took(ours)), append(b, took(theirs))
	}
	slices.Sort(a)
	slices.Sort(b)
	share := float64(a[5]) / float64(b[5])
	t.Logf("%d kernels: %v, cuobjdump -res-usage %v: %.1f%% (aim %.0f%%)", kernels, a[5], b[5], 100*share, 100*aimShare)
	if kernels != 1000 {
		t.Errorf("%d kernels", kernels)
	}
}

func took(f func()) time.Duration {
	begun := time.Now()
	f()
	return time.Since(begun)
}

func print1000(w io.Writer, m entry.Module) {
	for _, k := range m.Kernels {
		fmt.Fprintf(w, "%s %s %d parameters, %d registers, %d stack, %d shared, %d code, %v\n",
			m.Arch, k.Name, len(k.Params), value(k.Registers), value(k.Stack), value(k.Shared), value(k.Code), k.Atomics)
	}
}
