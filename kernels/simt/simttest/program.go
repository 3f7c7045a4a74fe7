// Package simttest serves the tests of kernels that run on the host: programs that are
// compiled once for a test binary, jobs that must run, and kernels with a fault in them.
package simttest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// kept is the variable that names a directory in which the programs of several test
// binaries are kept. They are found by their content, so that what one of them has
// compiled (above all the runner) the others need not.
const kept = "GPUCI_TEST_SIMT"

// directory is one for all tests of the binary, so that each kernel is compiled once for
// each way of looking at it.
var directory string

// Main runs the tests of a binary with a directory for the programs of [Build]: the one
// that is kept, else one of its own.
func Main(m *testing.M) {
	os.Exit(func() int {
		if directory = os.Getenv(kept); directory != "" {
			return m.Run()
		}
		var err error
		if directory, err = os.MkdirTemp("", "gpuci-simttest-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(directory)
		return m.Run()
	}())
}

// Dir is the directory that [Main] took.
func Dir() string { return directory }

// Kept is the directory for a test whose binary does not run by [Main]: the one that is
// kept, else one of the test's own.
func Kept(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv(kept); dir != "" {
		return dir
	}
	return t.TempDir()
}

// Needs skips a test when none of the tools is here, and fails it where tests must
// not be skipped.
func Needs(t *testing.T, tools ...string) {
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

// Build is the program of sources, for a way of looking at it.
func Build(t *testing.T, mode simt.Mode, sources ...string) *simt.Program {
	t.Helper()
	Needs(t, "g++", "clang++", "c++")
	p, err := simt.Build(t.Context(), simt.Options{Sources: sources, Mode: mode, Dir: directory, CXX: os.Getenv("CXX")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Run runs a job that must be right and end without an error.
func Run(t *testing.T, p *simt.Program, job launch.Job) launch.Result {
	t.Helper()
	if err := job.Check(); err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
