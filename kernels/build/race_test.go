package build

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestMain plays another gpuci when it is told to.
func TestMain(m *testing.M) {
	if job := os.Getenv("BUILD_TEST_JOB"); job != "" {
		if err := play(job); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// play builds the root that it is given with the preprocessor, once a line came on
// stdin. The job "kill" stands still in the middle of its first compile, when half
// of the output is written.
func play(job string) error {
	root, cache, gcc := os.Getenv("BUILD_TEST_ROOT"), os.Getenv("BUILD_TEST_CACHE"), os.Getenv("BUILD_TEST_GCC")
	s := &stage{root: root, set: Set{Name: "set", Root: root, Sources: []string{"*.cu"}, Architectures: []string{"sm_90"}, Output: "out"}}
	s.o = Options{Cache: cache, Env: os.Environ(), Jobs: 2}
	s.o.Compiler.Path, s.o.Compiler.Version, s.o.Compiler.Tools = gcc, "0", []string{gcc}
	s.o.Exec = func(ctx context.Context, c Command) error {
		at := slices.Index(c.Argv, "-o")
		if job == "kill" && slices.Contains(c.Argv, "-MD") {
			if err := os.WriteFile(c.Argv[at+1], []byte("half"), 0o666); err != nil {
				return err
			}
			fmt.Println("compiling")
			select {} // until we are killed
		}
		s.count(c)
		return preprocess(ctx, c)
	}
	switch job {
	case "full":
		return s.fill()
	case "bound":
		return s.bound()
	}
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadString('\n')
	r, err := Build(context.Background(), s.set, s.o)
	fmt.Println("compiles", s.compiles.Load(), "cached", r.Count(Cached))
	return err
}

// other is another gpuci, ready to build.
type other struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Scanner
}

func start(s *stage, job, root string) *other {
	s.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.Fatal(err)
	}
	o := &other{cmd: exec.CommandContext(s.Context(), exe)}
	o.cmd.Env = append(os.Environ(), "BUILD_TEST_JOB="+job, "BUILD_TEST_ROOT="+root, "BUILD_TEST_CACHE="+s.o.Cache, "BUILD_TEST_GCC="+s.o.Compiler.Path)
	in, err := o.cmd.StdinPipe()
	if err != nil {
		s.Fatal(err)
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	o.in, o.out = bufio.NewWriter(in), bufio.NewScanner(out)
	if err := o.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { o.cmd.Process.Kill(); o.cmd.Wait() })
	o.expect(s, "ready")
	return o
}

// expect reads a line that begins so.
func (o *other) expect(s *stage, want string) string {
	s.Helper()
	if !o.out.Scan() || !strings.HasPrefix(o.out.Text(), want) {
		s.Fatalf("%q, want %q", o.out.Text(), want)
	}
	return o.out.Text()
}

func (o *other) build(s *stage) {
	s.Helper()
	o.in.WriteString("\n")
	if err := o.in.Flush(); err != nil {
		s.Fatal(err)
	}
}

// Two lanes that build the same at once compile each source once between them.
func TestLanes(t *testing.T) {
	t.Parallel()
	s := newStage(t, "h.h", "#define K 1\n").preprocessor()
	const sources = 12
	for i := range sources {
		s.file(fmt.Sprintf("a%d.cu", i), "#include \"h.h\"\n#include <vector>\nint k = K;\n")
	}
	lane := s.root + "-lane"
	if err := os.CopyFS(lane, os.DirFS(s.root)); err != nil {
		t.Fatal(err)
	}
	one, two := start(s, "lane", s.root), start(s, "lane", lane)
	one.build(s)
	two.build(s)
	var compiles, cached, n, m int
	for _, o := range []*other{one, two} {
		if _, err := fmt.Sscanf(o.expect(s, "compiles"), "compiles %d cached %d", &n, &m); err != nil {
			t.Fatal(err)
		}
		compiles, cached = compiles+n, cached+m
		if err := o.cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if compiles != sources || cached != sources {
		t.Errorf("%d compiles and %d from the cache, want %d of each", compiles, cached, sources)
	}
	s.set.Sources = []string{"*.cu"}
	s.want(s.build(), 0)
}

// Whoever is killed in the middle leaves no lock and nothing half-made.
func TestKilled(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n", "b.cu", "int b;\n").preprocessor()
	o := start(s, "kill", s.root)
	o.build(s)
	o.expect(s, "compiling")
	if err := o.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	o.cmd.Wait() // it was killed
	if left, _ := filepath.Glob(s.path("out/*")); len(left) > 0 {
		t.Errorf("%v is there", left)
	}
	s.want(s.build(), 2)
	s.want(s.build(), 0)
}

// A build whose cache cannot be used builds, and says so.
func TestNoCache(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n").preprocessor()
	s.file("taken", "")
	s.o.Cache = s.path("taken/cache")
	for range 2 {
		r := s.build()
		if s.want(r, 1); len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "building without a cache") {
			t.Fatal(told(r))
		}
	}
}

// An output that cannot be written is a failure of its unit, and leaves nothing.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	s := newStage(t, "k/a.cu", "int a;\n", "b.cu", "int b;\n", "out/k", "").preprocessor()
	s.set.Sources = []string{"k/a.cu", "b.cu"}
	r, err := Build(t.Context(), s.set, s.o)
	var f *Failure
	if !errors.As(err, &f) || len(f.Units) != 1 || !strings.Contains(err.Error(), "write the output "+s.path("out/k/a.sm_90.cubin")) {
		t.Fatalf("%v: %s", err, told(r))
	}
	if left, _ := filepath.Glob(s.path("out/.*")); len(left) > 0 {
		t.Errorf("%v is there", left)
	}
}

// No more compilers run at once than were allowed, each is admitted, and one that
// is not admitted says why; what was not begun is not begun once the context ends.
func TestAdmission(t *testing.T) {
	t.Parallel()
	s := newStage(t).preprocessor()
	for i := range 8 {
		s.file(fmt.Sprintf("a%d.cu", i), fmt.Sprintf("int a%d;\n", i))
	}
	var now, most, admitted atomic.Int64
	run := s.o.Exec
	s.o.Jobs = 3
	s.o.Exec = func(ctx context.Context, c Command) error {
		for n := now.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		defer now.Add(-1)
		return run(ctx, c)
	}
	full := errors.New("no memory is free")
	s.o.Admit = func(context.Context) error {
		if admitted.Add(1) == 3 {
			return full
		}
		return nil
	}
	if r, err := Build(t.Context(), s.set, s.o); !errors.Is(err, full) || r.Count(Compiled) != 7 {
		t.Fatalf("%v: %s", err, told(r))
	}
	if most.Load() > 3 || admitted.Load() != 8 {
		t.Errorf("%d at once, %d admitted", most.Load(), admitted.Load())
	}
	s.set.Flags = []string{"-DX"}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("interrupted")
	s.o.Admit = func(context.Context) error { cancel(stop); return nil }
	if _, err := Build(ctx, s.set, s.o); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	s.o.Admit = nil
	s.build()
}

// What is told of a build is told one thing at a time and adds up.
func TestProgress(t *testing.T) {
	t.Parallel()
	s := newStage(t, "a.cu", "int a;\n", "b.cu", "int b;\n", "c.cu", "no.h\n#include \"no.h\"\n").preprocessor()
	p := &diary{}
	s.o.Progress = p
	if _, err := Build(t.Context(), s.set, s.o); err == nil {
		t.Fatal("c.cu was built")
	}
	if p.units != 3 || p.compiling != 3 || p.done != 3 || p.finished != 1 {
		t.Errorf("%+v", p)
	}
}

type diary struct{ units, compiling, done, finished int }

func (d *diary) Start(units int) { d.units = units }
func (d *diary) Waiting(Unit)    {}
func (d *diary) Compiling(Unit)  { d.compiling++ }
func (d *diary) Done(Unit)       { d.done++ }
func (d *diary) Finish(Result)   { d.finished++ }
