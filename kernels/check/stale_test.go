package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/cubin"
	"gpuci/kernels/entry"
	"gpuci/kernels/ptx"
)

// staleSource has a bit of everything that a kernel runs or reads.
const staleSource = `#include <cstdio>
#include <cassert>
__constant__ float weight[4] = {1, 2, 3, 4};
__device__ int table[4] = {5, 6, 7, 8};
__noinline__ __device__ float heavy(float x) { for (int i = 0; i < 9; i++) x = x * x + weight[i & 3]; return x; }
namespace { __global__ void hidden(float *p) { p[1] = 1; } }
extern "C" __global__ void __launch_bounds__(256) sum(float *p, int n) {
	__shared__ float sh[8];
	assert(n > 0);
	float t = heavy(p[threadIdx.x]);
	sh[threadIdx.x & 7] = t;
	__syncthreads();
	for (int k = 0; k < 8; k++) t += sh[k];
	p[threadIdx.x] = t * 3.0f + table[n & 3] + 3.1415926535897931 * n;
}
extern "C" __global__ void say(int n) { printf("it is %d\n", n); }
void launch(float *p) { hidden<<<1, 1>>>(p); }
`

// compiled is what nvcc has made of texts and options, by the kind of file: on its way to
// a cubin it makes the very PTX that -ptx gives.
var compiled = map[string]map[string]entry.Module{}

// compileAs compiles a text for sm_90, and reads what comes of it.
func compileAs(t *testing.T, nvcc, name, text, kind string, flags ...string) entry.Module {
	t.Helper()
	key := fmt.Sprintf("%q", append([]string{name, text}, flags...))
	if compiled[key] == nil {
		dir := t.TempDir()
		source := filepath.Join(dir, name)
		cubinFile, ptxFile := filepath.Join(dir, "out.cubin"), strings.TrimSuffix(source, ".cu")+".ptx"
		if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, dir, nvcc, append(flags, "-cubin", "-keep", "-keep-dir", dir, "-arch=sm_90", "-o", cubinFile, source)...)
		compiled[key] = map[string]entry.Module{
			"cubin": parsed(t, cubinFile, cubin.Parse), "ptx": parsed(t, ptxFile, ptx.Parse),
		}
	}
	m := compiled[key][kind]
	m.File = "committed." + kind
	return m
}

// parsed is what is in a file.
func parsed(t *testing.T, path string, parse func([]byte) (entry.Module, error)) entry.Module {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Whatever of a source changes what runs, its committed file is stale, by the very
// kernel; line information, paths and comments change nothing. A text is named by PTX where it
// is used, and by a cubin in what its kernels share.
func TestStaleReal(t *testing.T) {
	nvcc := need(t, "nvcc")
	for _, kind := range []string{"cubin", "ptx"} {
		committed := compileAs(t, nvcc, "a.cu", staleSource, kind)
		for _, tt := range []struct {
			name, from, to string
			want           []string // rules and kernels
			flags          []string
		}{
			{"elsewhere", "", "", nil, []string{"-lineinfo"}},
			{"a comment", "float t = heavy", "/* here */ float t = heavy", nil, nil},
			{"a sign", "t += sh[k]", "t -= sh[k]", []string{"stale-code sum"}, nil},
			{"a number", "t * 3.0f", "t * 5.0f", []string{"stale-code sum"}, nil},
			{"a constant of its own", "3.1415926535897931", "3.1415926535897932e1", []string{"stale-code sum"}, nil},
			{"launch bounds", "__launch_bounds__(256)", "__launch_bounds__(512)", []string{"stale-code sum"}, nil},
			{"shared memory", "sh[8]", "sh[4096]", []string{"stale-code sum"}, nil},
			{"a variable", "{5, 6, 7, 8}", "{5, 6, 7, 9}", []string{"stale-data "}, nil},
			{"a text", "it is %d", "it was %d", map[string][]string{"cubin": {"stale-data "}, "ptx": {"stale-code say"}}[kind], nil},
			{"what it calls", "i < 9", "i < 8", []string{"stale-code sum"}, nil},
			{"a static kernel", "p[1] = 1", "p[1] = 2", []string{"stale-code hidden"}, nil},
		} {
			fresh := compileAs(t, nvcc, "a.cu", strings.Replace(staleSource, tt.from, tt.to, 1), kind, tt.flags...)
			var got []string
			for _, f := range Stale([]Fresh{{Committed: committed, Built: fresh, Source: "a.cu"}}) {
				name := f.Kernel
				if strings.Contains(name, "hidden") {
					name = "hidden"
				}
				got = append(got, f.Rule+" "+name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s, %s: %q, want %q", kind, tt.name, got, tt.want)
			}
		}
	}
}
