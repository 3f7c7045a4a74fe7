package fused_test

import (
	"path/filepath"
	"testing"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// cuda is where the shipped kernels are.
const cuda = "../cuda"

func TestMain(m *testing.M) { simttest.Main(m) }

// program compiles the sources of the fused path that are in dir, and those named.
func program(t *testing.T, dir string, mode simt.Mode, more ...string) *simt.Program {
	t.Helper()
	return simttest.Build(t, mode, sources(dir, append(fused.Sources(), more...))...)
}

func sources(dir string, names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
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
