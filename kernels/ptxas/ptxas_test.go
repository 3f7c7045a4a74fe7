package ptxas

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/kernels/entry"
)

// What ptxas 13.0 printed for two architectures, with functions that are called and
// spill, one with a frame of its own, cut to what differs; and what 12.4 printed.
const compiled = `ptxas info    : Overriding maximum register limit 256 for 'calls' with  32 of maxrregcount option
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'calls' for 'sm_80'
ptxas info    : Function properties for calls
    392 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 392 bytes cumulative stack size, 20 bytes smem, 364 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Compile time = 21.251 ms
ptxas info    : Function properties for _Z4deepPfi
    0 bytes stack frame, 704 bytes spill stores, 656 bytes spill loads
ptxas warning : (C7508) something about 'calls' of no interest
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'calls' for 'sm_90a'
ptxas info    : Function properties for calls
    480 bytes stack frame, 904 bytes spill stores, 860 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 480 bytes cumulative stack size
ptxas info    : Function properties for _Z5heavyPfi
    704 bytes stack frame, 1304 bytes spill stores, 1216 bytes spill loads
ptxas124 info    : Compiling entry function 'old' for 'sm_90'
ptxas124 info    : Function properties for old
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas124 info    : Used 8 registers, 4 bytes smem
`

func TestParse(t *testing.T) {
	n := func(i int) *int { return &i }
	want := []Use{
		{
			Kernel: "calls", Arch: "sm_80", Line: 3, Registers: n(32), Stack: n(392), SpillStores: n(708), SpillLoads: n(664), OwnStores: n(4), OwnLoads: n(8),
			Barriers: n(1), Shared: n(20), Constant: map[int]int{0: 364, 2: 8},
		},
		{
			Kernel: "calls", Arch: "sm_90a", Line: 12, Registers: n(32), Stack: n(480), SpillStores: n(2208), SpillLoads: n(2076), OwnStores: n(904), OwnLoads: n(860),
			Barriers: n(0), Shared: n(0),
		},
		{Kernel: "old", Arch: "sm_90", Line: 18, Registers: n(8), Stack: n(0), SpillStores: n(0), SpillLoads: n(0), OwnStores: n(0), OwnLoads: n(0), Shared: n(4)},
	}
	for name, text := range map[string]string{"as printed": compiled, "with CR": strings.ReplaceAll(compiled, "\n", "\r\n")} {
		if d := cmp.Diff(want, Parse(text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestParseSaysNothingItWasNotTold(t *testing.T) {
	got := Parse("ptxas info    : Compiling entry function 'cut' for 'sm_80'\nptxas info    : Function properties for cut\n    -4 bytes stack frame, x bytes spill stores\n")
	if d := cmp.Diff([]Use{{Kernel: "cut", Arch: "sm_80", Line: 1}}, got); d != "" {
		t.Errorf("a line that is cut off (-want +got):\n%s", d)
	}
	if got := Parse("    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\nptxas info : Used 8 registers\n"); got != nil {
		t.Errorf("numbers of no entry: %v", got)
	}
}

func TestParseUsage(t *testing.T) {
	n := func(i int) *int { return &i }
	got := ParseUsage(`
Fatbin elf code:
================
arch = sm_80
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:571 CONSTANT[4]:416
 Function _Z4redtIfEvPT_S0_:
  REG:12 STACK:0 SHARED:1028 LOCAL:0 CONSTANT[2]:4056 CONSTANT[0]:912 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function cut:
`)
	want := []Use{{
		Kernel: "_Z4redtIfEvPT_S0_", Arch: "sm_80", Line: 10, Registers: n(12), Stack: n(0), Shared: n(1028), Local: n(0),
		Constant: map[int]int{0: 912, 2: 4056},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestInto(t *testing.T) {
	n := func(i int) *int { return &i }
	module := func(registers int) entry.Module {
		return entry.Module{Arch: "sm_80", Kernels: []entry.Kernel{{Name: "calls", Registers: n(registers), Stack: n(392)}, {Name: "other", Registers: n(32)}}}
	}
	m := module(32)
	if filled := Into(&m, Parse(compiled)); filled != 1 || *m.Kernels[0].SpillStores != 708 || *m.Kernels[0].Shared != 20 || m.Kernels[1].SpillStores != nil {
		t.Errorf("filled %d: %+v", filled, m.Kernels)
	}
	m = module(40)
	if filled := Into(&m, Parse(compiled)); filled != 0 || m.Kernels[0].SpillStores != nil {
		t.Errorf("another compile's spills were taken: filled %d: %+v", filled, m.Kernels[0])
	}
	m = module(32)
	twice := compiled + strings.ReplaceAll(compiled, "4 bytes spill stores", "12 bytes spill stores")
	if filled := Into(&m, Parse(twice)); filled != 0 || m.Kernels[0].SpillStores != nil {
		t.Errorf("spills of two compiles that differ were taken: filled %d: %+v", filled, m.Kernels[0])
	}
}

// In code that is to be linked the lines of a function are nobody's, wherever they stand,
// and what calls one has spills that are not known.
func TestIntoWhatIsToBeLinked(t *testing.T) {
	n := func(i int) *int { return &i }
	m := entry.Module{Arch: "sm_80", ToLink: true, Kernels: []entry.Kernel{{Name: "calls", Registers: n(32)}}}
	if filled := Into(&m, Parse(compiled)); filled != 1 || *m.Kernels[0].SpillStores != 4 || *m.Kernels[0].SpillLoads != 8 {
		t.Errorf("filled %d: %+v", filled, m.Kernels)
	}
	m.Kernels[0] = entry.Kernel{Name: "calls", Registers: n(32), CallsOut: true}
	if filled := Into(&m, Parse(compiled)); filled != 0 || m.Kernels[0].SpillStores != nil || m.Kernels[0].SpillLoads != nil {
		t.Errorf("filled %d: %+v", filled, m.Kernels)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(compiled)
	f.Add("Compiling entry function '' for 'Compiling entry function 'a' for '': Used ")
	f.Add(" Function f:\nREG:1 CONSTANT[:3 CONSTANT[x]:1 SHARED:99999999999999999999")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, list := range [][]Use{Parse(text), ParseUsage(text)} {
			if len(list) > lines {
				t.Fatalf("%d kernels in %d lines", len(list), lines)
			}
			for _, u := range list {
				if u.Line < 1 || u.Line > lines || u.Kernel == "" && strings.Contains(text, "Compiling") {
					t.Fatalf("kernel %q in line %d of %d", u.Kernel, u.Line, lines)
				}
			}
		}
	})
}
