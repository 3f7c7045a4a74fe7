//go:build incident

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// slowDisk mounts an ext4 file system that is slow: a loop file in memory,
// throttled by the root blkio group. So that the page cache hides nothing,
// hardly any dirty page may wait: by a strict limit of the device's own
// ("strict", 10 MB/s), or by one for the whole machine ("dirty", 20 MB/s), as
// on a box whose only disk is the slow one. All of it is undone at the end.
func slowDisk(t *testing.T, kind string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("needs root: a loop device and a throttle are made")
	}
	const throttle = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"
	file := filepath.Join("/dev/shm", fmt.Sprintf("gpuci-incident-%d", os.Getpid()))
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(file) })
	if err := f.Truncate(6 << 30); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	command(t, "mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", file)
	loop := strings.TrimSpace(command(t, "losetup", "-f", "--show", file))
	t.Cleanup(func() { command(t, "losetup", "-d", loop) })
	dir := t.TempDir()
	command(t, "mount", loop, dir)
	t.Cleanup(func() { command(t, "umount", dir) })
	var st unix.Stat_t
	if err := unix.Stat(loop, &st); err != nil {
		t.Fatal(err)
	}
	dev := fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev))
	set := func(path, now, after string) {
		if err := os.WriteFile(path, []byte(now), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.WriteFile(path, []byte(after), 0); err != nil {
				t.Errorf("put %s back: %v", path, err)
			}
		})
	}
	switch kind {
	case "strict":
		set(throttle, dev+" 10485760", dev+" 0")
		bdi := "/sys/class/bdi/" + dev + "/"
		set(bdi+"max_ratio", "100", "100")
		set(bdi+"strict_limit", "1", "0")
		set(bdi+"max_bytes", "16777216", "0")
	case "dirty":
		set(throttle, dev+" 20971520", dev+" 0")
		const limit = "/proc/sys/vm/dirty_bytes"
		before, err := os.ReadFile(limit)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(before)) == "0" { // then the ratio holds, and writing it sets this to 0
			const ratio = "/proc/sys/vm/dirty_ratio"
			if before, err = os.ReadFile(ratio); err != nil {
				t.Fatal(err)
			}
			set(ratio, string(before), string(before))
			if err := os.WriteFile(limit, []byte("33554432"), 0); err != nil {
				t.Fatal(err)
			}
			break
		}
		set(limit, "33554432", string(before))
	default:
		t.Fatalf("GPUCI_INCIDENT_DISK is strict or dirty, not %q", kind)
	}
	return dir
}

func command(t *testing.T, argv ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, stderr.String())
	}
	return string(out)
}
