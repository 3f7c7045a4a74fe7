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

// directory is one for all tests of the binary, so that each kernel is compiled once for
// each way of looking at it.
var directory string

// Main runs the tests of a binary with a directory for the programs of [Build].
func Main(m *testing.M) {
	os.Exit(func() int {
		var err error
		if directory, err = os.MkdirTemp("", "gpuci-simttest-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(directory)
		return m.Run()
	}())
}

// Dir is the directory that [Main] made.
func Dir() string { return directory }

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
