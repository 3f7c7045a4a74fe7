//go:build bench

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/perf/benchmath"
)

// pairs is how often both sides of a comparison run, in turn.
const pairs = 20

// paired runs two commands in turn, the order changing from pair to pair, and
// gives the time of each in seconds. The machines are noisy: what is compared
// is what ran side by side.
func paired(t *testing.T, n int, a, b func() *exec.Cmd) (as, bs []float64) {
	t.Helper()
	time1 := func(make func() *exec.Cmd) float64 {
		cmd := make()
		began := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v", cmd.Args, err)
		}
		return time.Since(began).Seconds()
	}
	time1(a)
	time1(b)
	for i := range n {
		if i%2 == 0 {
			as = append(as, time1(a))
			bs = append(bs, time1(b))
		} else {
			bs = append(bs, time1(b))
			as = append(as, time1(a))
		}
	}
	return as, bs
}

// summary is a median with its 95 % interval, free of assumptions about the
// distribution.
func summary(values []float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
}

func each(a, b []float64, f func(a, b float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = f(a[i], b[i])
	}
	return out
}

func tell(name, unit string, scale float64, values []float64, aim string) {
	s := summary(values)
	fmt.Printf("%-44s %8.2f %s  [%.2f, %.2f]  n=%d  aim %s\n", name, s.Center*scale, unit, s.Lo*scale, s.Hi*scale, len(values), aim)
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

// repository makes a committed repository of so many files.
func repository(t *testing.T, config string, files int) workspace {
	t.Helper()
	w := newWorkspace(t, config)
	for i := range files {
		dir := filepath.Join(w.dir, fmt.Sprintf("d%d", i/2500), fmt.Sprintf("s%d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.c", i)), []byte("int x;\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, w.dir, "init", "-q", "-b", "main")
	git(t, w.dir, "add", "-A")
	git(t, w.dir, "commit", "-q", "-m", "one")
	time.Sleep(1100 * time.Millisecond) // so that no file is racily clean
	git(t, w.dir, "status")             // and the index knows it
	return w
}

// TestBenchOverhead: a gate around a command that does nothing, against the
// bare command; what is printed is the difference.
func TestBenchOverhead(t *testing.T) {
	const config = "[[gate]]\nname = \"nothing\"\nrun = [\"true\"]\nreader = \"none\"\n"
	for _, size := range []struct {
		files int
		aim   string
	}{{10, "30 ms"}, {50_000, "50 ms"}} {
		w := repository(t, config, size.files)
		gate, bare := paired(t, pairs,
			func() *exec.Cmd { return w.command(t, "gate", "nothing") },
			func() *exec.Cmd { return exec.Command("true") })
		tell(fmt.Sprintf("gate around nothing, %d files, minus bare", size.files), "ms", 1e3,
			each(gate, bare, func(a, b float64) float64 { return a - b }), size.aim)
		_, status := paired(t, pairs,
			func() *exec.Cmd { return exec.Command("true") },
			func() *exec.Cmd {
				return exec.Command("git", "-C", w.dir, "--no-optional-locks", "status", "--porcelain")
			})
		tell(fmt.Sprintf("  beside it: git status, %d files", size.files), "ms", 1e3, status, "none")
	}
}

// TestBenchFlood: a gate whose test prints 1 GiB, against the same into a file.
func TestBenchFlood(t *testing.T) {
	const size = 1 << 30
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, reader := range []string{"none", "libtest"} {
		w := newWorkspace(t, fmt.Sprintf(`
[[gate]]
name = "flood"
run = ["env", "GPUCI_BENCH_FLOOD=%d", %q]
reader = %q
[[gate.bar]]
metric = "worst-rel"
pattern = 'worst rel (?P<value>[-+0-9.eE]+) on (?P<term>d_\w+)'
max = 2e-5
`, size, self, reader))
		gate, bare := paired(t, pairs,
			func() *exec.Cmd {
				_ = os.RemoveAll(filepath.Join(w.state, "gpuci"))
				return w.command(t, "gate", "flood")
			},
			func() *exec.Cmd {
				file := filepath.Join(w.state, "bare.log")
				_ = os.Remove(file)
				return exec.Command("sh", "-c", fmt.Sprintf("GPUCI_BENCH_FLOOD=%d %q > %q", size, self, file))
			})
		peak, err := runPeak(w.command(t, "gate", "flood"))
		if err != nil {
			t.Fatal(err)
		}
		tell("gate printing 1 GiB, reader "+reader+", over `cmd >file`", "x ", 1,
			each(gate, bare, func(a, b float64) float64 { return a / b }), "1.5")
		tell("  the bare command", "s ", 1, bare, "none")
		fmt.Printf("%-44s %8.1f MiB  aim 48\n", "  gpuci's peak memory", float64(peak)/1024)
	}
}
