//go:build bench && linux

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/perf/benchmath"
)

// shimPairs is how often all sides of a comparison run, in turn.
const shimPairs = 200

// inTurn runs commands in turn, each time beginning with another one, and
// gives the time of each in seconds. What is compared is what ran side by side.
func inTurn(t *testing.T, n int, commands ...func() *exec.Cmd) [][]float64 {
	t.Helper()
	out := make([][]float64, len(commands))
	for i := -1; i < n; i++ { // the first round warms the caches
		for j := range commands {
			which := (i + 1 + j) % len(commands)
			cmd := commands[which]()
			began := time.Now()
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %v", cmd.Args, err)
			}
			if i >= 0 {
				out[which] = append(out[which], time.Since(began).Seconds())
			}
		}
	}
	return out
}

func benchReport(name, unit string, scale float64, values []float64, aim string) {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
	fmt.Printf("%-44s %8.2f %s  [%.2f, %.2f]  n=%d  aim %s\n", name, s.Center*scale, unit, s.Lo*scale, s.Hi*scale, len(values), aim)
}

func pairwise(a, b []float64, f func(a, b float64) float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = f(a[i], b[i])
	}
	return out
}

func minus(a, b float64) float64 { return a - b }
func over(a, b float64) float64  { return a / b }

// command is a call of a program in the rig by a bare name, as make would.
func (r rig) command(path string, env []string, args ...string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(path, args[1:]...)
		cmd.Args, cmd.Dir, cmd.Env = args, r.dir, env
		return cmd
	}
}

// TestBenchShim: a compile through the shim, against the same in C and bare;
// and a link with nobody waiting against flock(1).
func TestBenchShim(t *testing.T) {
	r := shimRig(t, "cc")
	cc := shimNeeds(t, "cc")
	shimFile(t, r.dir+"/a.c", shimMain)
	cshim := r.dir + "/cshim/cc"
	shimFile(t, r.dir+"/cshim/.gpuci-shims", "")
	if out, err := exec.Command(cc, "-O2", "-o", cshim, "testdata/cshim/shim.c").CombinedOutput(); err != nil {
		t.Fatalf("build the shim in C: %v: %s", err, out)
	}
	bare := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + r.dir}
	inC := []string{"PATH=" + r.dir + "/cshim:" + os.Getenv("PATH"), "TMPDIR=" + r.dir}
	compile := []string{"cc", "-c", "a.c", "-o", "a.o"}
	times := inTurn(t, shimPairs, r.command(cc, bare, compile...), r.command(cshim, inC, compile...), r.command(r.shims.Path+"/cc", r.env, compile...))
	benchReport("cc -c, bare", "ms", 1e3, times[0], "none")
	benchReport("  through the shim, minus bare", "ms", 1e3, pairwise(times[2], times[0], minus), "3")
	benchReport("  through the shim in C, minus bare", "ms", 1e3, pairwise(times[1], times[0], minus), "none")
	benchReport("  through the shim, minus the one in C", "ms", 1e3, pairwise(times[2], times[1], minus), "1.5")

	flock := shimNeeds(t, "flock")
	link := []string{"cc", "a.o", "-o", "x"}
	times = inTurn(t, shimPairs/2,
		r.command(flock, bare, append([]string{"flock", r.dir + "/lock"}, link...)...),
		r.command(r.shims.Path+"/cc", r.env, link...))
	benchReport("cc a.o -o x, flock FILE", "ms", 1e3, times[0], "none")
	benchReport("  through the shim, over that", "x ", 1, pairwise(times[1], times[0], over), "1.1")
}
