package trace

import (
	"fmt"
	"strings"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// played12 is a program of twelve steps that the library traced, with lines that each step
// has beside, and what is reported of it.
func played12(t *testing.T, beside ...string) Report {
	t.Helper()
	script := []string{"init", "device 0", "alloc weights 1000000", "launch setup 1 1"}
	for step := range 12 {
		script = append(script, fmt.Sprintf("push step %d", step), "copy cuMemcpyHtoDAsync_v2 4096 s", "launch gemm 64 128 s 10", "launch add 8 128 s")
		for _, line := range beside {
			script = append(script, strings.ReplaceAll(line, "STEP", fmt.Sprint(step)))
		}
		script = append(script, "sync s", "pop")
	}
	p := play(t, tracetest.Start(t, tracetest.Options{Include: headers(t, "nvtx3/nvToolsExt.h")}), script...)
	p.process()
	r, err := NewReport(t.Context(), p.Recording, nil, Counting{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReportOfPlayed goes all the way, from a program's calls to what is said of them:
// what is planted is found, by its number.
func TestReportOfPlayed(t *testing.T) {
	plain := played12(t)
	s := plain.stage(t, "step")
	if e := s.Counts[Launches]; s.Steps != 12 || s.Apart != 5 || !e.Same() || e.Low != 11 || s.Kernels[0].Name != "gemm" || s.Kernels[0].Launches != 70 {
		t.Errorf("%d steps, %+v, %+v", s.Steps, e, s.Kernels)
	}
	if s.Price.Launch.N != 70 || s.Price.Share <= 0 || s.Took.N != 7 {
		t.Errorf("%+v", s.Price)
	}
	if d := Diff(plain, played12(t)); !d.Same {
		t.Errorf("two runs of one program differ: %+v", d)
	}
	planted := played12(t, "alloc leakSTEP 4096", "launch add 8 128 s", "sync")
	d := stageDiff(t, Diff(plain, planted), "step")
	got := map[Quantity]int64{}
	for _, c := range d.Counts {
		got[c.Quantity] = c.B.Low - c.A.Low
	}
	if got[Launches] != 1 || got[Syncs] != 1 || got[Allocs] != 1 || got[AllocBytes] != 4096 {
		t.Errorf("planted: %v", got)
	}
	if len(d.Kernels) != 1 || d.Kernels[0].Name != "add" || d.Kernels[0].A != 7 || d.Kernels[0].B != 14 {
		t.Errorf("kernels: %+v", d.Kernels)
	}
	if got := planted.finding("kept"); !strings.Contains(got, "step: 12 allocations of 4 KiB by cuMemAlloc_v2 in 12 steps were never released") {
		t.Errorf("kept: %q", got)
	}
}
