package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A directory of the search that was another one, or a file, or a link to one that is
// searched already, comes to be one of its own: that is noticed, in this lane and in
// another that shares the cache.
func TestIgnoredDirectories(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(s *stage){
		"a link": func(s *stage) { s.link("inc1", "inc2") },
		"a file": func(s *stage) { s.file("inc2", "") },
		"none":   func(*stage) {},
	} {
		for _, flags := range [][]string{nil, {"-w"}} {
			t.Run(name+strings.Join(flags, ""), func(t *testing.T) {
				t.Parallel()
				s := newStage(t, "a.cu", "#if __has_include(\"opt.h\")\nint opt;\n#endif\nint a;\n", "inc1/x", "").preprocessor()
				begin(s)
				s.set.Include, s.set.Flags = []string{"inc1", "inc2"}, flags
				s.want(s.build(), 1)
				s.want(s.build(), 0)

				lane := newStage(t, "a.cu", string(s.read(s.path("a.cu"))), "inc1/x", "", "inc2/opt.h", "").preprocessor()
				lane.set.Include, lane.set.Flags, lane.o.Cache = s.set.Include, flags, s.o.Cache
				lane.want(lane.build(), 1)

				s.remove("inc2")
				s.file("inc2/opt.h", "")
				s.build() // it holds the output against a fresh one
				s.want(s.build(), 0)
			})
		}
	}
}

func (s *stage) link(to, name string) {
	s.Helper()
	if err := os.Symlink(to, s.path(name)); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) fifo(name string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
		s.Fatal(err)
	}
	if err := syscall.Mkfifo(s.path(name), 0o600); err != nil {
		s.Fatal(err)
	}
}

// Files of options are followed wherever they are named; what is in them counts.
func TestOptionFiles(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(s *stage){
		"a flag":               func(s *stage) { s.set.Flags = []string{"-optf", "b.rsp"} },
		"joined":               func(s *stage) { s.set.Flags = []string{"--options-file=b.rsp"} },
		"one in another":       func(s *stage) { s.file("a.rsp", "-optf 'b.rsp'"); s.set.Flags = []string{"-optf", "a.rsp"} },
		"the environment":      func(s *stage) { s.o.Env = append(s.o.Env, "NVCC_APPEND_FLAGS=-optf b.rsp") },
		"the host compiler":    func(s *stage) { s.set.Flags = []string{"-Xcompiler", "@b.rsp"} },
		"within the host's":    func(s *stage) { s.file("a.rsp", "@b.rsp"); s.set.Flags = []string{"-Xcompiler=-O2,@a.rsp"} },
		"ptxas":                func(s *stage) { s.set.Flags = []string{"-Xptxas=-optf=b.rsp"} },
		"ptxas, in two":        func(s *stage) { s.set.Flags = []string{"-Xptxas", "-optf", "-Xptxas", "b.rsp"} },
		"ptxas by environment": func(s *stage) { s.o.Env = append(s.o.Env, "PTXAS_FLAGS=-optf b.rsp") },
		"libdevice":            func(s *stage) { s.set.Flags = []string{"-ldir", "."}; s.file("libdevice.10.bc", "1") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "a.cu", "int a;\n", "b.rsp", "-DV=1").preprocessor()
			run := s.o.Exec
			s.o.Exec = func(ctx context.Context, c Command) error { // which knows none of these options
				c.Argv = slices.DeleteFunc(slices.Clone(c.Argv), func(a string) bool {
					return strings.Contains(a, "opt") || strings.Contains(a, ".rsp") || a == "-ldir" || a == "." || strings.HasPrefix(a, "-Xptxas")
				})
				for i := len(c.Argv) - 2; i >= 0; i-- {
					if c.Argv[i] == "-Xcompiler" && !strings.HasPrefix(c.Argv[i+1], "-") {
						c.Argv = slices.Delete(c.Argv, i, i+1)
					}
				}
				return run(ctx, c)
			}
			set(s)
			s.want(s.only(), 1)
			s.want(s.only(), 0)
			s.file("b.rsp", "-DV=7")
			s.file("libdevice.10.bc", "2")
			s.want(s.only(), 1, "a file of options changed")
		})
	}
}

// What cannot be followed is compiled every time, and that is said.
func TestUnfollowed(t *testing.T) {
	t.Parallel()
	for flag, why := range map[string]string{
		"-Xcompiler=-specs=x":                    "what -specs=x has the host compiler read is not known",
		"-noprof":                                "the tools behind nvcc are not known",
		"-DV=`date`":                             "a shell fills in -DV=`date`",
		"-DHAS(x)=__has_include(x)":              "__has_include, through a macro, of a name that a macro makes",
		"--define-macro=HAS(x)=__has_include(x)": "through a macro",
	} {
		s := newStage(t, "a.cu", "int a;\n#if HAS(OPT)\nint b;\n#endif\n").preprocessor()
		run := s.o.Exec
		s.o.Exec = func(ctx context.Context, c Command) error {
			c.Argv = slices.DeleteFunc(slices.Clone(c.Argv), func(a string) bool { return a == flag })
			c.Argv = append(c.Argv, "-DHAS(x)=1")
			return run(ctx, c)
		}
		s.set.Flags = []string{flag}
		for range 2 {
			if r := s.only(); r.Count(Compiled) != 1 || !strings.Contains(told(r), "is compiled every time") || !strings.Contains(told(r), why) {
				t.Errorf("%s: %s", flag, told(r))
			}
		}
	}
}

// Variables that nvcc's profile adds to, and those that a flag has the shell fill in,
// are what was compiled for.
func TestRealVariables(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "extern \"C\" __global__ void f(int* a) {\n#ifdef V\na[0] = V;\n#endif\n}\n").real()
	s.set.Flags = []string{"-DW=$GPUCI_TEST_W"}
	env := s.o.Env
	s.want(s.only(), 1)
	for _, v := range []string{"PTXAS_FLAGS=-O0", "INCLUDES=-DV=5", "SYSTEM_INCLUDES=-DV=6", "CUDAFE_FLAGS=", "OCG_FLAGS=-O1", "GPUCI_TEST_W=3"} {
		s.o.Env = append(slices.Clone(env), v)
		r := s.soaked()
		if !strings.HasSuffix(v, "=") {
			s.want(r, 1, "the environment ", strings.SplitN(v, "=", 2)[0])
		}
	}
	s.o.Env = env
	if r := s.build(); r.Count(Compiled) != 0 { // what came of the first, and not of the others
		t.Error(told(r))
	}
}

// An architecture that this nvcc does not know comes with those that it does.
func TestRealUnknownArchitecture(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "").real()
	s.set.Architectures = []string{"sm_95", "sm_96"}
	_, err := Build(t.Context(), s.set, s.o)
	if err == nil || strings.Count(err.Error(), "nvcc "+s.o.Compiler.Version+" knows sm_") != 2 || !strings.Contains(err.Error(), "sm_90, ") {
		t.Error(err)
	}
	if n := s.calls.Load(); n > 5 {
		t.Errorf("%d calls", n)
	}
}

// A file that reads what was not asked for is not kept, and not put in place.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n").preprocessor()
	wrong := errors.New("it is code for sm_80")
	s.o.Verify = func(_ context.Context, k Kind, archs []string, path string) error {
		if k != Cubin || archs[0] != "sm_90" || len(s.read(path)) == 0 {
			t.Errorf("%s for %s in %s", k, archs, path)
		}
		return wrong
	}
	for range 2 {
		r, err := Build(t.Context(), s.set, s.o)
		if !errors.Is(err, wrong) || r.Count(Failed) != 1 {
			t.Errorf("%v: %s", err, told(r))
		}
	}
	if _, err := os.Stat(s.path("out/a.sm_90.cubin")); err == nil {
		t.Error("it is in place")
	}
}

// After a source was edited and taken back, an edit of a header is told as that.
func TestWhyAfterReturn(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "#include \"h.h\"\nint a;\n", "h.h", "int h;\n").preprocessor()
	s.want(s.build(), 1)
	s.file("a.cu", "#include \"h.h\"\nint other;\n")
	s.want(s.build(), 1, "a.cu changed")
	s.file("a.cu", "#include \"h.h\"\nint a;\n")
	s.want(s.build(), 0)
	s.file("h.h", "int g;\n")
	s.want(s.build(), 1, "h.h changed")
}

// Of another compiler its version is told, and no sums.
func TestCompare(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("0a", 32)
	for _, c := range []struct{ was, is, want string }{
		{"compiler 13.0.88\ntool nvcc " + sum + "\nplan " + sum + "\nsearch /a\ncompiler-argument \"-I/a\"\nargument \"-O3\"\n",
			"compiler 13.3.73\ntool nvcc 1" + sum + "\nplan 2" + sum + "\nsearch /b\ncompiler-argument \"-I/b\"\nargument \"-O2\"\n",
			`the compiler's version changed: 13.3.73, was 13.0.88; the option changed: "-O2", was "-O3"`},
		{"tool ptxas " + sum + "\nplan " + sum, "tool ptxas 1" + sum + "\nplan 1" + sum, "the compiler's file ptxas changed"},
		{"host /usr/bin/gcc " + sum, "host /usr/bin/gcc 1" + sum, "the host compiler /usr/bin/gcc changed"},
		{"plan " + sum, "plan 1" + sum, "what nvcc runs, by its profile or the environment, changed"},
		{"plan " + sum + "\nvariable PTXAS_FLAGS=\"-O0\"", "plan 1" + sum, `the environment is gone: PTXAS_FLAGS="-O0"`},
		{"argument \"a\"\nargument \"b\"", "argument \"b\"\nargument \"a\"", "options or directories stand in another order"},
	} {
		if got := compare(c.was, c.is); got != c.want || strings.Contains(got, sum) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
