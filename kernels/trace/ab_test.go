package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The recordings of an H200: the same step with a CUDA graph and without.
func TestBeside(t *testing.T) {
	ab := Beside(reportIn(t, "testdata/h200/graph", Counting{}), reportIn(t, "testdata/h200/eager", Counting{}))
	if ab.Effect != SwitchedOff || ab.B.GraphLaunches != 0 || ab.A.GraphLaunches == 0 || ab.A.GraphKernels != 55*ab.A.GraphLaunches {
		t.Errorf("%s: %+v, %+v", ab.Effect, ab.A, ab.B)
	}
	at := slices.IndexFunc(ab.Stages, func(s ABStage) bool { return s.Name == "step" })
	if at < 0 {
		t.Fatalf("no stage step in %+v", ab.Stages)
	}
	s := ab.Stages[at]
	if !s.A.GraphLaunches.Same() || s.A.GraphLaunches.Low != 1 || s.A.GraphKernels.Low != 55 || s.B.Launches.Low != 55 || s.B.GraphLaunches.High != 0 {
		t.Errorf("%+v", s)
	}
	if s.A.InCalls <= 0 || s.B.InCalls <= s.A.InCalls || !s.Step.Differs {
		t.Errorf("in calls %v and %v, a step %+v", s.A.InCalls, s.B.InCalls, s.Step)
	}
	if g := ab.Graphs; len(g) != 1 || g[0].Kernels != 55 || g[0].OneByOne != 55*g[0].Price.Median || g[0].OneByOne <= g[0].Replay.Median {
		t.Errorf("%+v", g)
	}
	var b bytes.Buffer
	if err := ab.Text(&b, Page{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"B launches no graph\n", "kernels in these", "graphs save ", "by the medians +", "graphs of A"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// A switch that is none is said to be none, as is one that takes a part away, and a run that
// launched nothing.
func TestEffect(t *testing.T) {
	with := func(launches, graphs int64) Report {
		return Report{Processes: []ProcessReport{{Whole: map[Quantity]int64{Launches: launches, GraphLaunches: graphs}}}}
	}
	for want, b := range map[Effect]Report{SwitchedOff: with(5, 0), Fewer: with(5, 3), NoEffect: with(0, 4), Nothing: with(0, 0)} {
		if got := Beside(with(0, 4), b).Effect; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWithout(t *testing.T) {
	env := []string{"A=1", "XLA_FLAGS=--xla_dump_to=/d", "TORCH_COMPILE_DISABLE=1", "GGML_CUDA_DISABLE_GRAPHS="}
	with, set := Without(Switches(), env)
	want := []string{"GGML_CUDA_DISABLE_GRAPHS=1", "TORCHDYNAMO_DISABLE=1", "XLA_FLAGS=--xla_dump_to=/d --xla_gpu_enable_command_buffer="}
	if !slices.Equal(set, want) || !slices.Equal(with, append([]string{"A=1", "TORCH_COMPILE_DISABLE=1"}, want...)) {
		t.Errorf("%q: %q", set, with)
	}
	if _, set := Without(Switches(), with); len(set) != 0 || env[3] != "GGML_CUDA_DISABLE_GRAPHS=" {
		t.Errorf("again %q; the caller's is %q", set, env)
	}
}

func TestCompareFiles(t *testing.T) {
	dir := t.TempDir()
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<17) // 2 MiB: pieces end where the file does
	other := slices.Clone(long)
	other[1<<20], other[1<<20+5] = 'x', 'y'
	for name, c := range map[string]struct {
		a, b []byte
		want FileAB
	}{
		"same":        {[]byte("abc"), []byte("abc"), FileAB{Same: true, BytesA: 3, BytesB: 3, First: -1}},
		"empty":       {nil, nil, FileAB{Same: true, First: -1}},
		"one is none": {nil, []byte("a"), FileAB{BytesB: 1}},
		"byte":        {[]byte("abcd"), []byte("axcy"), FileAB{BytesA: 4, BytesB: 4, First: 1, Differ: 2}},
		"shorter":     {[]byte("abcd"), []byte("ab"), FileAB{BytesA: 4, BytesB: 2, First: 2}},
		"long":        {long, long, FileAB{Same: true, BytesA: 2 << 20, BytesB: 2 << 20, First: -1}},
		"pieces":      {long, other, FileAB{BytesA: 2 << 20, BytesB: 2 << 20, First: 1 << 20, Differ: 2}},
		"piece more":  {long[:1<<20], long, FileAB{BytesA: 1 << 20, BytesB: 2 << 20, First: 1 << 20}},
	} {
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		if err := os.WriteFile(a, c.a, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(b, c.b, 0o600); err != nil {
			t.Fatal(err)
		}
		c.want.Path = name
		if got := CompareFiles(name, a, b); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "none"), "/dev/null"} {
		if got := CompareFiles("x", path, path); got.Same || got.Why == "" {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

func TestCompareLines(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want LinesAB
	}{
		{"", "", LinesAB{}},
		{"x\ny\n", "x\ny\n", LinesAB{A: 2, B: 2}},
		{"x\n", "x", LinesAB{A: 1, B: 1}},
		{"loss 1.25e-3 in 4 ms\nend\n", "loss 1.5 in 11 ms\nEnd\n", LinesAB{A: 2, B: 2, Differ: 2, Numbers: 1,
			First: []LinePair{{1, "loss 1.25e-3 in 4 ms", "loss 1.5 in 11 ms"}, {2, "end", "End"}}}},
		{"at 0xff: nan\n", "at 0x1: 3\n", LinesAB{A: 1, B: 1, Differ: 1, Numbers: 1, First: []LinePair{{1, "at 0xff: nan", "at 0x1: 3"}}}},
		{"a\nb\nc\n", "a\n", LinesAB{A: 3, B: 1}},
	} {
		got, err := CompareLines(strings.NewReader(c.a), strings.NewReader(c.b))
		if err != nil || got.A != c.want.A || got.B != c.want.B || got.Differ != c.want.Differ || got.Numbers != c.want.Numbers || !slices.Equal(got.First, c.want.First) {
			t.Errorf("%q and %q: %v: %+v, want %+v", c.a, c.b, err, got, c.want)
		}
	}
	many := strings.Repeat("a\n", 9)
	got, err := CompareLines(strings.NewReader(many), strings.NewReader(strings.ToUpper(many)))
	if err != nil || got.Differ != 9 || len(got.First) != pairsMax || got.Same() {
		t.Errorf("%v: %+v", err, got)
	}
}
