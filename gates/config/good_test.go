package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func mustLoad(t testing.TB, src Sources) *Config {
	t.Helper()
	c, err := Load(src)
	if err != nil {
		t.Fatalf("load %s: %v", src.Workspace, err)
	}
	return c
}

// loadGood loads a file of testdata/good as the workspace of a fresh directory.
func loadGood(t testing.TB, name string) (*Config, Sources) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "good", name))
	if err != nil {
		t.Fatal(err)
	}
	src := sourcesIn(t.TempDir())
	write(t, src.Workspace, string(data))
	return mustLoad(t, src), src
}

func ptr(f float64) *float64 { return &f }

func whole(n int) *int { return &n }

// ignoreLines leaves out where something stands.
var ignoreLines = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" }, cmp.Ignore())

// TestDesignSample reads the sample that the design promises.
func TestDesignSample(t *testing.T) {
	c, src := loadGood(t, "design.toml")
	want := defaults()
	want.Root = filepath.Dir(src.Workspace)
	want.Workspace.Name = "dormouse"
	want.Pressure.MinFree = 28 << 30
	want.Gates = []Gate{
		{
			Name: "fused-adjoint", About: "the fused KDA backward against the float64 oracle",
			Build: []Command{{Argv: []string{"cargo", "build", "--features", "cuda", "--test", "fused_adjoint_f64"}}},
			Run:   []Command{{Argv: []string{"cargo", "test", "--features", "cuda", "--test", "fused_adjoint_f64", "--", "--nocapture"}}},
			Dir:   ".", Profile: "debug", Needs: []string{"gpu"}, Card: CardNeed{Count: 1},
			BuildTimeout: 40 * time.Minute, Timeout: 20 * time.Minute, NoProgress: 2 * time.Minute, Grace: 5 * time.Second,
			Reader: "libtest", MinTests: 2,
			Bars: []Bar{{Metric: "worst-rel", Pattern: `worst rel (?P<value>[0-9.eE+-]+) on (?P<term>d_\w+)`, Max: ptr(2e-5), MinMatches: 1}},
			Witnesses: []Witness{{
				Pattern: `fused kda=(?P<fused>\d+)/(?P<asked>\d+) node_bwd=(?P<node_bwd>\d+) declined=(?P<declined>\d+)`,
				Holds:   "node_bwd > 0 && fused == asked",
			}},
			Scope:  map[string]Axis{"chunks": {Covered: []any{int64(1), int64(2), int64(4)}, Production: []any{int64(32)}}},
			Faults: []Fault{{Name: "double-exp", Patch: "faults/double-exp.patch", MustMove: "worst-rel", Margin: 100, MustNotMove: []string{"one-chunk-rel"}}},
		},
		{
			Name: "fused-library",
			Run:  []Command{{Argv: []string{"cargo", "test", "--test", "fused_library"}}},
			Dir:  ".", BuildTimeout: 40 * time.Minute, Timeout: 20 * time.Minute, NoProgress: 5 * time.Minute, Grace: 5 * time.Second,
			Reader: "libtest", MinTests: 1,
			Expect: "red", Owner: "kernels", Until: time.Date(2026, 12, 15, 0, 0, 0, 0, time.UTC),
		},
	}
	if d := cmp.Diff(want, c, cmpopts.IgnoreUnexported(Config{})); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestPrintLoadsAgain holds the printed result against what was printed.
func TestPrintLoadsAgain(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 3 {
		t.Fatalf("found %d good files, want at least 3", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, src := loadGood(t, filepath.Base(file))
			write(t, src.Machine, "links = 3\nlock-dir = '/run/lock/\"mine\"'\n[[card]]\ncapability = '9.0'\n[gpu]\ncards = ['0']\n[[protect]]\nname = 'x'\nuser = '0'\nshare = true\n")
			c := mustLoad(t, src)
			printAgain(t, c, src)
		})
	}
}

func printAgain(t testing.TB, c *Config, src Sources) {
	t.Helper()
	var out bytes.Buffer
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
	write(t, src.Workspace, out.String())
	again := mustLoad(t, src)
	if d := cmp.Diff(c, again, cmpopts.IgnoreUnexported(Config{}), ignoreLines, cmpopts.IgnoreFields(Config{}, "Cards", "Protected"), cmpopts.IgnoreFields(GPU{}, "Cards")); d != "" {
		t.Errorf("printed:\n%s\n-first +again\n%s", out.String(), d)
	}
	for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if strings.Contains(line, " = ") && !strings.Contains(line, "  # ") {
			t.Errorf("line %d does not say where its value came from: %s", i+1, line)
		}
	}
}

// TestEveryKey spells out what the round trip cannot see: values that are
// dropped on the way in.
func TestEveryKey(t *testing.T) {
	c, _ := loadGood(t, "every-key.toml")
	if len(c.Gates) != 2 {
		t.Fatalf("got %d gates, want 2", len(c.Gates))
	}
	want := Gate{
		Name: "every.key_1", About: `it's "quoted" \ here`,
		Build: []Command{{Argv: []string{"make", "-j2"}}, {Argv: []string{"make", "check-build", ""}}},
		Run:   []Command{{Shell: "make check |\n  tee \"log file\"\n"}},
		Dir:   "sub/dir", Products: []string{"target/*.so", "build/[a-z]*"}, Kernels: []string{"every.set_1"}, KernelsID: c.Gates[0].KernelsID, Leave: []string{"sccache"},
		Env:     map[string]string{"RUST_BACKTRACE": "1", "odd.name": "", "TAB": "a\tb\x01\"'"},
		Profile: "release", Backend: "cuda", Needs: []string{"gpu:2", "vram>=40GiB", "sm>=90", "gpu"},
		Card: CardNeed{Count: 2, VRAM: 40 << 30, SM: 90}, VRAM: 3 << 29, Measures: MeasuresTime, Bundle: []string{"testdata/**", "tools/run"},
		BuildTimeout: 1500 * time.Millisecond, Timeout: 90 * time.Minute,
		Reader: "gotest", MinTests: 16,
		Bars: []Bar{
			{
				Metric: "step-ms", Pattern: `step (?P<value>[\d.]+) on (?P<card>\w+)`, Min: ptr(-1), Max: ptr(1e21),
				Unit: "ms", Parts: []string{"fwd-ms", "bwd-ms"}, Tolerance: 0, MinMatches: 3,
			},
			{Metric: "said-by-the-gate", Min: ptr(1000), Within: 0.075, Better: BetterHigher, Floor: ptr(0.25), MinMatches: 1},
			{Metric: "only-within", Within: 1, Better: BetterLower, Since: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), MinMatches: 1},
		},
		Metrics: []Metric{{Name: "fwd-ms", Pattern: `fwd (?P<value>\d+)'`, Unit: "%"}},
		Witnesses: []Witness{
			{Name: "fused", Pattern: `fused=(?P<fused>\d+)`, Holds: "fused > 0"},
			{Pattern: `declined=(?P<declined>\d+)`, Holds: "declined\n== 0"},
		},
		Scope: map[string]Axis{
			"chunks": {Covered: []any{int64(1), 2.0, "odd"}, Production: []any{int64(-1)}},
			"heads":  {Covered: []any{int64(1)}, Production: []any{1e300, 1e20}},
			"dims":   {Shown: true, Production: []any{int64(-1), int64(0), int64(1), int64(2)}},
		},
		Faults: []Fault{
			{Name: "double-exp", Patch: "faults/double-exp.patch", MustMove: "step-ms", Margin: 1.5, MustNotMove: []string{"fwd-ms"}, Must: "red"},
			{Name: "sign", Replace: &Replace{File: "src/a.cu", From: "a\n- b", To: "", Count: 2}, Must: "witness:declined == 0"},
			{Name: "by-hand", Command: []Command{{Argv: []string{"touch", "x"}}, {Argv: []string{"true"}}}, MustMove: "step-ms card=a", Margin: 100, MustNotMove: []string{"fwd-ms a=b", "step-ms card=b"}},
		},
		Subject: "keys",
		Repeat:  &Repeat{Times: 3, Identical: true, Files: []string{"out/*.bin", "out/[ab].raw"}, Elements: "bf16", Spread: map[string]float64{"fwd-ms": 0.125, "step-ms": 0.02}},
		Expect:  "red", Owner: "the kernels people", Until: time.Date(2026, 12, 15, 0, 0, 0, 0, time.UTC),
		After: []string{"next"}, DayOnly: true,
		Slurm: &GateSlurm{Partition: "short", Constraint: "a100", Options: []string{"--mem-bind=local"}, Memory: 3 << 29, CPUs: 8, Carry: CarryBundle},
	}
	if d := cmp.Diff(want, c.Gates[0]); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if c.Pressure.MinFree != 3<<29 || c.Pressure.Budget != 90*time.Second || c.Pressure.IOFull.Short != 70 {
		t.Errorf("got pressure %+v", c.Pressure)
	}
	if c.GPU.Wait != 2*time.Hour || c.GPU.Headroom != 3<<30 {
		t.Errorf("got gpu %+v", c.GPU)
	}
	if c.Workspace.Base != "trunk" || c.History.TSV != "benches/history.tsv" || c.History.Runs != 7 {
		t.Errorf("got base %q, history %+v", c.Workspace.Base, c.History)
	}
	if d := cmp.Diff(CI{Until: "07:05", Lanes: []string{"kda-*", "main"}, Required: []string{"next"}}, c.CI); d != "" {
		t.Errorf("[ci]: -want +got\n%s", d)
	}
	slurm := Slurm{
		Shared: "/shared/gpuci", Scratch: "/scratch", Partition: "gpu,long", Account: "kernels", QOS: "high", Constraint: "h200&nvlink",
		GRES: "gpu:h200:{cards}", InFlight: 7, Wait: 30 * time.Minute, Attempts: 1, Options: []string{"--nodelist=n[1-4]", "--exclusive", "--comment=it's $(hers)"},
	}
	if d := cmp.Diff(slurm, c.Slurm); d != "" {
		t.Errorf("[slurm]: -want +got\n%s", d)
	}
	if g := c.Gates[1]; g.MinTests != 0 || g.BuildTimeout != c.Build.Timeout {
		t.Errorf("with reader none and no build-timeout got min-tests %d, build-timeout %v", g.MinTests, g.BuildTimeout)
	}
}

// TestEveryKeyOfKernels is TestEveryKey for [[kernels]].
func TestEveryKeyOfKernels(t *testing.T) {
	c, _ := loadGood(t, "every-key.toml")
	want := []KernelSet{
		{
			Name: "every.set_1", Sources: []string{"cuda/**/*.cu", "a b/x.cu"}, Arch: []string{"sm_90a", "compute_80"}, Kinds: KernelKinds(),
			Flags: []string{"-O3", `-DX="1 2"`}, Include: []string{"cuda/include", "."}, Output: "out/kernels", Pattern: "{stem}.{arch}.{ext}",
			Compiler: "/opt/cuda/bin/nvcc", NVCCVersion: "13.0", Prebuilt: []string{"pre/*.cubin"}, Host: []string{"src/**/*.rs", "py/*.py"},
			Entries: []string{"scan_fwd"}, Deterministic: []string{"scan_*"},
			KernelLimits: KernelLimits{Registers: whole(128), Spill: whole(0), Shared: whole(48 << 10), Stack: whole(1 << 10)},
			Budgets:      []KernelBudget{{Kernel: "scan_bwd*", KernelLimits: KernelLimits{Registers: whole(255)}}},
			Launches:     []KernelLaunch{{Kernel: "scan_fwd", Module: "*.cubin", Args: []string{"pointer", "u32", "60"}, Block: []int{32, 8, 1}}},
			Graphs:       []KernelGraph{{Name: "a step", Entries: []string{"scan_fwd", "scan_bwd"}, Outside: []string{"scan_fwd"}}},
			Accepts:      []KernelAccept{{Kind: "float-atomic-unknown", Kernel: "scan_max", Of: []string{"3fa9c1d0", "0123abcd"}, Why: "no sum"}, {Kind: "host-unclear", In: "src/main.rs", Why: "by hand"}},
		},
		{Name: "prebuilt-alone", Output: "target/kernels/prebuilt-alone", Prebuilt: []string{"*.ptx"}, Deterministic: []string{"*"}},
	}
	if d := cmp.Diff(want, c.Kernels, ignoreLines); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if k := c.Kernels[0]; k.Budgets[0].Line == 0 || k.Launches[0].Line <= k.Budgets[0].Line || k.Graphs[0].Line <= k.Launches[0].Line || k.Accepts[0].Line <= k.Graphs[0].Line {
		t.Errorf("%+v", k)
	}
}

// What identifies a gate's sets follows what they say, and not where it stands.
func TestKernelsID(t *testing.T) {
	id := func(text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), FileName)
		write(t, path, text)
		return mustLoad(t, Sources{Workspace: path}).Gates[0].KernelsID
	}
	const gate = "\n[[gate]]\nname = 'g'\nrun = ['true']\nreader = 'none'\nkernels = ['a']\n"
	const set = "[[kernels]]\nname = 'a'\nsources = ['*.cu']\narch = ['sm_90']\n[[kernels.budget]]\nkernel = 'k'\nmax-registers = 3\n"
	first := id(set + gate)
	if first == "" || first != id("# a comment\n\n"+set+gate) || first != id(set+"[[kernels]]\nname = 'b'\nprebuilt = ['x']\n"+gate) {
		t.Error("the same set has another id")
	}
	if first == id(strings.Replace(set, "= 3", "= 4", 1)+gate) {
		t.Error("another budget has the same id")
	}
}
