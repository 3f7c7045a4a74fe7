package simt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// write writes a file into a directory of the test's own.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is not there is an error of the compiler that says so at the source's own line.
func TestWhatIsNotThereDoesNotCompile(t *testing.T) {
	const head = "extern \"C\" __global__ void k(float *out) {\n"
	for name, c := range map[string]struct{ text, want string }{
		"syntax":       {head + "  out[0] = ;\n}\n", "wrong.cu:2:"},
		"name":         {head + "  out[0] = undeclared_name;\n}\n", "undeclared_name"},
		"atomic":       {head + "  atomicAdd(&out[0], 1.0f);\n}\n", "gpuci simt: atomicAdd is not there on the host"},
		"texture":      {"extern \"C\" __global__ void k(float *out, int n) {\n  cudaTextureObject_t t = 0;\n  out[n] = tex1Dfetch(t, 0);\n}\n", "tex1Dfetch is not there"},
		"vote":         {head + "  if (__any_sync(~0u, 1)) out[0] = 1;\n}\n", "__any_sync is not there"},
		"groups":       {"#include <cooperative_groups.h>\n" + head + "}\n", "cooperative groups are not there"},
		"half":         {"#include <cuda_fp16.h>\n" + head + "}\n", "cuda_fp16.h is not there"},
		"dynamic":      {"extern \"C\" __global__ void c(float *out) { out[0] = 1; }\n" + head + "  c<<<1, 1>>>(out);\n}\n", "a launch in a .cu file is not there"},
		"double":       {head + "  out[0] = __shfl_sync(~0u, 1.0, 0);\n}\n", "float, int and unsigned only"},
		"parameter":    {"extern \"C\" __global__ void k(double *out) { out[0] = 1; }\n", "parameters are float *"},
		"no kernel":    {"__device__ float f() { return 1; } // __global__ void k(float *)\n", "has no __global__ function"},
		"initialising": {"__device__ float f(float *x) { return x[0]; }\n" + head + "  __shared__ float s = f(out);\n  out[0] = s;\n}\n", ""},
	} {
		for _, cxx := range compilers(t) {
			if name == "initialising" && cxx != "g++" {
				continue // Clang runs it once for each worker
			}
			source := write(t, t.TempDir(), "wrong.cu", c.text)
			_, err := simt.Build(t.Context(), simt.Options{Sources: []string{source}, Dir: directory, CXX: cxx})
			if err == nil {
				t.Errorf("%s: %s compiles", cxx, name)
				continue
			}
			var compile *simt.CompileError
			if name != "no kernel" && (!errors.As(err, &compile) || !strings.Contains(err.Error(), "wrong.cu:")) {
				t.Errorf("%s: %s: not an error of the compiler with the source's lines: %v", cxx, name, err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %s: %q is not said: %v", cxx, name, c.want, err)
			}
		}
	}
}

// begun is a directory that has what every plain program of the first compiler is made
// of, and whatever else was compiled before: the runner takes longer than all else.
func begun(t *testing.T) string {
	t.Helper()
	built(t, compilers(t)[0], simt.Plain, "sum.cu")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "objects"), os.DirFS(filepath.Join(directory, "objects"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// anotherSum is sum.cu with something in it by which nobody has compiled it before.
func anotherSum(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sum.cu")
	if err != nil {
		t.Fatal(err)
	}
	return write(t, t.TempDir(), "sum.cu", string(text)+"\n__device__ inline float unused_"+t.Name()+"() { return 1; }\n")
}

// counting counts what is run, by what it is.
type counting struct {
	mu    sync.Mutex
	links int
}

func (c *counting) exec(ctx context.Context, cmd simt.Command) error {
	c.mu.Lock()
	for _, arg := range cmd.Argv {
		if strings.HasSuffix(arg, "runner") && cmd.Argv[0] != arg {
			c.links++
		}
	}
	c.mu.Unlock()
	return command(ctx, cmd).Run()
}

// What was built once is found by its content, wherever it lies; what changed, and
// only that, is compiled again.
func TestBuildIsFoundByContent(t *testing.T) {
	cxx, keep := compilers(t)[0], begun(t)
	var c counting
	build := func(dir string, want, links int) *simt.Program {
		t.Helper()
		c.links = 0
		p, err := simt.Build(t.Context(), simt.Options{
			Sources: []string{filepath.Join(dir, "a.cu"), filepath.Join(dir, "b.cu")}, Include: []string{filepath.Join(dir, "more")},
			Dir: keep, CXX: cxx, Exec: c.exec,
		})
		if err != nil {
			t.Fatal(err)
		}
		if p.Compiled != want || c.links != links {
			t.Errorf("compiled %d and linked %d, want %d and %d", p.Compiled, c.links, want, links)
		}
		return p
	}
	fill := func(factor string) string {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "more"), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "a.cu", "#include \"own.cuh\"\nextern \"C\" __global__ void a(float *out) { out[threadIdx.x] = OWN * factor(); }\n")
		write(t, dir, "b.cu", "extern \"C\" __global__ void b(float *out) { out[threadIdx.x] = 1; }\n")
		write(t, dir, "own.cuh", "#include <far.cuh>\n#define OWN 2\n")
		write(t, filepath.Join(dir, "more"), "far.cuh", "__device__ inline float factor() { return "+factor+"; }\n")
		return dir
	}
	value := func(p *simt.Program) float32 {
		return run(t, p, shape{kernel: "a", blocks: 1, threads: 1}.job(0)).Buffers["out"][0]
	}
	if got := value(build(fill("1"), 2, 1)); got != 2 {
		t.Errorf("got %v", got)
	}
	build(fill("1"), 0, 0)
	if got := value(build(fill("3"), 1, 1)); got != 6 {
		t.Errorf("after a change of a header far away: got %v", got)
	}
	if got := value(build(fill("1"), 0, 0)); got != 2 {
		t.Errorf("after the change was taken back: got %v", got)
	}
	entries, err := os.ReadDir(keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != "objects" && name != "programs" && name != "runtime" {
			t.Errorf("%s was left behind", name)
		}
	}
}

// Many may build the same at once: each gets a program that runs.
func TestBuildAtOnce(t *testing.T) {
	cxx, keep, source := compilers(t)[0], begun(t), anotherSum(t)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			p, err := simt.Build(t.Context(), simt.Options{Sources: []string{source}, Dir: keep, CXX: cxx})
			if err != nil {
				t.Error(err)
				return
			}
			testSum(t, p, "sum_shared", 0)
		})
	}
	wait.Wait()
}

func TestBuildRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		o    simt.Options
		want string
	}{
		"nothing":     {simt.Options{}, "sources and a directory are required"},
		"same name":   {simt.Options{Sources: []string{"a/k.cu", "b/k.cu"}, Dir: directory}, "two sources are called k.cu"},
		"no source":   {simt.Options{Sources: []string{"testdata/none.cu"}, Dir: directory}, "none.cu"},
		"no compiler": {simt.Options{Sources: []string{"testdata/sum.cu"}, Dir: directory, CXX: "no-such-compiler"}, "set CXX"},
		"no such":     {simt.Options{Sources: []string{"testdata/sum.cu"}, Dir: directory, Mode: "fast"}, `unknown "fast"`},
		"other":       {simt.Options{Sources: []string{"testdata/sum.cu"}, Dir: directory, CXX: "true"}, "neither GCC nor Clang"},
	} {
		compilers(t)
		if _, err := simt.Build(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// Without addr2line a finding has no lines and says why.
func TestFindingWithoutAddr2line(t *testing.T) {
	cxx := compilers(t)[0]
	p, err := simt.Build(t.Context(), simt.Options{
		Sources: []string{"testdata/race.cu"}, Mode: simt.Check, Dir: directory, CXX: cxx, Addr2line: "no-such-tool",
	})
	if err != nil {
		t.Fatal(err)
	}
	f := only(t, run(t, p, shape{kernel: "no_barrier", blocks: 1, threads: 64}.job(0)), launch.Race)
	if f.Line != 0 || !strings.Contains(f.Text, "addr2line") {
		t.Errorf("%s", f.Text)
	}
}
