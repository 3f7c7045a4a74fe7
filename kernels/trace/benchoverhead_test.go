//go:build bench

package trace

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBenchOverhead prints what counting, and the times of the card, cost a program that
// does nothing but launch: bench/overhead, which needs a card.
func TestBenchOverhead(t *testing.T) {
	gpuci := filepath.Join(t.TempDir(), "gpuci")
	if out, err := exec.Command("go", "build", "-o", gpuci, "gpuci/cmd/gpuci").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("bench/overhead", gpuci).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 69 {
		fmt.Printf("bench: NOT MEASURED: what gpuci trace costs a launch on a card\n%s", out)
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	fmt.Printf("%s", out)
}
