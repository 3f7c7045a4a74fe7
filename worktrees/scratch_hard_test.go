package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// rerun runs one test of this binary again, as what attr says.
func rerun(t *testing.T, attr *syscall.SysProcAttr, env ...string) {
	t.Helper()
	rerunAs(t, os.Args[0], attr, env...)
}

// rerunAsNobody does so as a user who owns nothing, in a directory of its own
// that it can reach.
func rerunAsNobody(t *testing.T, env ...string) {
	t.Helper()
	dir := t.TempDir()
	const nobody = 65534
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "test")
	if out, err := exec.Command("cp", os.Args[0], binary).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	rerunAs(t, binary, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}, append(env, "TMPDIR="+dir)...)
}

func rerunAs(t *testing.T, binary string, attr *syscall.SysProcAttr, env ...string) {
	t.Helper()
	cmd := exec.Command(binary, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = filepath.Dir(binary)
	cmd.Env, cmd.SysProcAttr = append(os.Environ(), env...), attr
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%.3000s", err, out)
	}
}

// A disk that fills up on the way is said, and nothing is left on it, for scratch
// lanes that fail in their checkout and for those that fail in what is copied.
func TestScratchOnFullDisk(t *testing.T) {
	const home = "GPUCI_TEST_FULL_DISK"
	if dir := os.Getenv(home); dir != "" {
		fullDisk(t, dir)
		return
	}
	if os.Getuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	rerun(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}, home+"="+t.TempDir())
}

func fullDisk(t *testing.T, dir string) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,nr_inodes=400"); err != nil {
		t.Fatal(err)
	}
	r := newRepo(t)
	for i := range 6 {
		r.write(fmt.Sprintf("large/%d", i), strings.Repeat(fmt.Sprint(i), 500<<10))
	}
	r.git("add", "-A")
	r.git("commit", "-qm", "large")
	small := r.scratchAt(dir, r.head()) // there is room for this
	if err := small.Remove(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"copied", func() { r.write("untracked", strings.Repeat("x", 2<<20)) }},
		{"files", func() { r.remove("large"); many(r, 600) }},
		{"checked out", func() {
			r.write("large/x", strings.Repeat("x", 2<<20))
			r.git("add", "-A")
			r.git("commit", "-qm", "x")
		}},
	} {
		name := c.name
		c.do()
		before := r.untouched()
		s, err := NewScratch(context.Background(), r.lane(), ScratchOptions{Dir: dir})
		if s != nil || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("%s: %v, error %v", name, s, err)
		}
		if diff := cmp.Diff(before, r.untouched()); diff != "" {
			t.Errorf("%s: the lane was touched: %s", name, diff)
		}
		r.wantEmpty(dir)
		r.wantEmpty(r.path(".git/worktrees"))
		r.git("reset", "-q", "--hard")
		r.git("clean", "-fdq")
	}
	// Not even the record has room.
	fill, err := os.Create(filepath.Join(dir, "fill"))
	r.check(err)
	_, err = fill.Write(make([]byte, 8<<20))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal("the disk is not full: ", err)
	}
	if s, err := NewScratch(context.Background(), r.lane(), ScratchOptions{Dir: dir}); s != nil || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full from the start: %v, error %v", s, err)
	}
	r.check(fill.Close())
	r.check(os.Remove(fill.Name()))
	r.wantEmpty(dir)
}

func (r repo) scratchAt(dir, commit string) *Scratch {
	r.tb.Helper()
	s, err := NewScratch(context.Background(), r.lane(), ScratchOptions{Dir: dir, Commit: commit})
	r.check(err)
	return s
}

// Directories that nobody may write to, and some that nobody may read, are
// removed all the same, and stand in the way of no move; by a user who is not
// root, since root may do all.
func TestScratchWithReadOnlyDirectories(t *testing.T) {
	const home = "GPUCI_TEST_NOT_ROOT"
	if os.Getuid() == 0 && os.Getenv(home) == "" {
		rerunAsNobody(t, home+"=1")
		return
	}
	r := newRepo(t)
	first := r.head()
	r.write("src/a.go", "package z\n")
	r.git("commit", "-qam", "second")
	for _, how := range []string{"removed", "abandoned"} {
		s, err := r.tryScratch(ScratchOptions{})
		r.check(err)
		w := r.in(s)
		spoil := func() {
			w.write("src/made/deep/x", "")
			repo{t, s.Target}.write("cache/mod/x", "")
			for path, mode := range map[string]os.FileMode{"src/made/deep": 0, "src/made": 0o555, "src": 0o500, "target/cache/mod": 0o111, "target/cache": 0o555} {
				w.chmod(path, mode)
			}
		}
		spoil()
		r.check(s.Move(context.Background(), first))
		if st, err := ReadState(context.Background(), s.Lane); err != nil || st.Dirty || st.Commit != first || !there(filepath.Join(s.Target, "cache")) {
			t.Errorf("moved: %+v, %v", st, err)
		}
		w.chmod("target/cache", 0o755)
		w.chmod("target/cache/mod", 0o755)
		spoil()
		if how == "removed" {
			r.check(s.Remove(context.Background()))
		} else {
			s.place.release()
			r.removeAbandoned()
		}
		r.wantNothingLeft()
	}
}

// A file that the lane's user may not read is said, and nothing is left.
func TestScratchOfUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		if os.Getenv("GPUCI_TEST_UNREADABLE") != "" {
			t.Fatal("still root")
		}
		rerunAsNobody(t, "GPUCI_TEST_UNREADABLE=1")
		return
	}
	r := newRepo(t)
	r.write("secret", "x")
	r.chmod("secret", 0)
	if s, err := r.tryScratch(ScratchOptions{}); s != nil || err == nil || !strings.Contains(err.Error(), `"secret": it cannot be read`) {
		t.Errorf("%v, error %v", s, err)
	}
	r.wantNothingLeft()
}
