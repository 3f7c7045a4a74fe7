package pressure

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup makes a cgroup for the length of the test: the kernel's own pressure
// files, undisturbed by whatever else runs here.
func ownGroup(t testing.TB) string {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	membership, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	at := ""
	for line := range strings.Lines(string(mounts)) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "cgroup2" {
			at = f[1]
		}
	}
	for line := range strings.Lines(string(membership)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok && at != "" {
			at = filepath.Join(at, path)
		}
	}
	dir, err := os.MkdirTemp(at, "gpuci-test-")
	if at == "" || err != nil {
		needs(t, "a cgroup v2 directory to write in")
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	if r := ReadCgroup(dir); r.IO.Unknown != nil {
		needs(t, "pressure of cgroups: "+r.IO.Unknown.Error())
	}
	return dir
}

// asMachine lets a cgroup be watched as if it were the whole machine.
func asMachine(t testing.TB, group string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range watched() {
		if err := os.Symlink(filepath.Join(group, name+".pressure"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load is a real process that ends with the test, or at the latest with us.
type load struct {
	cmd   *exec.Cmd
	ended bool
}

// startLoad runs a line of a shell for ever in a cgroup ("" is our own).
func startLoad(t testing.TB, group, line string) *load {
	t.Helper()
	// $PPID stays what it was when the shell began.
	return startProcess(t, group, "sh", "-c", "while kill -0 $PPID 2>/dev/null; do "+line+"; done")
}

func startProcess(t testing.TB, group string, argv ...string) *load {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if group != "" {
		dir, err := os.Open(group)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &load{cmd: cmd}
	t.Cleanup(l.end)
	return l
}

// end ends it and its own children, which leave the cgroup before it returns.
func (l *load) end() {
	if l.ended {
		return
	}
	l.ended = true
	group := l.cmd.Process.Pid
	_ = syscall.Kill(-group, syscall.SIGKILL)
	_ = l.cmd.Wait()
	for syscall.Kill(-group, 0) == nil { // a child of its own, not reaped yet
		time.Sleep(time.Millisecond)
	}
}

// stallCPU has two processes of a cgroup want the same processor.
func stallCPU(t testing.TB, group string) (end func()) {
	t.Helper()
	var ours, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &ours); err != nil {
		t.Fatal(err)
	}
	for i := 0; one.Count() == 0; i++ {
		if ours.IsSet(i) {
			one.Set(i)
		}
	}
	var loads []*load
	for range 2 {
		l := startLoad(t, group, ":")
		if err := unix.SchedSetaffinity(l.cmd.Process.Pid, &one); err != nil {
			t.Fatal(err)
		}
		loads = append(loads, l)
	}
	return func() {
		for _, l := range loads {
			l.end()
		}
	}
}

// slowFile gives a block device that takes 256 kB a second: a loop device in
// memory, throttled by the root blkio group. Nobody else is slowed down by it.
func slowFile(t testing.TB) string {
	t.Helper()
	const throttle = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"
	if _, err := os.Stat(throttle); err != nil || os.Getuid() != 0 {
		needs(t, "root and a v1 blkio group")
	}
	backing, err := os.CreateTemp("/dev/shm", "gpuci-slow-")
	if err != nil {
		needs(t, "/dev/shm: "+err.Error())
	}
	t.Cleanup(func() { _ = os.Remove(backing.Name()) })
	if err := backing.Truncate(16 << 20); err != nil {
		t.Fatal(err)
	}
	_ = backing.Close()
	out, err := exec.Command("losetup", "--find", "--show", backing.Name()).Output()
	if err != nil {
		needs(t, "a loop device: "+err.Error())
	}
	device := string(bytes.TrimSpace(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "-d", device).CombinedOutput(); err != nil {
			t.Errorf("losetup -d %s: %v: %s", device, err, out)
		}
	})
	var st unix.Stat_t
	if err := unix.Stat(device, &st); err != nil {
		t.Fatal(err)
	}
	limit := func(bytes int) error {
		text := fmt.Sprintf("%d:%d %d", unix.Major(st.Rdev), unix.Minor(st.Rdev), bytes)
		return os.WriteFile(throttle, []byte(text), 0)
	}
	t.Cleanup(func() {
		if err := limit(0); err != nil {
			t.Error(err)
		}
	})
	if err := limit(256 << 10); err != nil {
		t.Fatal(err)
	}
	return device
}

// stallIO has a process of a cgroup write to a slow device and wait for each
// block of it.
func stallIO(t testing.TB, group, device string) (end func()) {
	t.Helper()
	return startProcess(t, group, "dd", "if=/dev/zero", "of="+device, "bs=64k", "oflag=dsync", "status=none").end
}
