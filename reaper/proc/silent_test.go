package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Paths on a server that answers nothing, whose text ends in the kernel's mark.
// Whether they are deleted is not known; it is asked once for all of them.
func TestPlaceOnASilentServer(t *testing.T) {
	f := mountStuck(t)
	defer f.Release()
	t.Cleanup(func() { // the next mount can have the same id
		silent.Lock()
		defer silent.Unlock()
		clear(silent.since)
	})
	open, err := os.Open(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	var pids [3]int
	for i := range pids {
		// The child goes there by itself: our own runtime stands still until it has,
		// and the server is in it.
		cmd := exec.Command("/bin/sh", "-c", `cd "$1" && exec /bin/sleep 600`, "sh", f.Dir)
		cmd.ExtraFiles = []*os.File{open}
		pids[i] = launch(t, cmd)
		until(t, pids[i], "sleeps there", func(s Stat) bool { return s.Comm == "sleep" })
	}
	if p, err := Real.Cwd(pids[0]); err != nil || p != (Place{Answer: Known, Path: f.Dir}) {
		t.Fatalf("while it answers: %+v, %v", p, err)
	}
	f.Silence()
	readers := 0
	for _, pid := range pids {
		p, err := Real.Cwd(pid)
		var none *SilentError
		if !errors.As(err, &none) || none.Path != f.Dir || p.Answer != Unknown {
			t.Fatalf("got %+v, %v; want no answer", p, err)
		}
		if none.Reader != 0 {
			readers++
		}
		list, whole, err := Real.FDs(pid)
		if !errors.As(err, &none) || !whole || byNumber(list, 3).N == 3 || byNumber(list, 0).N != 0 {
			t.Errorf("open files: %+v, %v, %v; want all but the one", list, whole, err)
		}
	}
	if readers != 1 {
		t.Errorf("%d readers hang; want one for the mount", readers)
	}
	scan, err := Real.Scan(ScanOptions{Cwd: true})
	if err != nil || scan.Cwd[pids[1]].Answer != Unknown || scan.Table[pids[1]].PID == 0 {
		t.Errorf("in a pass: %+v, %v", scan.Cwd[pids[1]], err)
	}
}

// Which of several directories is the one that hangs is said; what is not there
// answers as well.
func TestAnswers(t *testing.T) {
	f := mountStuck(t)
	defer f.Release()
	dir := t.TempDir()
	paths := []string{dir, dir + "/none", f.Dir, dir}
	if err := Answers(soon(t), paths); err != nil {
		t.Fatal(err)
	}
	if err := Answers(soon(t), nil); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	f.Silence()
	var none *SilentError
	if err := Answers(soon(t), paths); !errors.As(err, &none) || none.Path != f.Dir {
		t.Errorf("got %v; want %s", err, f.Dir)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Answers(over, paths[:1]); err == nil {
		t.Error("asked for by nobody, and answered")
	}
}

// Only that a name is not there proves that nothing has it.
func TestMissing(t *testing.T) {
	dir := t.TempDir()
	if lost, err := missing(dir + "/none (deleted)"); !lost || err != nil {
		t.Errorf("nothing there: %t, %v", lost, err)
	}
	if err := os.Symlink("nowhere", dir+"/link (deleted)"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, dir + "/link (deleted)", "/dev/null/x (deleted)"} {
		if lost, err := missing(path); lost || err != nil {
			t.Errorf("%s: %t, %v", path, lost, err)
		}
	}
}

// The way from mount to mount, as the kernel goes it.
func TestMountAt(t *testing.T) {
	list := parseMounts([]byte(`21 1 0:20 / / rw - ext4 /dev/a rw
30 21 0:30 / /a/b rw shared:1 - nfs4 server:/x rw
31 21 0:31 / /c rw - tmpfs none rw
32 31 0:32 / /c rw - fuse.sshfs host: rw
33 32 0:33 / /c/with\040blank rw - xfs /dev/b rw
not a line
40 21 0:40 / /a rw - overlay none rw
`))
	if len(list) != 6 {
		t.Fatalf("%d lines: %+v", len(list), list)
	}
	for path, want := range map[string]uint64{
		"/": 21, "/x": 21, "/a": 40, "/a/b": 40, "/a/b/c": 40, "/ab": 21, "/c": 32, "/c/d": 32, "/c/with blank/x": 33, "/c/with": 32,
	} {
		if m, ok := list.at(path); !ok || m.id != want {
			t.Errorf("%s: %+v, %t; want %d", path, m, ok, want)
		}
	}
	if m, ok := (mounts{{id: 5, parent: 4, point: "/x"}}).at("/x"); ok {
		t.Errorf("without a root: %+v", m)
	}
	for kind, want := range map[string]bool{"ext4": true, "fuse.sshfs": true, "fuse": true, "nfs4": false, "9p": false, "": false} {
		if (mount{kind: kind}).prompt() != want {
			t.Errorf("%s: want %t", kind, want)
		}
	}
}

// On the real machine, what stat(2) says of a path is what mountinfo does.
func TestMountAtHere(t *testing.T) {
	self, err := openDir("/proc/self")
	if err != nil {
		t.Fatal(err)
	}
	defer self.close()
	list, err := self.mounts()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/proc", "/proc/sys", "/dev", "/sys", t.TempDir()} {
		var st unix.Statx_t
		if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_MNT_ID, &st); err != nil || st.Mask&unix.STATX_MNT_ID == 0 {
			t.Skipf("needs a kernel that tells mounts: %v", err)
		}
		if m, ok := list.at(path); !ok || m.id != st.Mnt_id {
			t.Errorf("%s: %+v, %t; want %d", path, m, ok, st.Mnt_id)
		}
	}
}

func FuzzParseMounts(f *testing.F) {
	f.Add([]byte("21 1 0:20 / / rw - ext4 /dev/a rw\n30 21 0:30 / /a\\040b rw - nfs4 x rw\n"))
	f.Add([]byte("1 1 0:1 / / rw - \n1 1 0:1 / / rw - x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := parseMounts(data)
		m, ok := list.at("/a/b")
		if ok && !leadsTo(m.point, "/a/b") {
			t.Errorf("%q: %+v", data, m)
		}
	})
}

// A mount that was silent is asked again after a while.
func TestSilentForAWhile(t *testing.T) {
	const id = 1 << 60 // no mount's
	if isSilent(id) {
		t.Fatal("silent without having been asked")
	}
	if setSilent(id); !isSilent(id) {
		t.Error("it is asked again at once")
	}
	silent.Lock()
	silent.since[id] = time.Now().Add(-silentTime)
	silent.Unlock()
	if isSilent(id) {
		t.Error("it is never asked again")
	}
}
