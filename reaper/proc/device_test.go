package proc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A device is the same under another name: a container's own node for a card.
func TestHoldersOfADevice(t *testing.T) {
	if unix.Geteuid() != 0 {
		needs(t, "root")
	}
	node := filepath.Join(t.TempDir(), "zero")
	if err := unix.Mknod(node, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil {
		needs(t, "mknod: "+err.Error())
	}
	theirs, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sleep", "600")
	cmd.ExtraFiles = []*os.File{theirs}
	pid := settled(t, launch(t, cmd))
	f, err := os.Open(node)
	if err != nil {
		needs(t, "a mount that allows devices: "+err.Error())
	}
	defer f.Close()
	found, _, err := Real.Holders(f)
	if err != nil || !slices.ContainsFunc(found, func(h Holder) bool { return h.Stat.PID == pid && slices.Equal(h.FDs, []int{3}) }) {
		t.Errorf("%+v, %v; want pid %d with descriptor 3", found, err, pid)
	}
}

// One pass for many files, told by whatever the caller likes.
func TestHolding(t *testing.T) {
	dir := t.TempDir()
	var files []*os.File
	for _, name := range []string{"a", "b", "c"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	cmd := exec.Command("/bin/sleep", "600")
	cmd.ExtraFiles = files
	pid := settled(t, launch(t, cmd))
	var want FileID
	var st unix.Stat_t
	if err := unix.Fstat(int(files[1].Fd()), &st); err != nil {
		t.Fatal(err)
	}
	want = FileID{Type: unix.S_IFREG, Dev: st.Dev, Ino: st.Ino}
	found, _, err := Real.Holding(func(f *OpenFile) (bool, error) {
		if f.PID != pid || !strings.HasPrefix(f.Path, dir) {
			return false, nil
		}
		if strings.HasSuffix(f.Path, "/a") {
			return true, nil
		}
		id, err := f.ID()
		return id.Same(want), err
	})
	if err != nil || len(found) != 1 || found[0].Stat.PID != pid {
		t.Fatalf("%+v, %v; want pid %d", found, err, pid)
	}
	if slices.Sort(found[0].FDs); !slices.Equal(found[0].FDs, []int{3, 4}) {
		t.Errorf("descriptors %v, want 3 and 4", found[0].FDs)
	}
}

// A file that cannot be looked at is not one that is certainly another.
func TestHoldersUnread(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "ticket"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x")}, links: map[string]string{"fd/3": loop, "fd/4": f.Name()}},
		"13": {files: map[string]string{"stat": line(13, "x")}, links: map[string]string{"fd/3": loop}},
		"14": {files: map[string]string{"stat": line(14, "x")}, links: map[string]string{"fd/3": filepath.Join(loop+"not", "there")}},
	})
	found, unread, err := root.Holders(f)
	if err != nil || len(found) != 1 || found[0].Stat.PID != 12 || !slices.Equal(found[0].FDs, []int{4}) {
		t.Errorf("%+v, %v; want pid 12", found, err)
	}
	var pids []int
	for _, u := range unread {
		if pids = append(pids, u.PID); !errors.Is(u.Err, unix.ELOOP) {
			t.Errorf("%+v", u)
		}
	}
	if slices.Sort(pids); !slices.Equal(pids, []int{12, 13}) {
		t.Errorf("unread %v, want 12 and 13", pids)
	}
}
