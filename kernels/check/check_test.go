package check

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
	"gpuci/kernels/host"
)

func number(n int) *int { return &n }

// kernel has parameters of these types, as PTX says them.
func kernel(name string, types ...string) entry.Kernel {
	k := entry.Kernel{Name: name, ParamsKnown: true}
	at := 0
	for i, typ := range types {
		size := sizes[typ]
		if strings.HasPrefix(typ, "b8[") {
			fmt.Sscanf(typ, "b8[%d]", &size)
		}
		k.Params = append(k.Params, entry.Param{Ordinal: i, Offset: at, Size: size, Type: typ})
		at += size
	}
	return k
}

func with(k entry.Kernel, change func(*entry.Kernel)) entry.Kernel {
	change(&k)
	return k
}

func asCubin(file string, kernels ...entry.Kernel) entry.Module {
	return entry.Module{File: file, Kind: "cubin", Arch: "sm_90", Toolkit: "13.0", DataHash: "d", Kernels: kernels}
}

func asPTX(file string, kernels ...entry.Kernel) entry.Module {
	return entry.Module{File: file, Kind: "ptx", Arch: "sm_90", Kernels: kernels}
}

func rs(text string) []host.File { return []host.File{host.Read("src/x.rs", text)} }

var at1 = Place{"gpuci.toml", 1}

// brief is a finding in a line.
func brief(list []Finding) []string {
	var lines []string
	for _, f := range list {
		line := strings.Join([]string{f.Rule, f.Kernel, f.Found}, " | ")
		if f.Note {
			line += " (note)"
		}
		lines = append(lines, line)
	}
	return lines
}

type checkCase struct {
	name string
	in   Input
	want []string
}

func cases() []checkCase {
	go1 := kernel("go", "u64", "u32", "f32")
	regs := func(n int) entry.Kernel { return with(go1, func(k *entry.Kernel) { k.Registers = number(n) }) }
	hashed := func(hash string) entry.Kernel { return with(go1, func(k *entry.Kernel) { k.CodeHash = hash }) }
	adds := with(go1, func(k *entry.Kernel) {
		k.AtomicsKnown, k.Atomics = true, []entry.Atomic{{Op: "red.global.add.f32", Count: 2, Line: 7}}
	})
	clean := with(go1, func(k *entry.Kernel) { k.AtomicsKnown = true })
	one := []entry.Module{asCubin("a.cubin", go1)}
	chain := func(args string) []host.File {
		return rs(`fn f(p: &CudaSlice<f32>) { let m = c.load_module(Ptx::from_file("a.cubin"))?; let k = m.load_function("go")?; s.launch_builder(&k)` + args + `.launch(cfg)?; }`)
	}
	return []checkCase{
		{"registers", Input{Modules: []entry.Module{asCubin("a.cubin", regs(40))}, Budgets: []Budget{{MaxRegisters: number(32), Place: at1}}}, []string{"registers | go | 40 registers"}},
		{"registers, within", Input{Modules: []entry.Module{asCubin("a.cubin", regs(32))}, Budgets: []Budget{{Kernel: "g*", MaxRegisters: number(32)}}}, nil},
		{"spills", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.SpillStores, k.SpillLoads = number(4), number(8) }))}, Budgets: []Budget{{Kernel: "go", MaxSpill: number(0)}}}, []string{"spills | go | 8 bytes of spills (4 stored, 8 loaded)"}},
		{"spills, not known", Input{Modules: one, Budgets: []Budget{{Kernel: "go", MaxSpill: number(0)}}}, []string{"budget-unknown | go | how many bytes of spills it has is not known"}},
		{"shared and stack", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.Shared, k.Stack = number(4097), number(16) }))}, Budgets: []Budget{{MaxShared: number(4096), MaxStack: number(0)}}}, []string{"shared | go | 4097 bytes of static shared memory", "stack | go | 16 bytes of stack"}},
		{"PTX beside a cubin", Input{Modules: []entry.Module{asCubin("a.cubin", regs(8)), asPTX("a.ptx", go1)}, Budgets: []Budget{{MaxRegisters: number(32)}}}, nil},
		{"PTX alone", Input{Modules: []entry.Module{asPTX("a.ptx", go1)}, Budgets: []Budget{{MaxRegisters: number(32)}}}, []string{"budget-unknown | go | how many registers it has is not known"}},
		{"a budget for nothing", Input{Modules: one, Budgets: []Budget{{Kernel: "og", MaxRegisters: number(1)}}}, []string{"budget-unmatched | og | none in 1 kernel of 1 module"}},
		{"entries", Input{Modules: []entry.Module{asCubin("a.cubin", go1, kernel("more"))}, Entries: []Entries{{Module: "a.cubin", Names: []string{"go", "gone"}}}}, []string{"entry-missing | gone | none", "entry-new | more | one that is not (note)"}},
		{"twice", Input{Modules: []entry.Module{asCubin("a.cubin", go1), asCubin("b.cubin", go1), asPTX("a.ptx", go1)}}, []string{"entry-twice | go | in a.cubin and b.cubin"}},
		{"for two architectures", Input{Modules: []entry.Module{asCubin("a.cubin", go1), {File: "a80.cubin", Kind: "cubin", Arch: "sm_80", Kernels: []entry.Kernel{go1}}}}, nil},
		{"declared, too many", Input{Modules: one, Launches: []Launch{{Kernel: "go", Args: []string{"pointer", "u32", "u32", "f32"}}}}, []string{"launch-count | go | 4 arguments"}},
		{"declared, of another size", Input{Modules: []entry.Module{asCubin("a.cubin", kernel("s", "b8[56]"))}, Launches: []Launch{{Kernel: "s", Args: []string{"60"}}}}, []string{"launch-size | s | 60 of 60 bytes"}},
		{"declared, of another type", Input{Modules: one, Launches: []Launch{{Kernel: "go", Args: []string{"float*", "float", "float"}}}}, []string{"launch-type | go | float"}},
		{"declared, right", Input{Modules: one, Launches: []Launch{{Kernel: "go", Args: []string{"float*", "int", "4"}}}}, nil},
		{"declared, no such type", Input{Modules: one, Launches: []Launch{{Kernel: "go", Args: []string{"float*", "foo", "4"}}}}, []string{`launch-unknown | go | argument 1: "foo"`}},
		{"declared, of nothing", Input{Modules: one, Launches: []Launch{{Kernel: "gone"}}}, []string{"launch-kernel | gone | none in 1 kernel of 1 module"}},
		{"declared, parameters not known", Input{Modules: []entry.Module{asCubin("a.cubin", entry.Kernel{Name: "go"})}, Launches: []Launch{{Kernel: "go", Args: []string{"u32"}}}}, []string{"launch-unknown | go | its parameters are not known"}},
		{"read, right", Input{Modules: one, Hosts: chain(".arg(p).arg(&1u32).arg(&2f32)")}, nil},
		{"read, too many", Input{Modules: one, Hosts: chain(".arg(p).arg(&1u32).arg(&1u32).arg(&2f32)")}, []string{"launch-count | go | 4 arguments"}},
		{"read, of another size", Input{Modules: one, Hosts: chain(".arg(p).arg(&1usize).arg(&2f32)")}, []string{"launch-size | go | &1usize (usize) of 8 bytes"}},
		{"read, of another type", Input{Modules: one, Hosts: chain(".arg(p).arg(&1f32).arg(&2f32)")}, []string{"launch-type | go | &1f32 (f32)"}},
		{"read, parameters not known", Input{Modules: []entry.Module{asCubin("a.cubin", entry.Kernel{Name: "go"})}, Hosts: chain(".arg(p)")}, []string{"launch-unknown | go | its parameters are not known (note)"}},
		{"one of several fits", Input{Modules: []entry.Module{asCubin("a.cubin", go1, kernel("h", "u64"))},
			Hosts: rs(`fn f(p: &CudaSlice<f32>) { let m = c.load_module(Ptx::from_file("a.cubin"))?; let k = m.load_function(if c { "go" } else { "h" })?; s.launch_builder(&k).arg(p).launch(cfg)?; }`)}, nil},
		{"none of several fits", Input{Modules: []entry.Module{asCubin("a.cubin", go1, kernel("h", "u64"))},
			Hosts: rs(`fn f(p: &CudaSlice<f32>) { let m = c.load_module(Ptx::from_file("a.cubin"))?; let k = m.load_function(if c { "go" } else { "h" })?; s.launch_builder(&k).launch(cfg)?; }`)}, []string{"launch-count | go or h | 0 arguments"}},
		{"C++, and its compiler has looked", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.Name, k.Readable = "_Z2gofif", "void ns::go<float>(float*, int, float)" }))},
			Hosts: []host.File{host.Read("a.cu", "void f() { go<float><<<1, 2000>>>(p); }")}}, []string{"block-size | void ns::go<float>(float*, int, float) | 2000 threads"}},
		{"C++, by the runtime", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.Name, k.Readable = "_Z2gofif", "go(float*, int, float)" }))},
			Hosts: []host.File{host.Read("a.cu", "void f(float* p, int n) { void* a[] = {&p, &n}; cudaLaunchKernel((void*)go, 1, 1, a, 0, 0); }")}}, []string{"launch-count | go(float*, int, float) | 2 arguments"}},
		{"the wrong module", Input{Modules: []entry.Module{asCubin("a.cubin", go1), asCubin("b.cubin", kernel("h"))}, Hosts: rs(`fn f() { let m = c.load_module(Ptx::from_file("b.cubin"))?; m.load_function("go")?; }`)}, []string{"lookup-missing | go | it has none of that name"}},
		{"misspelt", Input{Modules: one, Hosts: rs(`fn f() { let m = c.load_module(Ptx::from_file("a.cubin"))?; m.load_function("goo")?; }`)}, []string{"lookup-missing | goo | it has none of that name"}},
		{"mangled", Input{Modules: []entry.Module{asCubin("a.cubin", entry.Kernel{Name: "_Z2gov", Readable: "go()", ParamsKnown: true})}, Hosts: rs(`fn f() { let m = c.load_module(Ptx::from_file("a.cubin"))?; m.load_function("go")?; }`)}, []string{"lookup-missing | go | it has none of that name"}},
		{"switched off", Input{Modules: one, Hosts: rs(`#[cfg(any())] fn f() { let m = c.load_module(Ptx::from_file("a.cubin"))?; m.load_function("goo")?; }`)}, nil},
		{"by the name of another file", Input{Modules: one, Hosts: []host.File{
			host.Read("a.rs", `fn f() { dev.load_ptx(Ptx::from_file("a.cubin"), "m", &["go"])?; }`), host.Read("b.rs", `use cudarc::driver; fn f() { dev.get_func("m", "goo")?; }`)}}, []string{"lookup-missing | goo | it has none of that name"}},
		{"not listed", Input{Modules: []entry.Module{asCubin("a.cubin", go1, kernel("h"))}, Hosts: rs(`fn f() { dev.load_ptx(Ptx::from_file("a.cubin"), "m", &["go"])?; dev.get_func("m", "h")?; }`)}, []string{"lookup-unlisted | h | it was given go"}},
		{"a module that is not known", Input{Modules: one, Hosts: rs(`fn f(m: M) { m.load_function("goo")?; m.load_function("go")?; let n = c.load_module(Ptx::from_file("z.ptx")); }`)}, []string{"lookup-unknown | goo | that module could not be read, and none of those here has it (note)", "module-unknown |  | it is not among the 1 module (note)"}},
		{"compiled at run time", Input{Modules: one, Hosts: rs(`fn f() { let m = c.load_module(compile_ptx(S)?)?; let k = m.load_function("go")?; s.launch_builder(&k).launch(cfg); m.load_function("x"); }`)}, nil},
		{"a block over its bounds", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.MaxThreads = []int{256, 1, 1} }))}, Launches: []Launch{{Kernel: "go", Args: []string{"8", "4", "4"}, Block: []int{32, 16}}}}, []string{"block-size | go | 32×16 threads"}},
		{"a block that is not the required one", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.ReqThreads = []int{256, 1, 1} }))}, Launches: []Launch{{Kernel: "go", Args: []string{"8", "4", "4"}, Block: []int{128}}}}, []string{"block-size | go | 128 threads"}},
		{"a block without registers", Input{Modules: []entry.Module{asCubin("a.cubin", regs(128))}, Launches: []Launch{{Kernel: "go", Args: []string{"8", "4", "4"}, Block: []int{1024}}}}, []string{"block-registers | go | 1024 threads"}},
		{"a block that fits", Input{Modules: []entry.Module{asCubin("a.cubin", regs(64))}, Launches: []Launch{{Kernel: "go", Args: []string{"8", "4", "4"}, Block: []int{1024}}}}, nil},
		{"atomics", Input{Modules: []entry.Module{asPTX("a.ptx", adds)}, Deterministic: []Deterministic{{Kernel: "go"}}}, []string{"float-atomic | go | red.global.add.f32 (2 times)"}},
		{"no atomics", Input{Modules: []entry.Module{asPTX("a.ptx", clean)}, Deterministic: []Deterministic{{Kernel: "go"}}}, []string{"float-atomic-none | go | no float atomic found (note)"}},
		{"nobody has looked", Input{Modules: one, Deterministic: []Deterministic{{Kernel: "go"}}}, []string{"float-atomic-unknown | go | it is not known: this cubin for sm_90 is not decoded"}},
		{"the PTX was looked through", Input{Modules: []entry.Module{asCubin("a.cubin", go1), asPTX("a.ptx", clean)}, Deterministic: []Deterministic{{Kernel: "go"}}}, []string{"float-atomic-none | go | no float atomic found (note)"}},
		{"deterministic, of nothing", Input{Modules: one, Deterministic: []Deterministic{{Kernel: "gone"}}}, []string{"deterministic-unmatched | gone | none in 1 kernel of 1 module"}},
		{"stale", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", kernel("s", "b8[56]"), kernel("old"), regs(30)), Built: asCubin("/tmp/a.cubin", kernel("s", "b8[60]"), kernel("new"), regs(32))}}},
			[]string{"stale-code | go | 30 registers", "stale-entries | new | it is not in the committed file", "stale-entries | old | it is in the committed file", "stale-params | s | 1 parameter (b8[56])"}},
		{"stale code", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.Code = number(384) })), Built: asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.Code = number(512) }))}}}, []string{"stale-code | go | 384 bytes of code"}},
		{"stale code of the same size", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", hashed("a")), Built: asCubin("b.cubin", hashed("b"))}}}, []string{"stale-code | go | others, in as many bytes"}},
		{"stale launch bounds", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.MaxThreads = []int{256, 1, 1} })), Built: asCubin("b.cubin", go1)}}}, []string{"stale-code | go | launch bounds up to 256"}},
		{"stale cluster", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.InClusters, k.Cluster = true, []int{2, 1, 1} })), Built: asCubin("b.cubin", go1)}}}, []string{"stale-code | go | launch bounds in clusters 2"}},
		{"stale data", Input{Fresh: []Fresh{{Committed: entry.Module{Kind: "cubin", DataHash: "a", Toolkit: "13.0"}, Built: entry.Module{Kind: "cubin", DataHash: "b", Toolkit: "13.0"}}}}, []string{"stale-data |  | others, or other values"}},
		{"another toolkit, other code", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", with(hashed("a"), func(k *entry.Kernel) { k.Registers, k.Shared = number(8), number(4) })),
			Built: entry.Module{Kind: "cubin", Arch: "sm_90", Toolkit: "12.9", Kernels: []entry.Kernel{with(hashed("b"), func(k *entry.Kernel) { k.Registers, k.Shared = number(9), number(8) })}}}}}, []string{"stale-code | go | 4 bytes of shared memory", "stale-toolkit |  | CUDA 13.0 (note)"}},
		{"another toolkit, the same code", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", hashed("a")), Built: entry.Module{Kind: "cubin", Arch: "sm_90", Toolkit: "12.9", DataHash: "d", Kernels: []entry.Kernel{hashed("a")}}}}}, nil},
		{"another build of the toolkit", Input{Fresh: []Fresh{{Committed: entry.Module{Kind: "ptx", Tool: "nvcc V13.0.48", Kernels: []entry.Kernel{hashed("a")}}, Built: entry.Module{Kind: "ptx", Tool: "nvcc V13.0.88", Kernels: []entry.Kernel{hashed("b")}}}}}, []string{"stale-toolkit |  | nvcc V13.0.48 (note)"}},
		{"line information", Input{Fresh: []Fresh{{Committed: entry.Module{Arch: "sm_90", Flags: "-lineinfo  -arch sm_90"}, Built: entry.Module{Arch: "sm_90", Flags: "-arch sm_90"}}}}, nil},
		{"a static kernel of another path", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", entry.Kernel{Name: "_ZN30_GLOBAL__N__1d98539e_4_k_cu_c34anonEPf"}), Built: asCubin("b.cubin", entry.Kernel{Name: "_ZN31_GLOBAL__N__d82117a2_5_kk_cu_c34anonEPf"})}}}, nil},
		{"over its budget in two modules", Input{Modules: []entry.Module{asCubin("a.cubin", regs(64)), asCubin("b.cubin", regs(64))}, Sources: map[string]string{"a.cubin": "a.cu", "b.cubin": "a.cu"}, Budgets: []Budget{{MaxRegisters: number(32)}}}, []string{"registers | go | 64 registers"}},
		{"spills of a file, not known", Input{Modules: []entry.Module{asCubin("a.cubin", go1, kernel("h"))}, Budgets: []Budget{{MaxSpill: number(0)}}}, []string{"budget-unknown |  | how many bytes of spills its 2 kernels have is not known: go, h"}},
		{"one source as several kinds", Input{Modules: []entry.Module{asCubin("a.cubin", go1), asCubin("a.fatbin", go1), asCubin("a.o", go1)}, Sources: map[string]string{"a.cubin": "a.cu", "a.fatbin": "a.cu", "a.o": "a.cu"}}, nil},
		{"several entries that no list has", Input{Modules: []entry.Module{asCubin("a.cubin", go1, kernel("h"), kernel("i"))}, Entries: []Entries{{Names: []string{"go"}}}}, []string{"entry-new |  | 2 that are not: h, i (note)"}},
		{"a compare-and-swap", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.AtomicsWhy = "a compare-and-swap at 0x350" }))}, Deterministic: []Deterministic{{Kernel: "go"}}}, []string{"float-atomic-unknown | go | it is not known: a compare-and-swap at 0x350"}},
		{"a compare-and-swap, with nothing declared", Input{Modules: []entry.Module{asCubin("a.cubin", with(go1, func(k *entry.Kernel) { k.AtomicsWhy = "a compare-and-swap at 0x350" }))}}, nil},
		{"atomics in two modules", Input{Modules: []entry.Module{asCubin("a.cubin", with(adds, func(k *entry.Kernel) { k.Atomics = []entry.Atomic{{Op: "RED", Count: 1}} })), asPTX("a.ptx", adds)}, Deterministic: []Deterministic{{Kernel: "go"}}}, []string{"float-atomic | go | red.global.add.f32 (2 times)"}},
		{"another toolkit", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", go1), Built: entry.Module{File: "a.cubin", Kind: "cubin", Arch: "sm_90", Toolkit: "12.9", Kernels: []entry.Kernel{go1}}}}}, []string{"stale-toolkit |  | CUDA 13.0 (note)"}},
		{"other flags", Input{Fresh: []Fresh{{Committed: entry.Module{File: "a", Arch: "sm_90", Flags: "-O3"}, Built: entry.Module{File: "a", Arch: "sm_90", Flags: "-O3 -fmad=false"}}}}, []string{"stale-flags |  | -O3"}},
		{"fresh", Input{Fresh: []Fresh{{Committed: asCubin("a.cubin", go1), Built: asCubin("b.cubin", go1)}}}, nil},
		{"a card", Input{Modules: one, Cards: []Card{{Name: "A100", Capability: "8.0"}}}, []string{"architecture | go | cubin for sm_90"}},
		{"a card that it runs on", Input{Modules: one, Cards: []Card{{Name: "H200", Capability: "9.0"}}}, nil},
		{"a card, by PTX of another file", Input{Modules: []entry.Module{asCubin("a.cubin", go1), asPTX("b.ptx", go1)}, Cards: []Card{{Name: "B200", Capability: "10.0"}}}, nil},
		{"no capability", Input{Modules: one, Cards: []Card{{Name: "H200", Capability: "90"}}}, []string{`architecture |  | "90"`}},
		{"a graph", Input{Modules: one, Graphs: []Graph{{Name: "a", Entries: []string{"go"}, Outside: []string{"go"}}, {Name: "b", Entries: []string{"go", "h"}}}}, []string{"graph-entry | h | none in 1 kernel of 1 module", "graph-outside | go | in the graph a, and launched outside (note)", "graph-shared | go | in the graphs a and b (note)"}},
		{"nothing", Input{}, nil},
	}
}

func TestCheck(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			got := Check(c.in)
			if diff := cmp.Diff(c.want, brief(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			for _, f := range got {
				seen[f.Rule] = true
				if f.Expected == "" || f.Found == "" || f.Harm == "" || f.Next == "" {
					t.Errorf("a finding says too little: %+v", f)
				}
			}
			if again := Check(c.in); !cmp.Equal(got, again) {
				t.Errorf("not the same again:\n%s", cmp.Diff(got, again))
			}
		})
	}
	for _, rule := range documented(t) {
		if !seen[rule] {
			t.Errorf("no case for the rule %s", rule)
		}
		delete(seen, rule)
	}
	for rule := range seen {
		t.Errorf("the rule %s is not documented", rule)
	}
}

// documented are the rules of the package's doc comment.
func documented(t *testing.T) []string {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, line := range strings.Split(string(text), "\n") {
		if line, ok := strings.CutPrefix(line, "//\t"); ok {
			column, _, _ := strings.Cut(line, "   ")
			rules = append(rules, regexp.MustCompile(`[a-z-]+`).FindAllString(column, -1)...)
		}
	}
	if len(rules) < 20 {
		t.Fatalf("only %v are documented", rules)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// The way out of what is not known is to have the same compiler build it here.
func TestUnknownNext(t *testing.T) {
	committed := entry.Module{File: "pre/a.cubin", Kind: "cubin", Arch: "sm_80", Toolkit: "12.9", Kernels: []entry.Kernel{{Name: "f"}, {Name: "g"}}}
	built := entry.Module{Kind: "cubin", Arch: "sm_80", Toolkit: "13.0", Kernels: committed.Kernels}
	for _, tt := range []struct {
		fresh []Fresh
		want  string
	}{
		{nil, "have gpuci build it"},
		{[]Fresh{{Committed: committed, Built: built, Source: "a.cu"}}, `say nvcc = "12.9" in the set, so that it is built as this was, or build pre/a.cubin anew from a.cu and commit it`},
		{[]Fresh{{Committed: committed, Built: entry.Module{Kernels: committed.Kernels, Arch: "sm_80"}, Toolkit: "13.0", Source: "a.cu"}}, `say nvcc = "12.9" and "sm_80" among arch in the set`},
	} {
		found := Check(Input{Modules: []entry.Module{committed}, Budgets: []Budget{{MaxSpill: number(0)}}, Fresh: tt.fresh})
		found = slices.DeleteFunc(found, func(f Finding) bool { return f.Note })
		if len(found) != 1 || found[0].Rule != "budget-unknown" || !strings.HasPrefix(found[0].Next, tt.want) {
			t.Errorf("want one finding with %q: %+v", tt.want, found)
		}
	}
}

func TestNext(t *testing.T) {
	for _, tt := range []struct{ want, host string }{
		{"it is in a.cubin: look it up there", `m.load_function("go")`},
		{"is only meant?", `m.load_function("onli")`},
		{"it is there as _Z3bigv: look that up, or declare it extern \"C\"", `m.load_function("big")`},
	} {
		in := Input{Modules: []entry.Module{asCubin("a.cubin", kernel("go")), asCubin("b.cubin", kernel("only"), kernel("onlyer"), entry.Kernel{Name: "_Z3bigv", Readable: "big()"})}}
		in.Hosts = rs(`fn f() { let m = c.load_module(Ptx::from_file("b.cubin"))?; ` + tt.host + `?; }`)
		got := Check(in)
		if len(got) != 1 || got[0].Next != tt.want || got[0].File != "src/x.rs" || got[0].Line != 1 {
			t.Errorf("%s: got %+v, want the advice %q", tt.host, got, tt.want)
		}
	}
}

func TestRuns(t *testing.T) {
	for _, tt := range []struct {
		kind, arch  string
		card        int
		runs, known bool
	}{
		{"cubin", "sm_90", 90, true, true}, {"cubin", "sm_90", 80, false, true}, {"cubin", "sm_90", 100, false, true}, {"cubin", "sm_80", 86, true, true},
		{"cubin", "sm_86", 80, false, true}, {"cubin", "sm_80", 87, false, true}, {"cubin", "sm_87", 87, true, true}, {"cubin", "sm_90a", 90, true, true},
		{"cubin", "sm_100a", 103, false, true}, {"cubin", "sm_100f", 103, true, true}, {"cubin", "sm_103f", 100, false, true}, {"cubin", "sm_120f", 121, true, true}, {"cubin", "sm_100f", 120, false, true},
		{"ptx", "sm_80", 90, true, true}, {"ptx", "compute_90", 80, false, true}, {"ptx", "sm_90a", 100, false, true}, {"ptx", "sm_100f", 103, true, true},
		{"cubin", "gfx90a", 90, false, false}, {"cubin", "", 90, false, false}, {"cubin", "sm_", 90, false, false},
	} {
		runs, known := Runs(tt.kind, tt.arch, tt.card)
		if runs != tt.runs || known != tt.known {
			t.Errorf("Runs(%s, %s, %d) = %v, %v", tt.kind, tt.arch, tt.card, runs, known)
		}
	}
}

func TestSourceName(t *testing.T) {
	for readable, want := range map[string]string{
		"go": "go", "void ns::go<float>(float*, int)": "go", "go(float*)": "go", "void (anonymous namespace)::go<(int)4, ns::T<2> >(A<B>)": "go", "ns::go": "go", "": "_Z", ")>(<": ")",
	} {
		if got := sourceName(entry.Kernel{Name: "_Z", Readable: readable}); got != want && readable != ")>(<" {
			t.Errorf("the name in %q is %q, want %q", readable, got, want)
		}
	}
}
