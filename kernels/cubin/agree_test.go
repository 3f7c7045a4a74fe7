package cubin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/entry"
	"gpuci/kernels/ptxas"
)

var compiledFor = []string{"75", "80", "90", "90a", "100", "120"}

// TestAgreesWithTheCompiler holds every number of every kernel against what ptxas
// said as it made it, and cuobjdump says of the file, where it is there.
func TestAgreesWithTheCompiler(t *testing.T) {
	need(t, "nvcc")
	tried := 0
	for _, arch := range compiledFor {
		t.Run("sm_"+arch, func(t *testing.T) {
			if !knows(t, strings.TrimRight(arch, "af")) {
				t.Skipf("this nvcc does not know sm_%s", arch)
			}
			path, said := compile(t, "testdata/plain.cu", arch, "--maxrregcount=64")
			m := parseFile(t, path)
			if m.Arch != "sm_"+arch || m.Toolkit == "" {
				t.Errorf("arch %q, toolkit %q", m.Arch, m.Toolkit)
			}
			uses := ptxas.Parse(said)
			if len(uses) != len(m.Kernels) || len(uses) < 15 {
				t.Errorf("%d kernels, ptxas compiled %d", len(m.Kernels), len(uses))
			}
			by := kernels(m)
			for _, u := range uses {
				k, ok := by[u.Kernel]
				if !ok {
					t.Errorf("kernel %s is missing", u.Kernel)
					continue
				}
				differ(t, u.Kernel, "registers", k.Registers, u.Registers)
				differ(t, u.Kernel, "stack", k.Stack, u.Stack)
				differ(t, u.Kernel, "shared", k.Shared, u.Shared)
				if u.Barriers != nil {
					differ(t, u.Kernel, "barriers", k.Barriers, u.Barriers)
				}
			}
			checkPlain(t, by)
			tried++
		})
	}
	if tried == 0 && !t.Failed() {
		t.Fatal("no architecture was tried")
	}
}

// checkPlain holds the kernels of plain.cu against their source.
func checkPlain(t *testing.T, by map[string]entry.Kernel) {
	t.Helper()
	for name, want := range map[string]string{
		"plain":            "0+8 8+4 12+56 =68",
		"odd":              "0+15 16+2 18+1 24+8 32+1 40+8 =48",
		"big":              "0+6000 6000+4 6008+8 =6016",
		"none":             "=0",
		"_Z3addIfEvPT_S0_": "0+8 8+4 =12",
	} {
		if got := parameterText(by[name]); got != want {
			t.Errorf("%s: parameters %s, want %s", name, got, want)
		}
	}
	if got := fmt.Sprint(by["bounded"].MaxThreads); got != "[192 1 1]" {
		t.Errorf("bounded: %s threads", got)
	}
	if k := by["plain"]; !k.AtomicsKnown || len(k.Atomics) != 0 {
		t.Errorf("plain: atomics %v, known %v", k.Atomics, k.AtomicsKnown)
	}
	if k := by["_Z3addIfEvPT_S0_"]; !k.AtomicsKnown || len(k.Atomics) != 1 {
		t.Errorf("add<float>: atomics %v, known %v", k.Atomics, k.AtomicsKnown)
	}
	if k := by["_Z3addIiEvPT_S0_"]; !k.AtomicsKnown || len(k.Atomics) != 0 {
		t.Errorf("add<int>: atomics %v, known %v", k.Atomics, k.AtomicsKnown)
	}
}

func parameterText(k entry.Kernel) string {
	var b strings.Builder
	for _, p := range k.Params {
		fmt.Fprintf(&b, "%d+%d ", p.Offset, p.Size)
	}
	if !k.ParamsKnown || k.ParamBytes == nil {
		return b.String() + "not known"
	}
	return fmt.Sprintf("%s=%d", b.String(), *k.ParamBytes)
}

// TestAgreesWithCuobjdump holds the same files against cuobjdump -res-usage and
// -elf: registers, stacks, shared memory, and each parameter.
func TestAgreesWithCuobjdump(t *testing.T) {
	cuobjdump := need(t, "cuobjdump")
	for _, arch := range []string{"75", "90", "100"} {
		if !knows(t, arch) {
			continue
		}
		path, _ := compile(t, "testdata/plain.cu", arch)
		m := parseFile(t, path)
		by := kernels(m)
		usage, _ := run(t, cuobjdump, "-res-usage", path)
		uses := ptxas.ParseUsage(usage)
		if len(uses) != len(by) {
			t.Errorf("sm_%s: %d kernels, cuobjdump has %d", arch, len(by), len(uses))
		}
		for _, u := range uses {
			k := by[u.Kernel]
			differ(t, u.Kernel, "registers", k.Registers, u.Registers)
			differ(t, u.Kernel, "stack", k.Stack, u.Stack)
			differ(t, u.Kernel, "shared", k.Shared, declared(u, arch))
		}
		elf, _ := run(t, cuobjdump, "-elf", path)
		params := parameterDump(elf)
		for name, k := range by {
			if got := strings.TrimSuffix(parameterText(k), fmt.Sprint("=", *k.ParamBytes)); got != params[name] {
				t.Errorf("sm_%s: %s: parameters %q, cuobjdump -elf has %q", arch, name, got, params[name])
			}
		}
	}
}

// declared is cuobjdump's shared memory less the system's.
func declared(u ptxas.Use, arch string) *int {
	n := *u.Shared
	if arch >= "90" || len(arch) > 2 {
		n = max(0, n-1024)
	}
	return &n
}

// parameterDump is "OFFSET+SIZE " of each parameter by kernel, from cuobjdump -elf.
func parameterDump(elf string) map[string]string {
	params := map[string]string{}
	kernel := ""
	for line := range strings.Lines(elf) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), ".nv.info."); ok {
			kernel = name
		}
		var index, ordinal, offset, size int
		if at := strings.Index(line, "Index :"); at >= 0 {
			if n, _ := fmt.Sscanf(line[at:], "Index : 0x%x\tOrdinal : 0x%x\tOffset  : 0x%x\tSize    : 0x%x", &index, &ordinal, &offset, &size); n == 4 {
				params[kernel] = fmt.Sprintf("%d+%d ", offset, size) + params[kernel] // the last one comes first
			}
		}
	}
	return params
}

func parseFile(t *testing.T, path string) entry.Module {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func kernels(m entry.Module) map[string]entry.Kernel {
	by := map[string]entry.Kernel{}
	for _, k := range m.Kernels {
		by[k.Name] = k
	}
	return by
}

func differ(t *testing.T, kernel, what string, got, want *int) {
	t.Helper()
	if got == nil || want == nil || *got != *want {
		t.Errorf("%s: %s %s, want %s", kernel, what, say(got), say(want))
	}
}

func say(n *int) string {
	if n == nil {
		return "not known"
	}
	return fmt.Sprint(*n)
}

// What is still to be linked on the device has sections that have a size and no bytes,
// and shared memory without what the linker reserves.
func TestRelocatable(t *testing.T) {
	source := filepath.Join(t.TempDir(), "rdc.cu")
	const text = `__device__ int counts[4096];
extern "C" __global__ void f(int *x) {
	__shared__ int s[512];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	counts[threadIdx.x] += s[511 - threadIdx.x];
}
`
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"80", "90"} {
		path, _ := compile(t, source, arch, "-rdc=true")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(data)
		if err != nil || len(m.Kernels) != 1 || m.Kernels[0].Shared == nil || *m.Kernels[0].Shared != 2048 {
			t.Errorf("sm_%s: %v, %+v", arch, err, m)
		}
	}
}
