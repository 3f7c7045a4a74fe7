package simt_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

var modes = []simt.Mode{simt.Plain, simt.Address, simt.Check}

// compilers is the first of g++ and clang++ that is here; GPUCI_SOAK=1 has both.
func compilers(t *testing.T) []string {
	t.Helper()
	if os.Getenv("GPUCI_SOAK") != "1" {
		return everyCompiler(t)[:1]
	}
	return everyCompiler(t)
}

// everyCompiler is those of g++ and clang++ that are here.
func everyCompiler(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, cxx := range []string{"g++", "clang++"} {
		if _, err := exec.LookPath(cxx); err == nil {
			list = append(list, cxx)
		}
	}
	if len(list) == 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs g++ or clang++")
		}
		t.Skip("needs g++ or clang++")
	}
	return list
}

// directory is one for all tests of the binary, so that each runtime is compiled once.
var directory string

func TestMain(m *testing.M) {
	if os.Getenv(orphanDir) != "" {
		fmt.Fprintln(os.Stderr, orphan())
		os.Exit(1)
	}
	os.Exit(func() int {
		var err error
		if directory, err = os.MkdirTemp("", "gpuci-simt-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(directory)
		return m.Run()
	}())
}

// programs is what built has built, so that a test may ask for it in a loop.
var programs sync.Map

// built builds sources of testdata.
func built(t *testing.T, cxx string, mode simt.Mode, sources ...string) *simt.Program {
	t.Helper()
	key := fmt.Sprint(cxx, mode, sources)
	if p, ok := programs.Load(key); ok {
		return p.(*simt.Program)
	}
	for i := range sources {
		sources[i] = filepath.Join("testdata", sources[i])
	}
	p, err := simt.Build(t.Context(), simt.Options{Sources: sources, Mode: mode, Dir: directory, CXX: cxx})
	if err != nil {
		t.Fatal(err)
	}
	programs.Store(key, p)
	return p
}

// run runs a job that must be able to run.
func run(t *testing.T, p launch.Backend, job launch.Job) launch.Result {
	t.Helper()
	r, err := p.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// none is a result in which nothing was found.
func none(t *testing.T, r launch.Result) {
	t.Helper()
	for _, f := range r.Findings {
		t.Errorf("a right kernel is accused: %s", f.Text)
	}
}

// equal compares a buffer bit by bit.
func equal(t *testing.T, r launch.Result, name string, want []float32) {
	t.Helper()
	got := r.Buffers[name]
	if len(got) != len(want) {
		t.Fatalf("%s has %d elements, want %d", name, len(got), len(want))
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s[%d] is %v, want %v", name, i, got[i], want[i])
		}
	}
}

// command is what an Exec starts.
func command(ctx context.Context, c simt.Command) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdout, c.Stderr
	return cmd
}
