package main_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// TestStub: what is built without the tag cuda says how the real one is made. That one
// is tested where it is spoken to, in kernels/cuda.
func TestStub(t *testing.T) {
	program := t.TempDir() + "/gpuci-cuda"
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 69 || !strings.Contains(string(out), "make cuda") {
		t.Errorf("%v: %s", err, out)
	}
}
