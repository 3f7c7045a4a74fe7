package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// What gpuci lives by is never signalled, whatever a list of processes says.
func TestSignalSparesItsOwn(t *testing.T) {
	boot, err := Real.BootID()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{-1, 0, 1, os.Getpid(), os.Getppid()} {
		s, _ := Real.Stat(pid)
		s.PID = pid
		if err := Real.Signal(s.Identity(boot), unix.SIGCONT); !errors.Is(err, errOwn) {
			t.Errorf("pid %d: got %v", pid, err)
		}
	}
}

// A fixture can be made to say anything of a pid that somebody has here.
func TestSignalNeedsARealProc(t *testing.T) {
	pid := sleeper(t)
	s, err := Real.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	root := fixtureRoot(t, map[string]fixture{
		".":                 {links: map[string]string{"self": "/proc/self"}},
		"sys/kernel/random": {files: map[string]string{"boot_id": "b-1\n"}},
	})
	if err := os.Symlink("/proc/"+filepath.Base("1"), filepath.Join(string(root), "1")); err != nil {
		t.Fatal(err)
	}
	if err := root.Signal(s.Identity("b-1"), unix.SIGKILL); err == nil || errors.Is(err, ErrGone) {
		t.Errorf("got %v; want a refusal", err)
	}
	if !lives(s) {
		t.Error("a real process was ended by a fixture")
	}
}

// Where /proc hides others' processes, one of them is not dead for it.
func TestAliveIsNotHidden(t *testing.T) {
	const at = "PROC_TEST_HIDDEN"
	switch os.Getenv(at) {
	case "":
		if unix.Geteuid() != 0 {
			needs(t, "root")
		}
		again(t, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}, at+"=mount")
	case "mount":
		if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("proc", "/proc", "proc", 0, "hidepid=2"); err != nil {
			needs(t, "hidepid: "+err.Error())
		}
		again(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}, at+"=look")
	default:
		if _, err := Real.Stat(1); !errors.Is(err, ErrGone) {
			t.Fatalf("pid 1 is not hidden: %v", err)
		}
		if alive, err := Real.Alive(Identity{PID: 1, Start: 1}); alive || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("hidden: got %v, %v; want that it is not known", alive, err)
		}
		if alive, err := Real.Alive(Identity{PID: 1 << 30, Start: 1}); alive || err != nil {
			t.Errorf("dead: got %v, %v", alive, err)
		}
	}
}

func TestBelow(t *testing.T) {
	table := Table{
		1: {PID: 1}, 2: {PID: 2}, 10: {PID: 10, PPID: 1}, 11: {PID: 11, PPID: 10}, 12: {PID: 12, PPID: 11},
		20: {PID: 20, PPID: 21}, 21: {PID: 21, PPID: 20},
	}
	pids := func(list []Stat) (out []int) {
		for _, s := range list {
			out = append(out, s.PID)
		}
		return out
	}
	asked := append(make([]int, 0, 8), 10, 0, -1) // with room to write into
	if diff := cmp.Diff([]int{11, 12}, pids(table.Below(asked...))); diff != "" {
		t.Errorf("below 10 (-want +got):\n%s", diff)
	}
	if !slices.Equal(asked[:8], []int{10, 0, -1, 0, 0, 0, 0, 0}) {
		t.Errorf("the caller's array was written to: %v", asked[:8])
	}
	if got := table.Below(0); len(got) != 0 {
		t.Errorf("below pid 0, which is nobody: %v", pids(got))
	}
}

func TestLineage(t *testing.T) {
	procs := map[string]fixture{}
	for pid, parent := range map[int]int{1: 0, 10: 1, 11: 10, 12: 11, 20: 21, 21: 20} {
		procs[strconv.Itoa(pid)] = fixture{files: map[string]string{"stat": fmt.Sprintf("%d (p) S %d %d %d 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0\n", pid, parent, pid, pid)}}
	}
	r := fixtureRoot(t, procs)
	for pid, want := range map[int][]int{12: {12, 11, 10, 1}, 20: {20, 21}, 30: nil, 0: nil} {
		var got []int
		for _, s := range r.Lineage(pid) {
			got = append(got, s.PID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("lineage of %d: %v, want %v", pid, got, want)
		}
	}
}

// The pass can say who owns a process.
func TestScanUID(t *testing.T) {
	pid := sleeper(t)
	p, err := Real.Scan(ScanOptions{UID: true})
	if err != nil {
		t.Fatal(err)
	}
	if uid, ok := p.UID[pid]; !ok || int(uid) != os.Geteuid() {
		t.Errorf("got %d, %t", uid, ok)
	}
}

// A working directory that is really named so, under a directory that something
// is mounted over: the name cannot be seen, and is a name all the same.
func TestNamedSoUnderAMount(t *testing.T) {
	const at = "PROC_TEST_MOUNT"
	if os.Getenv(at) == "" {
		if unix.Geteuid() != 0 {
			needs(t, "root")
		}
		again(t, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}, at+"=1")
		return
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	above := t.TempDir()
	lane := filepath.Join(above, "lane (deleted)")
	if err := os.Mkdir(lane, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := catCommand("/dev/zero")
	cmd.Path, cmd.Args, cmd.Dir = "/bin/sleep", []string{"sleep", "600"}, lane
	pid := settled(t, launch(t, cmd))
	if err := unix.Mount("none", above, "tmpfs", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(above, unix.MNT_DETACH) }()
	if p, err := Real.Cwd(pid); err != nil || p.Deleted || p.Path != lane {
		t.Errorf("got %+v, %v; want %s, not deleted", p, err, lane)
	}
}
