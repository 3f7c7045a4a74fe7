package trace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// Programs of cudarc, which loads CUDA by itself, and of cust, to which it is linked, both of
// crates.io, are counted to the call. To build them takes a minute and the net: it is done
// with GPUCI_SOAK=1, and what they do is done in C by TestPrograms each time.
func TestRust(t *testing.T) {
	if os.Getenv("GPUCI_SOAK") != "1" {
		t.Skip("GPUCI_SOAK=1 builds programs of cudarc and cust")
	}
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "testdata/programs/build", dir, "cudarc", "cust")
	build.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(dir, "target"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	box := tracetest.Start(t, tracetest.Options{})
	t.Setenv("STANDIN", "1")
	for name, want := range map[string]map[Quantity]int64{
		"cudarc": {Launches: 50, Copies: 2, CopiedHtoD: 4000, CopiedDtoH: 4000, Sets: 1, SetBytes: 4000, Allocs: 2, Releases: 2, HighMark: 8000},
		"cust":   {Launches: 50, Copies: 3, CopiedHtoD: 8000, CopiedDtoH: 4000, Sets: 0, Syncs: 1, Allocs: 2, Releases: 2, HighMark: 8000},
	} {
		p := running(t, box, filepath.Join(dir, name)).process()
		s, err := p.Count(t.Context(), Counting{})
		if err != nil {
			t.Fatal(err)
		}
		for q, n := range want {
			if s.Whole[q] != n {
				t.Errorf("%s: %s %d, want %d", name, q, s.Whole[q], n)
			}
		}
		if len(s.Kernels) != 1 || !p.Clean || p.Command != name {
			t.Errorf("%s: %d kernels, %+v", name, len(s.Kernels), p)
		}
	}
}
