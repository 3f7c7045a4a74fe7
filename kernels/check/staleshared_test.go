package check

import (
	"slices"
	"strings"
	"testing"
)

// sharedSource has what kernels come to by an address alone, and texts.
const sharedSource = `#include <cstdio>
__constant__ float weight[4] = {1, 2, 3, 4};
__device__ int table[4] = {5, 6, 7, 8};
__device__ float empty[4];
__device__ int one(int x) { return x + 11; }
__device__ int two(int x) { return x * 3; }
typedef int (*F)(int);
__device__ F pointers[2] = {one, two};
struct base { __device__ virtual int go(int x) { return x + 7; } };
struct derived : base { __device__ virtual int go(int x) { return x + 8; } };
__device__ base *object;
__device__ int unused(int x) { return x * 5; }
extern "C" __global__ void k(int *p, int n) {
	p[0] = pointers[n & 1](p[1]) + table[n & 3] + weight[n & 3] + object->go(n);
	empty[n & 3] = 1;
}
extern "C" __global__ void make() { object = new derived; }
extern "C" __global__ void first() { printf("weights.h"); printf("the other"); }
extern "C" __global__ void second() { printf("weights.h"); }
`

// What kernels share is compared in every kind of file, before it is linked and after.
func TestStaleShared(t *testing.T) {
	nvcc := need(t, "nvcc")
	for _, kind := range []string{"cubin", "ptx", "cubin -rdc=true", "ptx -rdc=true"} {
		words := strings.Fields(kind)
		as := func(from, to string) Fresh {
			return Fresh{Built: compileAs(t, nvcc, "a.cu", strings.Replace(sharedSource, from, to, 1), words[0], words[1:]...)}
		}
		committed := as("", "").Built
		for _, tt := range [][2]string{
			{"", ""},
			{"{5, 6, 7, 8}", "{5, 6, 7, 9}"},
			{"{1, 2, 3, 4}", "{1, 2, 3, 5}"},
			{"x + 11", "x + 12"},
			{"{one, two}", "{two, one}"},
			{"x + 8", "x + 9"},
			{"x * 5", "x * 6"},
			{"empty[4]", "empty[8]"},
			{"weights.h", "we1ghts.h"},
			{`second() { printf("weights.h")`, `second() { printf("the other")`},
		} {
			if tt[0] == "x * 5" && len(words) == 1 {
				continue // without -rdc there is no such function
			}
			f := as(tt[0], tt[1])
			f.Committed = committed
			got := brief(Stale([]Fresh{f}))
			if (len(got) > 0) != (tt[0] != "") || slices.ContainsFunc(got, func(s string) bool { return !strings.HasPrefix(s, "stale-data") && !strings.HasPrefix(s, "stale-code") }) {
				t.Errorf("%s: %s for %s: %q", kind, tt[1], tt[0], got)
			}
		}
	}
}

// Options that changed nothing are no finding, and those that did are; names of files that
// nvcc makes up are no options.
func TestStaleFlags(t *testing.T) {
	nvcc := need(t, "nvcc")
	const source = `extern "C" __global__ void k(float *p) { p[0] = __fdividef(p[1], 3.0f) + p[2] * p[3]; p[4] = p[5] / p[6]; }`
	build := func(flags ...string) Fresh {
		return Fresh{Built: compileAs(t, nvcc, "a.cu", source, "cubin", flags...)}
	}
	committed, debug := build().Built, build("-G").Built
	for flags, want := range map[string]int{"": 0, "-O3 -Xptxas -O3": 0, "-Xptxas -warn-spills": 0, "-m 64": 0, "-t 2 --split-compile=2": 0, "-use_fast_math": 1} {
		f := build(strings.Fields(flags)...)
		f.Committed = committed
		if got := brief(Stale([]Fresh{f})); len(got) != want {
			t.Errorf("%s: %q", flags, got)
		}
	}
	f := build("-G")
	if f.Committed = debug; len(Stale([]Fresh{f})) > 0 {
		t.Errorf("the same with -G: %q, of %q and %q", brief(Stale([]Fresh{f})), debug.Flags, f.Built.Flags)
	}
	if f.Committed = committed; len(Stale([]Fresh{f})) == 0 {
		t.Error("debug code holds")
	}
}
