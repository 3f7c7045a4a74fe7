//go:build bench

package verify

import (
	"context"
	"testing"
	"time"

	"gpuci/kernels/kda"
	"gpuci/kernels/kda/fused"
)

// aimAdjoint is what the whole check may take on two cores, compiled from nothing.
const aimAdjoint = 60 * time.Second

// TestBenchAdjoint prints what fused-adjoint takes with nothing compiled and with all
// compiled, beside the float64 oracle on one core for the same cases in the same run.
func TestBenchAdjoint(t *testing.T) {
	checks, err := Named([]string{"fused-adjoint"})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Checks: checks, Backends: Host{Sources: "../kda/cuda", Dir: t.TempDir()}}
	run := func() (Report, time.Duration) {
		began := time.Now()
		reports, err := Run(context.Background(), o)
		if err != nil || len(reports) != 1 {
			t.Fatalf("%d reports, %v", len(reports), err)
		}
		return reports[0], time.Since(began)
	}
	_, cold := run()
	r, warm := run()
	began := time.Now()
	for _, c := range adjointCases() {
		byOracle(t, c)
	}
	oracle := time.Since(began)
	t.Logf("fused-adjoint, %d cases: from nothing %.1f s (aim %.0f s), compiled %.1f s, oracle on one core %.1f s (the check is %.2f times that)",
		r.Planned, cold.Seconds(), aimAdjoint.Seconds(), warm.Seconds(), oracle.Seconds(), warm.Seconds()/oracle.Seconds())
	if r.Planned < 40 {
		t.Errorf("%d cases", r.Planned)
	}
}

func byOracle(t *testing.T, c kda.Case) {
	p, err := c.Problem()
	if err != nil {
		t.Fatal(err)
	}
	p = fused.Rounded(p)
	f, err := kda.ChunkForward(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kda.ChunkBackward(p, f); err != nil {
		t.Fatal(err)
	}
}
