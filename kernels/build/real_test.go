package build

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

const add = `#include "h.h"
extern "C" __global__ void add(float* a, const float* b, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) a[i] += b[i] * K;
}
`

func modified(s *stage, path string) time.Time {
	s.Helper()
	info, err := os.Stat(path)
	if err != nil {
		s.Fatal(err)
	}
	return info.ModTime()
}

// The real compiler: what was built is not built again, for as long as all is as it
// was; and then it is.
func TestReal(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", add, "inc2/h.h", "#define K 2\n", "inc1/other.h", "").real()
	s.set.Include = []string{"inc0", "inc1", "inc2"}
	s.set.Architectures = []string{"sm_90", "compute_90"}
	first := s.only()
	s.want(first, 2, "never compiled here")
	if u := first.Units[0]; !strings.Contains(u.Log, "registers") || !strings.HasSuffix(u.Output, "/out/a.sm_90.cubin") {
		t.Fatalf("%s: %q", u.Output, u.Log)
	}
	made, calls := modified(s, first.Units[0].Output), s.calls.Load()
	second := s.only()
	if s.want(second, 0); second.Count(Current) != 2 || s.calls.Load() != calls || !modified(s, first.Units[0].Output).Equal(made) {
		t.Fatalf("not left alone: %s", told(second))
	}
	if second.Units[0].Log != first.Units[0].Log {
		t.Fatalf("the log is %q, and was %q", second.Units[0].Log, first.Units[0].Log)
	}

	s.file("inc1/h.h", "#define K 1\n")
	s.want(s.build(), 2, "h.h, asked for in a.cu, is now inc1/h.h, and was inc2/h.h")
	s.remove("inc1/h.h")
	back := s.only()
	if s.want(back, 0); back.Count(Cached) != 2 {
		t.Fatal(told(back))
	}
}

// The machine's own headers count: one that comes to stand before them is noticed.
func TestRealShadow(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#define K 3\n"+strings.TrimPrefix(add, "#include \"h.h\"\n"), "inc/x", "").real()
	s.set.Include = []string{"inc"}
	s.want(s.only(), 1)
	s.file("inc/bits/c++config.h", "#include_next <bits/c++config.h>\n#define SHADOWED\n")
	s.want(s.only(), 1, "bits/c++config.h, asked for in /usr/", "is now inc/bits/c++config.h")
	s.file("inc/cuda_runtime.h", "#include_next <cuda_runtime.h>\n#define atomicAdd no\n") // which no source names
	s.want(s.soaked(), 1, "cuda_runtime.h is now inc/cuda_runtime.h")
}

// A fat binary's headers are those of all its architectures, and of the host.
func TestRealArchitectures(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#if __CUDA_ARCH__ >= 900\n#include \"new.h\"\n#elif defined(__CUDA_ARCH__)\n#include \"old.h\"\n#else\n#define K 1\n#endif\n"+
		strings.TrimPrefix(add, "#include \"h.h\"\n"), "new.h", "#define K 2\n", "old.h", "#define K 3\n").real()
	s.set.Kinds, s.set.Architectures = []Kind{Fatbin}, []string{"sm_80", "sm_90"}
	s.want(s.only(), 1)
	s.want(s.only(), 0)
	s.file("old.h", "#define K 4\n")
	s.want(s.only(), 1, "old.h changed")
	s.file("new.h", "#define K 5\n")
	s.want(s.soaked(), 1, "new.h changed")
}

// All failures come with the compiler's words; what can be built is.
func TestRealFailures(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#include \"none.h\"\n", "b.cu", "__global__ void f() { undeclared(); }\n", "c.cu", "__global__ void f() {}\n").real()
	r, err := Build(t.Context(), s.set, s.o)
	var f *Failure
	if !errors.As(err, &f) || len(f.Units) != 2 || r.Count(Compiled) != 1 {
		t.Fatalf("%v: %s", err, told(r))
	}
	for _, want := range []string{"none.h", "undeclared", "a.cu (cubin sm_90)", "b.cu (cubin sm_90)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	s.file("none.h", "\n")
	s.file("b.cu", "__global__ void f() {}\n")
	s.want(s.only(), 2)
}

// An object has every architecture in it, and is kept though no two are alike.
func TestRealObject(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a b.cu", "__global__ void f() {}\n").real()
	s.set.Kinds, s.set.Architectures = []Kind{Object}, []string{"sm_80", "compute_90"}
	s.want(s.only(), 1)
	s.want(s.only(), 0)
	if _, err := os.Stat(s.path("out/a b.sm_80+compute_90.o")); err != nil {
		t.Fatal(err)
	}
}
