//go:build incident

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/pressure"
)

// A disk that takes 10 MB/s, and real writers to it: the cause is named, and the
// lane of each writer; a wait for the disk runs out.
func TestIncidentPressure(t *testing.T) {
	needsPSI(t)
	s := realStage(t)
	disk := slowDevice(t)
	s.dir = disk
	main, kda := s.lanes(t)
	inside := slowWriter(t, kda, filepath.Join(kda, "out"))
	outside := slowWriter(t, os.TempDir(), filepath.Join(disk, "checkpoint"))
	s.dir = main
	if code, _, stderr := s.run(t, "pressure", "wait", "--io-full", "0", "--wait", "6s"); code != 75 || !strings.Contains(stderr, "gave up after 6s: io full ") {
		t.Errorf("wait: exit %d, %s", code, stderr)
	}
	code, stdout, stderr := s.run(t, "pressure", "--json", "--for", "2s")
	found, d := processes(t, stdout)
	if code != 0 || !slices.Contains(d.Causes, pressure.DiskSaturated) || !strings.Contains(d.Text, "1 dd (lane kda)") || !strings.Contains(d.Text, "1 dd (outside any lane, in "+os.TempDir()+")") {
		t.Errorf("exit %d, %+v, %s", code, d, stderr)
	}
	if p := found[inside]; p.Lane != "kda" || p.Written == nil || *p.Written == 0 {
		t.Errorf("the writer in the lane: %+v", p)
	}
	if p, ok := found[outside]; !ok || p.Lane != "" || p.Dir != os.TempDir() {
		t.Errorf("the writer outside: %+v", p)
	}
	_, stdout, _ = s.run(t, "pressure")
	t.Log("\n" + stdout)
}

// slowWriter writes to a file, each megabyte down to the disk, until the end of
// the test.
func slowWriter(t *testing.T, dir, file string) (pid int) {
	t.Helper()
	cmd := exec.Command("dd", "if=/dev/zero", "of="+file, "bs=1M", "oflag=dsync")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// slowDevice mounts a file system on a loop device in memory whose writes the
// block layer holds down to 10 MB/s, and for which hardly any dirty page may
// wait, so that the page cache does not hide it. The end of the test undoes it.
func slowDevice(t *testing.T) (dir string) {
	t.Helper()
	const throttle = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"
	if _, err := os.Stat(throttle); err != nil || os.Geteuid() != 0 {
		needsTool(t, "root, and blkio throttling of cgroup v1")
	}
	for _, tool := range []string{"mkfs.ext4", "losetup", "dd"} {
		if _, err := exec.LookPath(tool); err != nil {
			needsTool(t, tool)
		}
	}
	image, err := os.CreateTemp("/dev/shm", "gpuci-pressure-disk-*")
	if err != nil {
		needsTool(t, "/dev/shm: "+err.Error())
	}
	t.Cleanup(func() { _ = os.Remove(image.Name()) })
	if err := image.Truncate(4 << 30); err != nil {
		t.Fatal(err)
	}
	_ = image.Close()
	do := func(argv ...string) string {
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	do("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image.Name())
	loop := do("losetup", "-f", "--show", image.Name())
	t.Cleanup(func() { do("losetup", "-d", loop) })
	dir = filepath.Join(t.TempDir(), "slow")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	do("mount", loop, dir)
	t.Cleanup(func() { do("umount", dir) })
	var st unix.Stat_t
	if err := unix.Stat(loop, &st); err != nil {
		t.Fatal(err)
	}
	device := fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev))
	bdi := filepath.Join("/sys/class/bdi", device)
	for _, x := range []struct{ path, now, after string }{
		{throttle, device + " 10485760", device + " 0"},
		{filepath.Join(bdi, "max_ratio"), "100", "100"},
		{filepath.Join(bdi, "strict_limit"), "1", "0"},
		{filepath.Join(bdi, "max_bytes"), "16777216", "0"},
	} {
		if err := os.WriteFile(x.path, []byte(x.now), 0); err != nil {
			needsTool(t, x.path+": "+err.Error())
		}
		t.Cleanup(func() { _ = os.WriteFile(x.path, []byte(x.after), 0) })
	}
	return dir
}

// Two workers with more pages than their memory cgroup (v1) holds swap them in
// and out: the cause is memory, and the disk only after it. It needs root, a
// swap file of its own, and stress-ng.
func TestIncidentThrash(t *testing.T) {
	needsPSI(t)
	stress, err := exec.LookPath("stress-ng")
	if err != nil {
		needsTool(t, "stress-ng")
	}
	swap := filepath.Join("/var/tmp", fmt.Sprintf("gpuci-swap-%d", os.Getpid()))
	t.Cleanup(func() { _ = os.Remove(swap) })
	group := filepath.Join("/sys/fs/cgroup/memory", fmt.Sprintf("gpuci-thrash-%d", os.Getpid()))
	for _, argv := range [][]string{
		{"dd", "if=/dev/zero", "of=" + swap, "bs=1M", "count=600", "status=none"}, {"chmod", "600", swap}, {"mkswap", "-q", swap}, {"swapon", swap}, {"mkdir", group},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
		switch argv[0] {
		case "swapon":
			t.Cleanup(func() { _ = exec.Command("swapoff", swap).Run() })
		case "mkdir":
			t.Cleanup(func() { _ = os.Remove(group) })
		}
	}
	if err := os.WriteFile(filepath.Join(group, "memory.limit_in_bytes"), []byte("60000000"), 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "echo $$ > "+group+"/cgroup.procs && exec "+stress+" --vm 2 --vm-bytes 300M --vm-method rand-set -q -t 60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(unix.SIGTERM); _ = cmd.Wait() })
	s := realStage(t)
	var text string
	for range 20 {
		code, stdout, stderr := s.run(t, "pressure")
		if text = stdout; code != 0 {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		if strings.HasPrefix(text, "memory thrash") {
			t.Log("\n" + text)
			return
		}
	}
	t.Errorf("never said memory thrash, but\n%s", text)
}
