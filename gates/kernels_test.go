package gates

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gpuci/gates/config"
	"gpuci/kernels"
	"gpuci/kernels/build"
	"gpuci/kernels/check"
	"gpuci/kernels/entry"
)

// kernelWorkspace loads a workspace with the committed device code of package kernels.
func kernelWorkspace(t *testing.T, text string) *config.Config {
	t.Helper()
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, name := range []string{"scan.sm_90.cubin", "scan.ptx"} {
		data, err := os.ReadFile(filepath.Join("..", "kernels", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(root, config.FileName)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{Workspace: path})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func runKernelGate(t *testing.T, cfg *config.Config) Verdict {
	t.Helper()
	return Run(t.Context(), Options{Gate: cfg.Gates[0], Root: cfg.Root, Workspace: cfg, Kernels: KernelSets(cfg, cfg.Gates[0]), State: t.TempDir()})
}

const kernelGate = `
[[gate]]
name = "regs"
kernels = ["scan"]
run = ["true"]
reader = "none"
  [[gate.bar]]
  metric = "kernel-registers"
  max = %s
  min-matches = 2
`

// The numbers of kernels are judged as if the run had printed them.
func TestKernelBars(t *testing.T) {
	const set = "[[kernels]]\nname = 'scan'\nprebuilt = ['*.cubin']\n"
	for limit, want := range map[string]Outcome{"64": Green, "9": Red} {
		v := runKernelGate(t, kernelWorkspace(t, set+strings.ReplaceAll(kernelGate, "%s", limit)))
		if v.Outcome != want {
			t.Errorf("at most %s registers: %s, %v", limit, v.Outcome, v.Findings)
		}
		if len(v.Bars) != 1 || v.Bars[0].Matches != 2 || len(v.Bound.Products) != 1 || len(v.Kernels) != 1 || v.Kernels[0].Kernels != 2 {
			t.Errorf("%+v, %+v, %+v", v.Bars, v.Bound.Products, v.Kernels)
		}
		var names []string
		for _, m := range v.Metrics {
			names = append(names, m.Metric)
			for _, s := range m.Series {
				if !strings.HasPrefix(s.Labels, "arch=sm_90 kernel=scan_") {
					t.Errorf("%s has labels %s", m.Metric, s.Labels)
				}
			}
		}
		if d := cmp.Diff([]string{"kernel-code-bytes", "kernel-registers", "kernel-shared-bytes", "kernel-stack-bytes"}, names); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
	}
}

// Of a gate that is run several times, every run has them.
func TestKernelBarsRepeated(t *testing.T) {
	gate := strings.Replace(strings.ReplaceAll(kernelGate, "%s", "64"), "reader", "repeat = 3\nidentical = true\nreader", 1)
	v := runKernelGate(t, kernelWorkspace(t, "[[kernels]]\nname = 'scan'\nprebuilt = ['*.cubin']\n"+gate))
	if v.Outcome != Green || v.Repeat == nil || len(v.Repeat.Runs) != 3 || len(v.Bars) != 1 {
		t.Errorf("%s, %+v, %+v", v.Outcome, v.Findings, v.Repeat)
	}
}

// The time that compiling takes is of the build's limit, and a compiler that stands
// still is ended with what it started.
func TestKernelTime(t *testing.T) {
	var o kernels.Options
	o.Exec, o.Env = (&Compilers{}).Exec, os.Environ()
	if _, _, err := kernels.Find(t.Context(), kernels.Set{}, o); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatalf("needs nvcc: %v", err)
		}
		t.Skip("needs nvcc")
	}
	var text []byte
	for _, limit := range []string{"2s", "10s", "1m0s"} { // on a busy machine nvcc is not there yet
		cfg := kernelWorkspace(t, "[[kernels]]\nname = 'scan'\nsources = ['*.cu']\narch = ['sm_90']\nflags = ['-ccbin', './host']\n"+
			strings.Replace(strings.ReplaceAll(kernelGate, "%s", "64"), "reader", "build-timeout = '"+limit+"'\nreader", 1))
		for name, text := range map[string]string{"scan.cu": "", "host": "#!/bin/sh\necho $$ >> pids\nexec sleep 1000\n"} {
			if err := os.WriteFile(filepath.Join(cfg.Root, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		v := runKernelGate(t, cfg)
		if v.Outcome != OutOfTime || len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Text, "the kernels were not compiled within the time limit of "+limit) {
			t.Errorf("%s, %+v", v.Outcome, v.Findings)
		}
		if text, _ = os.ReadFile(filepath.Join(cfg.Root, "pids")); len(text) > 0 {
			break
		}
	}
	if len(text) == 0 {
		t.Fatal("the host compiler was never started")
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
			t.Errorf("host compiler %d is still there: %v", pid, err)
		}
	}
}

// What does not hold of the device code is red, and nothing of it is launched.
func TestKernelFindings(t *testing.T) {
	const set = "[[kernels]]\nname = 'scan'\nprebuilt = ['*.cubin']\nentries = ['scan_fwd', 'scan_bwd']\n"
	v := runKernelGate(t, kernelWorkspace(t, set+strings.ReplaceAll(kernelGate, "%s", "64")))
	if v.Outcome != Red || len(v.Findings) != 1 || !strings.HasPrefix(v.Findings[0].Text, "kernels: gpuci.toml:4: entry-missing: scan_bwd") {
		t.Errorf("%s, %+v", v.Outcome, v.Findings)
	}
	if len(v.Commands) > 0 || len(v.Kernels) != 1 || len(v.Kernels[0].Findings) != 1 {
		t.Errorf("%+v, %+v", v.Commands, v.Kernels)
	}
	if slices.ContainsFunc(v.Marks, func(m string) bool { return strings.Contains(m, "entry-new") }) {
		t.Errorf("an entry that nothing asks for is a mark: %q", v.Marks)
	}
}

// The reason has every kind of finding, for a fault may have to come to any; what was
// accepted is a mark with its reason, and no finding.
func TestKernelFindingKinds(t *testing.T) {
	const set = "[[kernels]]\nname = 'scan'\nprebuilt = ['*.cubin', 'gone.ptx']\nentries = ['scan_fwd', 'scan_bwd']\nmax-registers = 1\nmax-spill-bytes = 0\n" +
		"[[kernels.accept]]\nkind = 'budget-unknown'\nin = 'scan.sm_90.cubin'\nwhy = 'it came so'\n"
	v := runKernelGate(t, kernelWorkspace(t, set+strings.ReplaceAll(kernelGate, "%s", "64")))
	if v.Outcome != Red || len(v.Findings) != 1 {
		t.Fatalf("%s, %+v", v.Outcome, v.Findings)
	}
	for _, want := range []string{"(the first of 4 findings: ", "prebuilt-missing", "entry-missing", "registers 2 times"} {
		if !strings.Contains(v.Findings[0].Text, want) {
			t.Errorf("%q is not in %s", want, v.Findings[0].Text)
		}
	}
	if len(v.Kernels[0].Accepted) != 1 || !slices.ContainsFunc(v.Marks, func(m string) bool {
		return strings.HasPrefix(m, "kernels: accepted: gpuci.toml:") && strings.HasSuffix(m, ", because it came so")
	}) {
		t.Errorf("%+v, %q", v.Kernels[0].Accepted, v.Marks)
	}
}

// What the configuration says can be accepted is what the checks let somebody accept.
func TestKernelAccepts(t *testing.T) {
	if d := cmp.Diff(check.Acceptable(), config.KernelAccepts()); d != "" {
		t.Errorf("-checks +configuration\n%s", d)
	}
}

// Without a compiler nothing is said of a set that has to be compiled.
func TestKernelCompiler(t *testing.T) {
	for _, name := range []string{"GPUCI_NVCC", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", "/usr/bin:/bin")
	cfg := kernelWorkspace(t, "[[kernels]]\nname = 'scan'\nsources = ['*.cu']\narch = ['sm_90']\ncompiler = 'nothing/nvcc'\n"+strings.ReplaceAll(kernelGate, "%s", "64"))
	if err := os.WriteFile(filepath.Join(cfg.Root, "scan.cu"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	v := runKernelGate(t, cfg)
	if v.Outcome != Refused || len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Text, "named by the set scan: no such file") {
		t.Errorf("%s, %+v", v.Outcome, v.Findings)
	}
	cfg.Kernels[0].Sources = []string{"gone/*.cu"}
	cfg.Kernels[0].Compiler = ""
	if v := runKernelGate(t, cfg); v.Outcome != Refused && v.Outcome != BuildFailed {
		t.Errorf("a set that finds no source: %s", v.Outcome)
	}
}

// What stands in the configuration is what is asked of a set, with its line.
func TestKernelSet(t *testing.T) {
	cfg := kernelWorkspace(t, `
[[kernels]]
name = "scan"
sources = ["*.cu"]
arch = ["sm_90a", "compute_80"]
kinds = ["cubin", "ptx"]
flags = ["-O3"]
include = ["inc"]
prebuilt = ["*.cubin"]
host = ["src/*.rs"]
entries = ["scan_fwd"]
deterministic = true
max-registers = 64
max-shared = "48KiB"
  [[kernels.budget]]
  kernel = "scan_bwd"
  max-registers = 255
  [[kernels.launch]]
  kernel = "scan_fwd"
  args = ["pointer", "60"]
  block = [256]
  [[kernels.graph]]
  name = "step"
  entries = ["scan_fwd"]
`)
	n := func(i int) *int { return &i }
	at := func(line int) check.Place { return check.Place{File: "gpuci.toml", Line: line} }
	s := KernelSet(cfg, cfg.Kernels[0], "/root")
	if d := cmp.Diff(build.Set{
		Name: "scan", Root: "/root", Sources: []string{"*.cu"}, Architectures: []string{"sm_90a", "compute_80"}, Kinds: []build.Kind{build.Cubin, build.PTX},
		Flags: []string{"-O3"}, Include: []string{"inc"}, Output: "target/kernels/scan", Keep: []string{"*.cubin"},
	}, s.Build); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	want := []check.Budget{
		{MaxRegisters: n(64), Place: at(13)}, {MaxShared: n(48 << 10), Place: at(14)}, {Kernel: "scan_bwd", MaxRegisters: n(255), Place: at(15)},
	}
	if d := cmp.Diff(want, s.Rules.Budgets); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if s.Rules.Entries[0].Line != 11 || s.Rules.Deterministic[0].Line != 12 || s.Rules.Launches[0].Line != 18 || s.Rules.Graphs[0].Line != 22 || s.Rules.Prebuilt.Line != 9 {
		t.Errorf("%+v", s.Rules)
	}
}

// The budget of one kernel stands before that of all, for the number that it says.
func TestKernelBudgets(t *testing.T) {
	n := func(i int) *int { return &i }
	m := entry.Module{Kind: "cubin", Kernels: []entry.Kernel{{Name: "a", Registers: n(100), Stack: n(8)}, {Name: "b", Registers: n(100), Stack: n(8)}}}
	found := check.Check(check.Input{Modules: []entry.Module{m}, Budgets: []check.Budget{
		{MaxRegisters: n(64)}, {MaxStack: n(0)}, {Kernel: "b", MaxRegisters: n(128)},
	}})
	var got []string
	for _, f := range found {
		got = append(got, f.Rule+" "+f.Kernel)
	}
	if d := cmp.Diff([]string{"registers a", "stack a", "stack b"}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
