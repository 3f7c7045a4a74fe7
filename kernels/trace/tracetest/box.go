package tracetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Box is a machine with a CUDA that is not there.
type Box struct {
	t   testing.TB
	dir string
}

// Start makes one. A test that needs it and finds no C compiler fails.
func Start(t testing.TB, o Options) *Box {
	t.Helper()
	files, err := o.built()
	if err != nil {
		t.Fatal(err)
	}
	b := &Box{t, t.TempDir()}
	if err := os.MkdirAll(b.Libraries(), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// Program is the program that plays: its argument is a script.
func (b *Box) Program() string { return filepath.Join(b.dir, "play") }

// Libraries is the directory of libcuda.so.1 and libcupti.so.13.
func (b *Box) Libraries() string { return filepath.Join(b.dir, "lib") }

// CUPTI is the path of the stand-in CUPTI.
func (b *Box) CUPTI() string { return filepath.Join(b.dir, "lib", "libcupti.so.13") }

// steering are variables of the caller's shell by which other libraries are loaded than those
// of a test.
var steering = []string{"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "GPUCI_TRACE_CUPTI", "GPUCI_TRACE_DIR", "GPUCI_TRACE_TIMELINE", "CUPTI_STANDIN_ERROR", "CUPTI_STANDIN_DROP", "CUPTI_STANDIN_CLOCK", "CUPTI_STANDIN_ACTIVITY"}

// Env are the variables by which a program finds this CUDA; they go behind those that
// they replace.
func (b *Box) Env() []string {
	env := []string{"LD_LIBRARY_PATH=" + b.Libraries(), "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7"}
	for _, name := range steering {
		env = append(env, name+"=")
	}
	return env
}

// Script writes one.
func (b *Box) Script(lines ...string) string {
	b.t.Helper()
	f, err := os.CreateTemp(b.dir, "script-")
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		b.t.Fatal(err)
	}
	return f.Name()
}

// Command plays lines in an environment: that of [Box.Env] and more.
func (b *Box) Command(env []string, lines ...string) *exec.Cmd {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), b.Program(), b.Script(lines...))
	cmd.Env = append(append(os.Environ(), b.Env()...), env...)
	return cmd
}

// HideCUPTI takes it away from the loader, and gives the path where it is now.
func (b *Box) HideCUPTI() string {
	b.t.Helper()
	to := filepath.Join(b.dir, "libcupti.so.13")
	if err := os.Rename(b.CUPTI(), to); err != nil {
		b.t.Fatal(err)
	}
	return to
}
