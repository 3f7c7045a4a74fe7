package fused_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gpuci/kernels/kda/fused"
	"gpuci/kernels/simt"
	"gpuci/kernels/simt/simttest"
)

// TestThirdLaunch plants a third backward launch in a copy of the plan, builds it, and
// has the backend's launch function count: the numbers would not show it, since the
// kernel is run once more on the same inputs.
func TestThirdLaunch(t *testing.T) {
	simttest.Needs(t, "go")
	program(t, cuda, simt.Plain) // is what the copies find
	for _, copy := range []struct{ patch, want string }{{"", "forward 1 backward 2"}, {"third-launch", "forward 1 backward 3"}} {
		root := t.TempDir()
		for _, pkg := range []string{"kernels/launch", "kernels/simt", "kernels/kda", "kernels/kda/fused"} {
			copyPackage(t, filepath.Join("../../..", pkg), filepath.Join(root, pkg))
		}
		if err := os.CopyFS(filepath.Join(root, "kernels/simt/runtime"), os.DirFS("../../simt/runtime")); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "go.mod"), "module gpuci\n\ngo 1.26\n")
		write(t, filepath.Join(root, "main.go"), countLaunches)
		if copy.patch != "" {
			simttest.Apply(t, root, patchOf(copy.patch))
		}
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"run", "-trimpath", ".", simttest.Dir(), os.Getenv("CXX")}, absolute(t)...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("run copy of the plan: %v\n%s", err, text)
		}
		if string(text) != copy.want {
			t.Errorf("with patch %q: %s, want %s", copy.patch, text, copy.want)
		}
	}
}

// countLaunches is a program that runs the plan beside it with the sources named, and
// prints how many launches of each phase there were.
const countLaunches = `package main

import (
	"context"
	"fmt"
	"os"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
	"gpuci/kernels/simt"
)

func main() {
	p, err := kda.Case{Family: kda.Mild, Shape: kda.Shape{B: 1, H: 2, T: 5, K: 3, V: 2, C: 4}}.Problem()
	if err != nil {
		panic(err)
	}
	host, err := simt.Build(context.Background(), simt.Options{Sources: os.Args[3:], Dir: os.Args[1], CXX: os.Args[2]})
	if err != nil {
		panic(err)
	}
	r, err := host.Run(context.Background(), fused.Fused(p))
	if err != nil {
		panic(err)
	}
	fmt.Printf("forward %d backward %d", r.Launched("forward"), r.Launched("backward"))
}
`

// absolute are the paths of the shipped kernels.
func absolute(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, path := range sources(cuda, fused.Sources()) {
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, full)
	}
	return paths
}

// copyPackage copies a package's own files, not its tests.
func copyPackage(t *testing.T, from, to string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no package in %s: %v", from, err)
	}
	for _, path := range paths {
		if match, _ := filepath.Match("*_test.go", filepath.Base(path)); match {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, filepath.Base(path)), string(text))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(fmt.Errorf("make package: %w", err))
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
