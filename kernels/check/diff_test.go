package check

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
)

func TestDiff(t *testing.T) {
	with := func(n int, k entry.Kernel) entry.Kernel {
		k.Registers, k.Code, k.SpillStores, k.SpillLoads, k.Shared, k.Stack = number(n), number(16*n), number(0), number(0), number(n), number(0)
		return k
	}
	spilled := with(40, kernel("step", "u64", "u32"))
	spilled.SpillStores = nil
	a := []entry.Module{asCubin("old/a.cubin", with(32, kernel("step", "u64")), kernel("gone"), with(1, kernel("same")), entry.Kernel{Name: "_Z3runPf", Readable: "run(float*)", ParamsKnown: true})}
	b := []entry.Module{asCubin("new/a.cubin", spilled, kernel("came"), with(1, kernel("same")), entry.Kernel{Name: "_Z3runPd", Readable: "run(double*)", ParamsKnown: true})}
	step := func(what, before, after string, delta *int) Change {
		return Change{Kernel: "step", Name: "step", Module: "new/a.cubin", Kind: "cubin", Arch: "sm_90", What: what, Before: before, After: after, Delta: delta}
	}
	want := []Change{
		{Kernel: "came", Name: "came", Module: "new/a.cubin", Kind: "cubin", Arch: "sm_90", What: "added"},
		{Kernel: "gone", Name: "gone", Module: "old/a.cubin", Kind: "cubin", Arch: "sm_90", What: "removed"},
		{Kernel: "run(double*)", Name: "_Z3runPd", Module: "new/a.cubin", Kind: "cubin", Arch: "sm_90", What: "added", Near: "run(float*)"},
		{Kernel: "run(float*)", Name: "_Z3runPf", Module: "old/a.cubin", Kind: "cubin", Arch: "sm_90", What: "removed", Near: "run(double*)"},
		step("code", "512", "640", number(128)),
		step("params", "(8B)", "(8B, 4B)", nil),
		step("registers", "32", "40", number(8)),
		step("shared", "32", "40", number(8)),
		step("spill-stores", "0", "", nil),
	}
	if diff := cmp.Diff(want, Diff(a, b)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := Diff(a, a); got != nil {
		t.Errorf("against itself: %v", got)
	}
}
