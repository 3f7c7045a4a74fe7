package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// byNumber finds one open file.
func byNumber(list []FD, n int) FD {
	for _, f := range list {
		if f.N == n {
			return f
		}
	}
	return FD{N: -1}
}

func TestFDsOfARealProcess(t *testing.T) {
	dir := t.TempDir()
	var files []*os.File
	for _, name := range []string{"kept", "lost", "named (deleted)"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd := exec.Command("/bin/sleep", "600")
	cmd.ExtraFiles = append(files, r) // from 3 on
	pid := settled(t, launch(t, cmd))
	if err := os.Remove(files[1].Name()); err != nil {
		t.Fatal(err)
	}
	list, whole, err := Real.FDs(pid)
	if err != nil || !whole || len(list) < 7 { // what go test was started with comes along
		t.Fatalf("got %+v, %v, %v; want seven", list, whole, err)
	}
	for i, f := range files {
		want := FD{N: 3 + i, Path: f.Name(), Deleted: i == 1}
		if got := byNumber(list, 3+i); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(r.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	if got, want := byNumber(list, 6), (FD{N: 6, Path: fmt.Sprintf("pipe:[%d]", st.Ino)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A keeper has the file open though its name is gone.
func TestHolders(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "ticket"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if found, _, err := Real.Holders(f); err != nil || len(found) != 0 {
		t.Errorf("got %+v, %v; our own descriptor does not count", found, err)
	}
	cmd := exec.Command("/bin/sleep", "600")
	cmd.ExtraFiles = []*os.File{f, f}
	keeper := settled(t, launch(t, cmd))
	sleeper(t) // does not have it
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	found, unread, err := Real.Holders(f)
	if err != nil || len(found) != 1 || found[0].Stat.PID != keeper {
		t.Fatalf("got %+v, %v; want pid %d alone", found, err, keeper)
	}
	if slices.Sort(found[0].FDs); !slices.Equal(found[0].FDs, []int{3, 4}) {
		t.Errorf("got descriptors %v, want 3 and 4", found[0].FDs)
	}
	if unix.Geteuid() == 0 && len(unread) > 0 {
		t.Errorf("root could not look at %+v", unread)
	}
}

// A second descriptor of ours for the same file counts; one opened by its path
// alone finds holders as well.
func TestHoldersByPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ticket")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	look, err := os.OpenFile(path, unix.O_PATH, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	found, _, err := Real.Holders(look)
	if err != nil || len(found) != 1 || found[0].Stat.PID != os.Getpid() || !slices.Equal(found[0].FDs, []int{int(f.Fd())}) {
		t.Errorf("got %+v, %v; want our descriptor %d", found, err, f.Fd())
	}
}

func TestHoldersFixtures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ticket")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	root := fixtureRoot(t, map[string]fixture{
		"12": {files: map[string]string{"stat": line(12, "x"), "fd/x": ""}, links: map[string]string{"fd/3": path, "fd/4": other}},
		"13": {files: map[string]string{"stat": line(13, "y")}, links: map[string]string{"fd/0": other}},
		"14": {}, // gone
	})
	found, unread, err := root.Holders(f)
	if err != nil || len(unread) != 0 || len(found) != 1 || found[0].Stat.PID != 12 || !slices.Equal(found[0].FDs, []int{3}) {
		t.Errorf("got %+v, %+v, %v; want pid 12", found, unread, err)
	}
}

func TestDecimal(t *testing.T) {
	for _, n := range []int{0, 1, 10, 4194304} {
		if got, ok := decimal([]byte(strconv.Itoa(n))); !ok || got != n {
			t.Errorf("%d: got %d, %v", n, got, ok)
		}
	}
	for _, name := range []string{"", "+1", "-1", "007", "1a", "self", "99999999999999999999"} {
		if got, ok := decimal([]byte(name)); ok {
			t.Errorf("%q: got %d", name, got)
		}
	}
}

func FuzzAppendNumbers(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x18\x00\x0412\x00\x00\x00"))
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, entries []byte) {
		for _, n := range appendNumbers(nil, entries) {
			if n < 0 {
				t.Errorf("%q: %d", entries, n)
			}
		}
	})
}

func FuzzParseInode(f *testing.F) {
	f.Add([]byte("pos:\t0\nflags:\t02\nmnt_id:\t9\nino:\t1234\n"))
	f.Add([]byte("ino:"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, ok := parseInode(data); !ok && n != 0 {
			t.Errorf("%q: %d and not found", data, n)
		}
	})
}
