package simt_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

func TestCrashNamesKernelAndBlock(t *testing.T) {
	by := []launch.Arg{launch.I(3)}
	for _, c := range []struct {
		shape
		want simt.CrashError
	}{
		{shape{kernel: "wild", blocks: 3, threads: 8}, simt.CrashError{Signal: syscall.SIGSEGV, Line: 5, Block: [3]int{2, 0, 0}, Thread: [3]int{5, 0, 0}}},
		{shape{kernel: "divide", blocks: 1, threads: 8, args: by}, simt.CrashError{Signal: syscall.SIGFPE, Line: 11, Thread: [3]int{3, 0, 0}}},
		{shape{kernel: "deep", blocks: 1, threads: 1}, simt.CrashError{Signal: syscall.SIGSEGV}},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for _, mode := range modes {
				_, err := built(t, compilers(t)[0], mode, "crash.cu").Run(t.Context(), c.job(0))
				var got *simt.CrashError
				if !errors.As(err, &got) {
					t.Fatalf("%s: error %v is not a crash", mode, err)
				}
				if got.Kernel != c.kernel || got.Signal != c.want.Signal || got.Block != c.want.Block || got.Thread != c.want.Thread {
					t.Errorf("%s: %v", mode, err)
				}
				if c.want.Line != 0 && (got.File != "crash.cu" || got.Line != c.want.Line) {
					t.Errorf("%s: want line %d: %v", mode, c.want.Line, err)
				}
				if !strings.Contains(err.Error(), "kernel "+c.kernel+" crashed") {
					t.Errorf("%s: %v", mode, err)
				}
			}
		})
	}
}

func TestRefusedJobs(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Plain, "sum.cu", "race.cu")
	for name, c := range map[string]struct {
		shape
		want []string
	}{
		"unknown kernel": {shape{kernel: "total", blocks: 1, threads: 1}, []string{"launch total: no such kernel", "sum_shared", "no_barrier"}},
		"too few":        {shape{kernel: "halves", blocks: 1, threads: 1}, []string{"the arguments are 'p' and its parameters 'pi'"}},
		"too many":       {shape{kernel: "no_barrier", blocks: 1, threads: 1, args: []launch.Arg{launch.F(1)}}, []string{"'pf' and its parameters 'p'"}},
		"other kind":     {shape{kernel: "halves", blocks: 1, threads: 1, args: []launch.Arg{launch.F(1)}}, []string{"'pf' and its parameters 'pi'"}},
		"nonsense":       {shape{kernel: "halves", blocks: 0, threads: 1, out: 1}, []string{"x is not in 1 to"}},
	} {
		_, err := p.Run(t.Context(), c.job(0))
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v does not say %q", name, err, want)
			}
		}
	}
}

// The launch function counts, by phase and kernel, in the order of first launches.
func TestLaunchesAreCounted(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Plain, "race.cu")
	job := shape{kernel: "with_barrier", blocks: 1, threads: 32}.job(0)
	again := job.Launches[0]
	again.Phase = "backward"
	job.Launches = append(job.Launches, again, again)
	r := run(t, p, job)
	if r.Launched("test") != 1 || r.Launched("backward") != 2 || len(r.Launches) != 2 || r.Launches[1].Kernel != "with_barrier" {
		t.Errorf("counted %v", r.Launches)
	}
}

func TestContextEndsJob(t *testing.T) {
	p := built(t, compilers(t)[0], simt.Plain, "crash.cu")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := p.Run(ctx, shape{kernel: "endless", blocks: 1, threads: 1}.job(0))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}
