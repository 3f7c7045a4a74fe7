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

// Whatever changes what runs is a change, also where all numbers are the same; and
// what is known on neither side is told.
func TestDiffSameSizes(t *testing.T) {
	base := with(kernel("f", "u64", "u32"), func(k *entry.Kernel) {
		k.Registers, k.Code, k.Barriers, k.ParamBytes, k.AtomicsKnown, k.CodeHash = number(8), number(128), number(1), number(12), true, "a"
	})
	for name, tt := range map[string]struct {
		change func(*entry.Kernel)
		what   string
	}{
		"an offset":         {func(k *entry.Kernel) { k.Params[1].Offset = 16 }, "params (8B at 0, 4B at 8) in 12B -> (8B at 0, 4B at 16) in 12B"},
		"a larger block":    {func(k *entry.Kernel) { k.ParamBytes = number(16) }, "params (8B at 0, 4B at 8) in 12B -> (8B at 0, 4B at 8) in 16B"},
		"launch bounds":     {func(k *entry.Kernel) { k.MaxThreads = []int{256, 1, 1} }, "launch-bounds none -> up to 256"},
		"a cluster":         {func(k *entry.Kernel) { k.InClusters, k.Cluster = true, []int{2, 1, 1} }, "launch-bounds none -> in clusters 2"},
		"a barrier":         {func(k *entry.Kernel) { k.Barriers = number(2) }, "barriers 1 -> 2"},
		"a float atomic":    {func(k *entry.Kernel) { k.Atomics = []entry.Atomic{{Op: "RED.ADD.F32", Count: 1}} }, "float-atomics none -> RED.ADD.F32"},
		"no longer known":   {func(k *entry.Kernel) { k.AtomicsKnown = false }, "float-atomics none -> "},
		"other instruction": {func(k *entry.Kernel) { k.CodeHash = "b" }, "instructions a -> b"},
	} {
		changed := base
		changed.Params = append([]entry.Param(nil), base.Params...)
		tt.change(&changed)
		all := Diff([]entry.Module{asCubin("a", base)}, []entry.Module{asCubin("a", changed)})
		if len(all) != 1 || all[0].What+" "+all[0].Before+" -> "+all[0].After != tt.what {
			t.Errorf("%s: %+v", name, all)
		}
	}
	a, b := asCubin("a", base), asCubin("a", base)
	a.DataHash = "x"
	if all := Diff([]entry.Module{a}, []entry.Module{b}); len(all) != 1 || all[0].What != "data" || all[0].Module != "a" {
		t.Errorf("what the kernels share: %+v", all)
	}
	want := []Unknown{{"spill-stores", 1}, {"spill-loads", 1}, {"shared", 1}, {"stack", 1}}
	if d := cmp.Diff(want, Blind([]entry.Module{a}, []entry.Module{b})); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// Of kernels of one name those in files of one name belong together.
func TestDiffPairs(t *testing.T) {
	k := func(n int) entry.Kernel { return entry.Kernel{Name: "f", Registers: number(n)} }
	a := []entry.Module{asCubin("old/a.cubin", k(1)), asCubin("old/b.cubin", k(2)), asCubin("old/c.cubin", k(3))}
	b := []entry.Module{asCubin("new/b.cubin", k(2)), asCubin("new/c.cubin", k(3))}
	all := Diff(a, b)
	if len(all) != 1 || all[0].What != "removed" || all[0].Module != "old/a.cubin" {
		t.Errorf("%+v", all)
	}
	if all = Diff(b, a); len(all) != 1 || all[0].What != "added" || all[0].Module != "old/a.cubin" {
		t.Errorf("%+v", all)
	}
}
