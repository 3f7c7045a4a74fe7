package slurm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/ci/executor"
	"gpuci/ci/executor/executortest"
	"gpuci/ci/slurm"
	"gpuci/ci/slurm/slurmtest"
	"gpuci/ci/spool"
)

// TestContract holds Slurm to what executors promise, with and without accounting: with
// the place that nodes share, and the gpuci that runs there.
func TestContract(t *testing.T) {
	gpuci := filepath.Join(t.TempDir(), "gpuci")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", gpuci, "gpuci/cmd/gpuci").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, accounting := range map[string]bool{"accounting": true, "bare": false} {
		t.Run(name, func(t *testing.T) {
			if !accounting && os.Getenv("GPUCI_SOAK") != "1" {
				t.Skip("in the long form (GPUCI_SOAK=1); the nights of package ci have no accounting either")
			}
			rig := slurmtest.Start(t, slurmtest.Options{Accounting: accounting, Cgroups: slurmtest.Memory()})
			for _, v := range rig.Env() {
				name, value, _ := strings.Cut(v, "=")
				t.Setenv(name, value)
			}
			base := func(t *testing.T) string {
				dir, err := os.MkdirTemp(rig.Shared, "stage")
				if err != nil {
					t.Fatal(err)
				}
				return dir
			}
			executortest.Contract(t, base, func(t *testing.T, s *executortest.Stage) executor.Executor {
				t.Helper()
				c := s.Config.Slurm
				c.Shared = filepath.Join(filepath.Dir(s.Out), "its $(touch no) 'place' \"%j\"\n")
				if err := os.MkdirAll(c.Shared, 0o755); err != nil {
					t.Fatal(err)
				}
				place, err := spool.Open(spool.Options{
					Shared: c.Shared, Night: s.Night, Here: s.Here, State: s.State, Past: s.Past,
					Scratch: filepath.Join(filepath.Dir(s.Out), "scratch"), Program: gpuci, Version: "test", NoPressure: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				ex, err := slurm.New(t.Context(), slurm.Options{Config: c, Spool: place, Dir: filepath.Join(s.State, "ci", s.Night), Env: os.Environ()})
				if err != nil {
					t.Fatal(err)
				}
				return ex
			})
			rig.MustBeEmpty(t)
		})
	}
}
