// Package smalldisk is for tests: a disk of their own that is soon full.
package smalldisk

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Run runs the test that calls it once more, in a mount namespace of its own, with an empty
// tmpfs of a size (as mount(8) takes it). There dir is that disk; outside it is "", and the
// test is over.
func Run(t *testing.T, size string) (dir string) {
	t.Helper()
	const inside = "GPUCI_TEST_SMALL_DISK"
	if dir = os.Getenv(inside); dir == "" {
		again(t, inside)
		return ""
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Fatal(err)
	}
	return dir
}

func again(t *testing.T, inside string) {
	t.Helper()
	if _, err := exec.LookPath("unshare"); err != nil {
		cannot(t, "needs unshare")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "--mount", self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), inside+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "Operation not permitted") {
		cannot(t, "needs root")
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}

// cannot ends a test that this machine cannot run.
func cannot(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}
