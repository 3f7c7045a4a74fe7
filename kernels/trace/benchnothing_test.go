//go:build bench

package trace

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/trace/tracetest"
)

// TestBenchNothing prints what the variables cost a program that never uses CUDA: the least
// it makes a program, a Python, and a Python that loads a library. Bare and traced in turn,
// as others are at work as well; the library is not loaded in any.
func TestBenchNothing(t *testing.T) {
	box, dir := tracetest.Start(t, tracetest.Options{}), t.TempDir()
	traced := append(append(os.Environ(), box.Env()...), attached(t, dir, nil)...)
	for _, p := range []struct {
		times int
		argv  []string
	}{{300, []string{"true"}}, {20, []string{python(t), "-S", "-c", "pass"}}, {20, []string{python(t), "-c", "import ctypes, json, subprocess"}}} {
		var bare, with []time.Duration
		for range p.times {
			bare = append(bare, took(t, p.argv, append(os.Environ(), box.Env()...)))
			with = append(with, took(t, p.argv, traced))
		}
		slices.Sort(bare)
		slices.Sort(with)
		n := p.times / 2
		fmt.Printf("%q, %d times each: bare %v (least %v), traced %v (least %v): ratio of the medians %.3f, of the least %.3f\n", p.argv, p.times,
			bare[n].Round(time.Microsecond), bare[0].Round(time.Microsecond), with[n].Round(time.Microsecond), with[0].Round(time.Microsecond),
			float64(with[n])/float64(bare[n]), float64(with[0])/float64(bare[0]))
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("it left %q, %v", names(files), err)
	}
}

// python is the interpreter itself, not a shim that looks for it each time.
func python(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatalf("find python3: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func took(t *testing.T, argv, env []string) time.Duration {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = env
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v: %s", argv, err, out)
	}
	return time.Since(began)
}
