package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Flags that write files elsewhere are refused wherever they stand.
func TestWritingFlags(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{"-save-temps"}, {"--save-temps"}, {"-time", "a.cu"}, {"--time=a.cu"}, {"-keep-dir", "x"}, {"--keep"}, {"-fdevice-time-trace=x"},
		{"-Xcompiler", "-save-temps=obj"}, {"-Xcompiler=-O2,-MFx"}, {"-Xcompiler=-fdump-tree-all"}, {"--compiler-options", "--coverage"},
		{"-Xptxas", "--output-file=x"}, {"-optf", "keep.rsp"}, {"-Xcompiler", "@temps.rsp"},
	} {
		s := newStage(t, "a.cu", "int a;\n", "keep.rsp", "--keep", "temps.rsp", "-save-temps").preprocessor()
		s.set.Flags = flags
		if _, err := Build(t.Context(), s.set, s.o); err == nil || !strings.Contains(err.Error(), "writes files besides the output") || s.calls.Load() > 0 {
			t.Errorf("%v: %v", flags, err)
		}
	}
	s := newStage(t, "a.cu", "int a;\n").preprocessor()
	s.o.Env = append(s.o.Env, "NVCC_APPEND_FLAGS=-O2 --keep")
	if _, err := Build(t.Context(), s.set, s.o); err == nil || !strings.Contains(err.Error(), "option --keep: writes files besides") {
		t.Error(err)
	}
	s.set.Flags, s.o.Env = []string{"-Xcompiler", "-Wmissing-declarations,-O2"}, os.Environ()
	s.o.Exec = func(_ context.Context, c Command) error { return errors.New("called") }
	if _, err := Build(t.Context(), s.set, s.o); err == nil || !strings.Contains(err.Error(), "called") {
		t.Error(err)
	}
}

// Whatever would write over a file of the lane is refused before anything runs, wherever
// it stands: in the set's flags, in the environment, in files of options.
func TestRefusedEverywhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flags, env []string }{
		{env: []string{"NVCC_APPEND_FLAGS=-o pre/keep.cubin"}},
		{env: []string{"NVCC_PREPEND_FLAGS=--output-file=pre/keep.cubin"}},
		{env: []string{"NVCC_APPEND_FLAGS=-optf out.rsp"}},
		{flags: []string{"-optf", "out.rsp"}},
		{flags: []string{"-optf=in.rsp"}},
		{env: []string{"NVCC_APPEND_FLAGS=-odir pre -run"}},
		{env: []string{"PTXAS_FLAGS=-o pre/keep.cubin"}},
		{env: []string{"INCLUDES=-Iinc >pre/keep.cubin"}},
		{env: []string{"CCC_OVERRIDE_OPTIONS=+-MFpre/keep.cubin"}},
		{flags: []string{"-forward-unknown-to-host-compiler", "-Wa,-adhln=pre/keep.cubin"}},
		{flags: []string{"-fopt-info-all=pre/keep.cubin", "-forward-unknown-opts"}},
		{flags: []string{"-Xcompiler", `-Wa\,-a=pre/keep.cubin`}},
		{flags: []string{"-Xcompiler", `-Wa\,--MD\,x`}},
		{flags: []string{"-Xcompiler=-Xassembler,-aln=x"}},
		{flags: []string{"-Xcompiler=-fopt-info-all=x"}},
		{flags: []string{"-Xcompiler", "-O2 -opre/keep.cubin"}},
		{flags: []string{"-Xcompiler", "-O2>pre/keep.cubin"}},
		{flags: []string{"-Xcompiler", "-O2;true"}},
		{flags: []string{"-Xptxas", "-v>pre/keep.cubin"}},
		{flags: []string{"-Xptxas", "-opre/keep.cubin"}},
		{flags: []string{"-Xcompiler", `-Wp\,-MD\,pre/keep.cubin`}},
		{flags: []string{"-Xcompiler", "-MMD"}},
		{flags: []string{"-Xcompiler", "-fprofile-generate"}},
		{flags: []string{"-Xcompiler", "-fprofile-arcs"}},
		{flags: []string{"-Xcompiler", "-fdiagnostics-format=json-file"}},
		{flags: []string{"-Xcompiler", "-gsplit-dwarf"}},
		{flags: []string{"-Xcompiler", "-da"}},
		{flags: []string{"-Xcompiler", "-fwhatever-nobody-listed=pre/keep.cubin"}},
		{flags: []string{"-Xcompiler", "-fwhatever,pre/keep.cubin"}},
		{flags: []string{"-Xcicc", "--gen_c_file_name", "-Xcicc", "pre/keep.cubin"}},
		{flags: []string{"-Xcudafe=--gen_c_file_name=pre/keep.cubin"}},
	} {
		s := newStage(t, "a.cu", "int a;\n", "pre/keep.cubin", "mine", "out.rsp", "-O3 -o pre/keep.cubin", "in.rsp", "-optf 'out.rsp'").preprocessor()
		s.set.Flags, s.o.Env = c.flags, append(s.o.Env, c.env...)
		if _, err := Build(t.Context(), s.set, s.o); err == nil || s.calls.Load() > 0 || errors.Is(err, ErrOption) != (c.flags == nil) {
			t.Errorf("%q: %v after %d calls", c, err, s.calls.Load())
		}
		if _, err := Outputs(s.set); c.flags != nil && err == nil {
			t.Errorf("%q is sound", c)
		}
	}
}

// Options that only look as if they wrote are taken.
func TestTakenFlags(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{"-Xcompiler", "-fPIC,-Wall,-Wno-unused,-march=native,-fopenmp,-fno-strict-aliasing,-g,-pthread"},
		{"-Xcompiler", `-DPATH="a>b;c"`}, {"-Xcompiler", "-fopt-info-vec"}, {"-Xcompiler=-ffile-prefix-map=a.cu=b"},
		{"-Xcompiler", "-include,a.h"}, {"-Xcompiler=-isystem,inc"}, {"-Xptxas", "-O3,-v,-dlcm=cg", "-Xptxas=--opt-level=2"},
		{"-Xcudafe", "--diag_suppress=177", "-Xfatbin", "-compress-all"}, {"-forward-unknown-to-host-compiler", "-fopenmp", "-O3", "-lineinfo", "-maxrregcount", "32", "-include", "a.h"},
		{"-Xcompiler", `-Wa\,--noexecstack`}, {"-Xcompiler", "-fverbose-asm"}, {"--expt-relaxed-constexpr", "-DX=a>b", "-Xcompiler=-msse4.2"},
	} {
		s := newStage(t, "a.cu", "int a;\n", "a.h", "", "32", "").preprocessor()
		s.set.Flags = flags
		called := errors.New("called")
		s.o.Exec = func(context.Context, Command) error { return called }
		if _, err := Build(t.Context(), s.set, s.o); !errors.Is(err, called) {
			t.Errorf("%q: %v", flags, err)
		}
	}
}

// A compiler that writes all the same, by an option that no list has, is found out, and
// what it made is not kept. What people edit meanwhile is theirs.
func TestGuard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags, keep []string
		bad         bool
	}{
		"pre/keep.cubin": {nil, []string{"pre/*"}, true},
		"a.su":           {nil, nil, true},
		"docs/notes.txt": {[]string{"-Xcompiler=-fnovel=docs/notes"}, nil, false},
		"log/notes":      {[]string{"-Xcompiler=-fnovel=/elsewhere/notes"}, nil, true},
		"README.md":      {nil, nil, false},
		"k/a.rs":         {nil, nil, false},
		"h.h":            {[]string{"-Xcompiler=-DH=h.h"}, nil, false},
	} {
		s := newStage(t, "k/a.cu", "#include \"../h.h\"\nint a;\n", "h.h", "").preprocessor()
		s.file(name, "mine")
		if name == "h.h" {
			s.file(name, "")
		}
		s.set.Flags, s.set.Keep = c.flags, c.keep
		s.o.Tracked = func(_ context.Context, root string, paths []string) ([]string, error) {
			if paths[0] != root {
				return nil, nil
			}
			return []string{"k/a.cu", "h.h", "gone", name}, nil
		}
		s.o.Exec = func(ctx context.Context, c Command) error {
			s.count(c)
			if s.compiles.Load() > 0 {
				s.file(name, "// changed\n")
			}
			c.Argv = slices.DeleteFunc(slices.Clone(c.Argv), func(a string) bool { return strings.HasPrefix(a, "-Xcompiler=") })
			return preprocess(ctx, c)
		}
		r, err := Build(t.Context(), s.set, s.o)
		var f *Failure
		if errors.As(err, &f) != c.bad || c.bad && !strings.Contains(err.Error(), filepath.Base(name)+" changed while the compiler ran") {
			t.Errorf("%s: %v, %s", name, err, told(r))
		}
		if _, err := os.Stat(s.path("out/k/a.sm_90.cubin")); (err != nil) != c.bad {
			t.Errorf("%s: the output: %v", name, err)
		}
	}
}
