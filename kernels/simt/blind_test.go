package simt_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// blind is a launch of blind.cu.
func blind(kernel string, threads, blocks int) launch.Job {
	return shape{kernel: kernel, blocks: blocks, threads: threads, scratch: 64}.job(0)
}

// Each of these was clean once, with one compiler or with both.
func TestWrongKernelsAreFound(t *testing.T) {
	all := []simt.Mode{simt.Plain, simt.Address, simt.Check}
	check := []simt.Mode{simt.Check}
	for _, c := range []struct {
		kernel  string
		kind    launch.Kind
		threads int
		blocks  int
		modes   []simt.Mode
		memory  string // "": any
	}{
		{"by_value", launch.Race, 64, 1, check, ""},
		{"by_operator", launch.Race, 64, 1, check, ""},
		{"by_hint", launch.Race, 64, 1, check, ""},
		{"by_lambda", launch.Uninitialised, 64, 1, check, "scratch[0]"},
		{"returned_twice", launch.Race, 64, 1, check, ""},
		{"never_written", launch.Uninitialised, 64, 1, check, "bias+0"},
		{"never_in_file", launch.Uninitialised, 64, 1, check, "of_file+0"},
		{"never_compared", launch.Uninitialised, 64, 1, check, "s+0"},
		{"program", launch.Race, 64, 2, check, ""},
		{"of_another", launch.OutOfBounds, 64, 1, check, "local(63,0,0)"},
		{"below", launch.OutOfBounds, 64, 1, all, "shared-4"},
		{"above", launch.OutOfBounds, 64, 1, all, "shared+232456"},
		{"far_read", launch.OutOfBounds, 64, 1, all, "scratch[1048576]"},
		{"far_write", launch.OutOfBounds, 64, 1, all, "out[-1048576]"},
		{"indexed", launch.OutOfBounds, 64, 1, check, ""},
		{"bytes", launch.Race, 64, 1, check, "s+0"},
		{"quarter", launch.Unwritten, 64, 1, check, "out[0]"},
		{"copied", launch.Race, 64, 1, check, ""},
		{"no_lane", launch.Uninitialised, 48, 1, all, "lane[16]"},
		{"outside_mask", launch.Uninitialised, 64, 1, all, "lane[16]"},
		{"two_kinds", launch.DivergentBarrier, 64, 1, all, ""},
		{"one_line", launch.DivergentBarrier, 64, 1, all, ""},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for _, cxx := range compilers(t) {
				for _, mode := range c.modes {
					f := only(t, run(t, built(t, cxx, mode, "blind.cu"), blind(c.kernel, c.threads, c.blocks)), c.kind)
					if c.memory != "" && f.Memory != c.memory {
						t.Errorf("%s, %s: want memory %s: %s", cxx, mode, c.memory, f.Text)
					}
				}
			}
		})
	}
}

// Whoever writes into an input is told, whatever the kernel then computes.
func TestInputIsNotWritten(t *testing.T) {
	for _, cxx := range compilers(t) {
		for _, mode := range modes {
			job := blind("far_write", 64, 1)
			job.Launches[0].Kernel = "write"
			job.Buffers[1] = launch.Buffer{Name: "out", Count: 64, Data: make([]float32, 64), Role: launch.Input}
			if f := only(t, run(t, built(t, cxx, mode, "blind.cu"), job), launch.Rewritten); f.Memory != "out[0]" || f.File != "blind.cu" {
				t.Errorf("%s, %s: want out[0] of blind.cu: %s", cxx, mode, f.Text)
			}
		}
	}
}

func TestBlindRightKernelsAreNotAccused(t *testing.T) {
	for _, cxx := range compilers(t) {
		for _, mode := range modes {
			for _, kernel := range []string{"padding", "write"} {
				r := run(t, built(t, cxx, mode, "blind.cu"), blind(kernel, 64, 1))
				none(t, r)
				if want := map[string]float32{"padding": 130, "write": 0}[kernel]; r.Buffers["out"][0] != want {
					t.Errorf("%s, %s, %s: out[0] is %v, want %v", cxx, mode, kernel, r.Buffers["out"][0], want)
				}
			}
		}
	}
}

func TestLaunchesThatNoDeviceTakes(t *testing.T) {
	for _, cxx := range compilers(t) {
		for kernel, want := range map[string]string{"bounded": "__launch_bounds__ are 32", "too_much": "80000 bytes of static __shared__"} {
			_, err := built(t, cxx, simt.Plain, "blind.cu").Run(t.Context(), blind(kernel, 64, 1))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: error %v, want one with %q", cxx, kernel, err, want)
			}
		}
		run(t, built(t, cxx, simt.Plain, "blind.cu"), blind("bounded", 32, 1))
	}
}

// A thread that waits for another in a loop would wait for ever.
func TestSpinIsEnded(t *testing.T) {
	for _, mode := range modes {
		p, err := simt.Build(t.Context(), simt.Options{
			Sources: []string{"testdata/blind.cu"}, Mode: mode, Dir: directory, CXX: compilers(t)[0], Limit: time.Second, // in which it comes to its loop on a busy machine, too
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Run(t.Context(), blind("spin", 64, 1))
		var limit *simt.LimitError
		if !errors.As(err, &limit) || limit.At == nil || limit.At.Kernel != "spin" ||
			limit.At.File != "blind.cu" && (mode != simt.Check || limit.At.File != "") { // it may be the shadow that is running
			t.Errorf("%s: error %v, want a limit that names kernel, thread and line", mode, err)
		}
	}
}

// Two sources may have the same helper, of another content: each has its own.
func TestSourcesAreProgramsOfTheirOwn(t *testing.T) {
	source := func(kernel, factor string) string {
		return "struct Acc { float s; __device__ __noinline__ float run(float x) { return s * x * " + factor + "; } };\n" +
			"template <class T> __device__ __noinline__ T act(T x) { return x * " + factor + "; }\n" +
			"__device__ float helper(float x) { return x + " + factor + "; }\n" +
			"__device__ float held = " + factor + ";\n" +
			"extern \"C\" __global__ void " + kernel + "(float *out) { Acc a{1}; out[0] = a.run(1) + act(10.0f) + helper(100) + held; }\n"
	}
	dir := t.TempDir()
	sources := []string{write(t, dir, "a.cu", source("read", "2")), write(t, dir, "b.cu", source("open", "3"))}
	for _, cxx := range compilers(t) {
		for _, mode := range modes {
			p, err := simt.Build(t.Context(), simt.Options{Sources: sources, Mode: mode, Dir: directory, CXX: cxx})
			if err != nil {
				t.Fatal(err)
			}
			for kernel, want := range map[string]float32{"read": 2 + 20 + 102 + 2, "open": 3 + 30 + 103 + 3} {
				r := run(t, p, shape{kernel: kernel, blocks: 1, threads: 1}.job(0))
				none(t, r)
				if got := r.Buffers["out"][0]; got != want {
					t.Errorf("%s, %s, %s: %v, want %v", cxx, mode, kernel, got, want)
				}
			}
		}
	}
}

// What cannot be looked at is refused: calls that remain with GCC, and variables of a
// thread that are read before they are written.
func TestUnseenIsRefused(t *testing.T) {
	const six = "struct Six { float a[6]; };\n__device__ float last(Six s) { return s.a[5]; }\n__device__ Six one() { return {}; }\n"
	head := "extern \"C\" __global__ void k(float *out, int n) {\n"
	for name, c := range map[string]struct {
		text, want, gcc string // gcc: what is said by GCC, want: by Clang; "": it builds
	}{
		"given":     {six + head + "  __shared__ Six s[4];\n  s[n] = {};\n  float (*volatile f)(Six) = last;\n  out[0] = f(s[n]);\n}\n", "", "a.cu:8: the call of "},
		"global":    {six + head + "  float (*volatile f)(Six) = last;\n  out[0] = f(*reinterpret_cast<Six *>(out));\n}\n", "", "a.cu:6: the call of "},
		"static":    {six + head + "  __shared__ Six s;\n  s = {};\n  float (*volatile f)(Six) = last;\n  out[0] = f(s);\n}\n", "", "a.cu:8: the call of "},
		"returned":  {six + head + "  __shared__ Six s;\n  Six (*volatile f)() = one;\n  s = f();\n  out[0] = 1;\n}\n", "", "a.cu:7: the call of "},
		"own":       {six + head + "  Six s{};\n  float (*volatile f)(Six) = last;\n  out[0] = f(s);\n}\n", "", ""},
		"recursion": {six + "__device__ float up(Six s, int n) { return n ? up(s, n - 1) + s.a[n] : s.a[0]; }\n" + head + "  Six s{};\n  out[0] = up(s, n);\n}\n", "", ""},
		"sum":       {head + "  float s;\n  for (int i = 0; i < n; i++) s += out[i];\n  out[0] = s;\n}\n", "a.cu:3:", "a.cu:3:"},
		"largest":   {head + "  float s;\n  for (int i = 0; i < n; i++) s = fmaxf(s, out[i]);\n  out[0] = s;\n}\n", "a.cu:", "a.cu:"},
	} {
		for _, cxx := range compilers(t) {
			want := c.want
			if cxx == "g++" {
				want = c.gcc
			}
			source := write(t, t.TempDir(), "a.cu", c.text)
			_, err := simt.Build(t.Context(), simt.Options{Sources: []string{source}, Mode: simt.Check, Dir: directory, CXX: cxx})
			if (err == nil) != (want == "") {
				t.Errorf("%s: %s: error %v, want %q", cxx, name, err, want)
			} else if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: error %v, want %q", cxx, name, err, want)
			}
		}
	}
}
