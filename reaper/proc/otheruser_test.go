package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What belongs to another user is unknown: neither an error nor empty.
func TestOthersAreUnknown(t *testing.T) {
	if !asNobody(t) {
		return
	}
	scan, err := Real.Scan(ScanOptions{Exe: true, Cwd: true})
	if err != nil {
		t.Fatal(err)
	}
	const other = 1 // root's on every machine
	if st, err := Real.Status(other); err != nil || st.EUID == os.Geteuid() {
		t.Fatalf("pid 1 is ours or unreadable: %+v, %v", st, err)
	}
	if scan.Exe[other].Answer != Unknown || scan.Cwd[other].Answer != Unknown || scan.Table[other].PID != other {
		t.Errorf("in a pass: %+v, %+v, %+v", scan.Table[other], scan.Exe[other], scan.Cwd[other])
	}
	if p, err := Real.Exe(other); err != nil || p.Answer != Unknown {
		t.Errorf("exe: %+v, %v", p, err)
	}
	if own := scan.Exe[os.Getpid()]; !own.Known() {
		t.Errorf("our own exe: %+v", own)
	}
	denials := map[string]error{}
	_, denials["namespaces"] = Real.Namespaces(other)
	_, _, denials["open files"] = Real.FDs(other)
	_, denials["io"] = Real.IO(other)
	_, denials["environ"] = Real.Environ(soon(t), other)
	for name, err := range denials {
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	if list, err := Real.Cmdline(soon(t), other); err != nil || len(list) == 0 {
		t.Errorf("cmdline is everybody's: got %q, %v", list, err)
	}
	u := Real.TreeUsage(scan.Table, other)
	if u.Processes < 2 || !slices.ContainsFunc(u.Unread, func(u Unread) bool { return u.PID == other && errors.Is(u.Err, fs.ErrPermission) }) {
		t.Errorf("usage does not say that pid 1 was unreadable: %+v", u)
	}
	_, unread, err := Real.Holders(os.Stdin)
	if err != nil || !slices.ContainsFunc(unread, func(u Unread) bool { return u.PID == other && errors.Is(u.Err, fs.ErrPermission) }) {
		t.Errorf("holders do not say that pid 1 was unreadable: %+v, %v", unread, err)
	}
}

// Where /proc lists others' processes and shows nothing of them, a pass says
// which it could not see.
func TestHiddenProcesses(t *testing.T) {
	dir := os.Getenv("PROC_TEST_HIDEPID")
	if dir == "" {
		if unix.Geteuid() != 0 {
			needs(t, "root")
		}
		dir = t.TempDir()
		if err := unix.Mount("proc", dir, "proc", 0, "hidepid=1"); err != nil {
			needs(t, "mount: "+err.Error())
		}
		t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		again(t, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}, "PROC_TEST_HIDEPID="+dir)
		return
	}
	scan, err := Root(dir).Scan(ScanOptions{Exe: true})
	if err != nil || !slices.Contains(scan.Hidden, 1) || scan.Table[os.Getpid()].PID == 0 {
		t.Errorf("hidden %v, %d seen, %v; want pid 1 hidden and us seen", scan.Hidden, len(scan.Table), err)
	}
	if _, err := Root(dir).Stat(1); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want a refusal", err)
	}
}
