package fused_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// cuda is where the shipped kernels are.
const cuda = "../cuda"

// directory is one for all tests of the binary, so that each kernel is compiled once for
// each way of looking at it.
var directory string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if directory, err = os.MkdirTemp("", "gpuci-fused-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(directory)
		return m.Run()
	}())
}

// program compiles the sources of the fused path that are in dir, and those named.
func program(t *testing.T, dir string, mode simt.Mode, more ...string) *simt.Program {
	t.Helper()
	return compiled(t, mode, sources(dir, append(fused.Sources(), more...)))
}

// compiled compiles sources.
func compiled(t *testing.T, mode simt.Mode, sources []string) *simt.Program {
	t.Helper()
	needs(t, "g++", "clang++", "c++")
	p, err := simt.Build(t.Context(), simt.Options{Sources: sources, Mode: mode, Dir: directory, CXX: os.Getenv("CXX")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sources(dir string, names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}

// needs skips the test when none of the tools is here, and fails it where tests must
// not be skipped.
func needs(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			return
		}
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s", strings.Join(tools, " or "))
	}
	t.Skipf("needs %s", strings.Join(tools, " or "))
}

// made is the problem of a case as the kernels are given it.
func made(t *testing.T, c kda.Case) *kda.Problem {
	t.Helper()
	p, err := c.Problem()
	if err != nil {
		t.Fatal(err)
	}
	return fused.Rounded(p)
}

// run runs a job that must end without an error.
func run(t *testing.T, on *simt.Program, job launch.Job) launch.Result {
	t.Helper()
	r, err := on.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clean fails the test for every finding.
func clean(t *testing.T, r launch.Result) {
	t.Helper()
	for _, f := range r.Findings {
		t.Errorf("accused: %s", f.Text)
	}
}

// results is what a case must come to.
type results struct {
	output kda.Output
	grad   kda.Leaves
}

// oracle is the chunk form in float64.
func oracle(t *testing.T, p *kda.Problem) results {
	t.Helper()
	f, err := kda.ChunkForward(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := kda.ChunkBackward(p, f)
	if err != nil {
		t.Fatal(err)
	}
	return results{f.Output, b.Grad}
}

// compared holds a result against the oracle: out, state and seven gradients.
func compared(t *testing.T, p *kda.Problem, r launch.Result, want results) []kda.Report {
	t.Helper()
	out, grad, err := fused.Read(p, r)
	if err != nil {
		t.Fatal(err)
	}
	reports, err := kda.CompareOutput(&out, &want.output)
	if err != nil {
		t.Fatal(err)
	}
	gradients, err := kda.CompareGradients(p, &grad, &want.grad)
	if err != nil {
		t.Fatal(err)
	}
	return append(reports, gradients...)
}
