package buildlock

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFileSystemOf(t *testing.T) {
	fs, err := FileSystemOf(t.TempDir())
	if err != nil || fs.Network != "" || fs.Full || fs.Free <= 0 {
		t.Errorf("a directory of this machine: %+v, %v", fs, err)
	}
	if fs, err := FileSystemOf("/proc"); err != nil || fs.Full || fs.Network != "" { // it has no blocks at all
		t.Errorf("/proc: %+v, %v", fs, err)
	}
	if _, err := FileSystemOf(t.TempDir() + "/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}

// A real file system that is full says so.
func TestFileSystemOfFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatalf("needs the right to mount a tmpfs: %v", err)
		}
		t.Skipf("needs the right to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, 0) })
	if fs, err := FileSystemOf(dir); err != nil || fs.Full {
		t.Fatalf("empty: %+v, %v", fs, err)
	}
	if err := exec.Command("dd", "if=/dev/zero", "of="+dir+"/fill", "bs=64k").Run(); err == nil {
		t.Fatal("it took more than it has")
	}
	if fs, err := FileSystemOf(dir); err != nil || !fs.Full || fs.Free != 0 {
		t.Errorf("full: %+v, %v", fs, err)
	}
}
