package build

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gpuci/kernels/nvcc"
)

// stage is a root with sources in it, and a way to build them.
type stage struct {
	*testing.T
	root     string
	set      Set
	o        Options
	compiles atomic.Int64 // calls that made something
	calls    atomic.Int64 // all calls
}

func need(t *testing.T, tool string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + tool)
	}
	t.Skip("needs " + tool)
}

// execute is the Exec of the tests: real processes.
func execute(ctx context.Context, c Command) error {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdout, c.Stderr
	cmd.WaitDelay = time.Second
	return cmd.Run()
}

// newStage has files of these names and texts in turn.
func newStage(t *testing.T, files ...string) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, root: filepath.Join(dir, "root")}
	s.set = Set{Name: "set", Root: s.root, Sources: []string{"**/*.cu"}, Architectures: []string{"sm_90"}, Output: "out"}
	s.o = Options{Cache: filepath.Join(dir, "cache"), Env: os.Environ(), Jobs: 2}
	for i := 0; i < len(files); i += 2 {
		s.file(files[i], files[i+1])
	}
	return s
}

// real gives the stage the real compiler.
func (s *stage) real() *stage {
	s.Helper()
	found, _, err := nvcc.Find(s.Context(), s.o.Env, nvcc.Options{Exec: execute})
	if err != nil {
		need(s.T, "nvcc")
	}
	s.o.Compiler = found
	s.o.Exec = func(ctx context.Context, c Command) error {
		s.count(c)
		return execute(ctx, c)
	}
	return s
}

func (s *stage) count(c Command) {
	s.calls.Add(1)
	if slices.Contains(c.Argv, "-MD") {
		s.compiles.Add(1)
	}
}

// preprocessor gives the stage GCC's preprocessor for a compiler: what it makes
// depends on headers as it does with nvcc, whose preprocessor it is.
func (s *stage) preprocessor() *stage {
	s.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		need(s.T, "gcc")
	}
	s.o.Compiler = nvcc.Found{Path: gcc, Version: "0", Tools: []string{gcc}}
	s.o.Exec = func(ctx context.Context, c Command) error {
		s.count(c)
		return preprocess(ctx, c)
	}
	return s
}

// preprocess runs a command meant for nvcc as one of the host compiler.
func preprocess(ctx context.Context, c Command) error {
	args := []string{c.Argv[0], "-E", "-P", "-x", "c++"}
	for i := 1; i < len(c.Argv); i++ {
		switch a := c.Argv[i]; {
		case a == "-Xcompiler":
			i++
			args = append(args, c.Argv[i])
		case a == "-Xptxas":
			i++
		case a == "-cubin" || a == "-ptx" || a == "-E" || a == "-c" || a == "-fatbin" || strings.HasPrefix(a, "-arch=") || strings.HasPrefix(a, "-gencode"):
		default:
			args = append(args, a)
		}
	}
	c.Argv = args
	return execute(ctx, c)
}

func (s *stage) path(name string) string { return filepath.Join(s.root, name) }

// file writes a file of the root in place of the one that was there.
func (s *stage) file(name, text string) {
	s.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(name)), 0o777); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(s.path(name), []byte(text), 0o666); err != nil {
		s.Fatal(err)
	}
}

func (s *stage) remove(name string) {
	s.Helper()
	if err := os.RemoveAll(s.path(name)); err != nil {
		s.Fatal(err)
	}
}

// build builds, and holds every output against one compiled just now without any
// cache.
func (s *stage) build() Result {
	s.Helper()
	r := s.only()
	units, err := s.set.units()
	if err != nil {
		s.Fatal(err)
	}
	for i, u := range r.Units {
		if got, want := s.read(u.Output), s.fresh(units[i]); !bytes.Equal(got, want) {
			s.Fatalf("%s, %s (%s), is not what the compiler makes:\n%.400q\n%.400q", u, u.Outcome, u.Why, got, want)
		}
	}
	return r
}

// soaked builds, and with GPUCI_SOAK=1 holds the outputs against fresh ones: of the real
// compiler one test in each run does so, since most of a test's time is its.
func (s *stage) soaked() Result {
	s.Helper()
	if os.Getenv("GPUCI_SOAK") == "1" {
		return s.build()
	}
	return s.only()
}

// only builds.
func (s *stage) only() Result {
	s.Helper()
	r, err := Build(s.Context(), s.set, s.o)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// fresh is what the compiler makes of a unit.
func (s *stage) fresh(u unit) []byte {
	s.Helper()
	out := filepath.Join(s.TempDir(), "out")
	var said bytes.Buffer
	args := append([]string{s.o.Compiler.Path}, s.o.Compiler.Args...)
	args = append(append(args, s.set.argv(u)...), "-o", out)
	was := s.calls.Load()
	err := s.o.Exec(s.Context(), Command{Argv: args, Dir: s.root, Env: s.o.Env, Stdout: &said, Stderr: &said})
	s.calls.Store(was)
	if err != nil {
		s.Fatalf("%v: %s", err, said.String())
	}
	return s.read(out)
}

func (s *stage) read(path string) []byte {
	s.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.Fatal(err)
	}
	return data
}

// want fails unless the build compiled so many, each for a reason that has these
// words.
func (s *stage) want(r Result, compiled int, why ...string) {
	s.Helper()
	if n := r.Count(Compiled); n != compiled {
		s.Fatalf("compiled %d, want %d: %s", n, compiled, told(r))
	}
	for _, u := range r.Units {
		for _, w := range why {
			if u.Outcome == Compiled && !strings.Contains(u.Why, w) {
				s.Fatalf("%s was compiled because %q, want %q", u, u.Why, w)
			}
		}
	}
}

func told(r Result) string {
	var b strings.Builder
	for _, u := range r.Units {
		fmt.Fprintf(&b, "\n%s %s: %s %v", u.Outcome, u, u.Why, u.Err)
	}
	return b.String() + "\n" + strings.Join(r.Notes, "\n")
}
