package simt_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// Overloads give CUDA's types, by our headers and, where it is here, by nvcc's.
func TestOverloadsAreThoseOfCUDA(t *testing.T) {
	for _, cxx := range everyCompiler(t) {
		if _, err := simt.Build(t.Context(), simt.Options{Sources: []string{"testdata/overloads.cu"}, Dir: directory, CXX: cxx}); err != nil {
			t.Errorf("%s: %v", cxx, err)
		}
	}
	if _, err := exec.LookPath("nvcc"); err != nil {
		return // the headers of the host were tested
	}
	cmd := exec.CommandContext(t.Context(), "nvcc", "-std=c++17", "-arch=sm_90", "-cubin", "-o", filepath.Join(t.TempDir(), "o"), "testdata/overloads.cu")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("nvcc: %v\n%s", err, text)
	}
}

func TestArithmetic(t *testing.T) {
	want := []float32{0.75, 1, 1, 1, 1.5, 1, 1, 2220, 1}
	for _, cxx := range compilers(t) {
		p := built(t, cxx, simt.Plain, "arithmetic.cu")
		job := shape{kernel: "arithmetic", blocks: 1, threads: 1, out: len(want), args: []launch.Arg{launch.F(1.5)}}.job(0)
		r := run(t, p, job)
		none(t, r)
		equal(t, r, "out", want)
	}
}

// What a device saturates and C++ does not define ends the kernel, in every mode (GPUCI_SOAK=1).
func TestConversionThatDoesNotFitIsRefused(t *testing.T) {
	for kernel, c := range map[string]struct {
		fits, beyond []float32
		line         int
	}{
		"converts": {[]float32{-2147483648, 2147483520, -0.5}, []float32{2147483648, -2147483904, 3e10}, 19},
		"natural":  {[]float32{4294967040, -0.5}, []float32{4294967296, -1, -3e10}, 24},
	} {
		for _, cxx := range compilers(t) {
			for _, mode := range modes {
				if mode != simt.Plain && os.Getenv("GPUCI_SOAK") != "1" {
					continue
				}
				p := built(t, cxx, mode, "arithmetic.cu")
				for _, x := range c.fits {
					none(t, run(t, p, shape{kernel: kernel, blocks: 1, threads: 2, args: []launch.Arg{launch.F(x)}}.job(0)))
				}
				for _, x := range c.beyond {
					_, err := p.Run(t.Context(), shape{kernel: kernel, blocks: 1, threads: 2, args: []launch.Arg{launch.F(x)}}.job(0))
					var crash *simt.CrashError
					if !errors.As(err, &crash) || crash.Signal != syscall.SIGILL || crash.Line != c.line || !strings.Contains(err.Error(), "__float2int_rz") {
						t.Errorf("%s, %s: %s(%g): error %v", cxx, mode, kernel, x, err)
					}
				}
			}
		}
	}
}
