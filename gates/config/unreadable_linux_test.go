package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnreadable: whatever stands in the place of a file, the caller can tell
// that the configuration is to blame, and the user what to do.
func TestUnreadable(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(path string) error
		want string
	}{
		{"permission", func(path string) error { return os.WriteFile(path, nil, 0) }, "permission denied; make it readable"},
		{"directory", func(path string) error { return os.Mkdir(path, 0o755) }, "is no file; put a regular file"},
		{"FIFO", func(path string) error { return unix.Mkfifo(path, 0o644) }, "is no file; put a regular file"},
		{"loop", func(path string) error { return os.Symlink(path, path) }, "symbolic links; look at it"},
		{"missing", func(string) error { return nil }, "no such file or directory; write it"},
	} {
		for _, role := range []role{machine, personal, workspace} {
			if tt.name == "missing" && role == personal {
				continue // nobody must have one
			}
			t.Run(tt.name+" "+string(role), func(t *testing.T) {
				src := sourcesIn(t.TempDir())
				src.Named = tt.name == "missing" && role == machine
				path := map[string]string{"machine": src.Machine, "personal": src.Personal, "workspace": src.Workspace}[string(role)]
				if role != workspace {
					write(t, src.Workspace, "")
				}
				if err := tt.make(path); err != nil {
					t.Fatal(err)
				}
				open(t, filepath.Dir(path))
				var c *Config
				var err error
				asNobody(t, func() { c, err = Load(src) })
				if c != nil || !errors.Is(err, ErrUnreadable) {
					t.Fatalf("Load gave %v, %v, want ErrUnreadable", c, err)
				}
				for _, want := range []string{"read " + string(role) + " file: ", path, tt.want} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not say %q", err, want)
					}
				}
			})
		}
	}
}

// TestFindUnreadable: a directory that may not be entered could hold the file.
func TestFindUnreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(dir, 0); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Dir(dir))
	var err error
	asNobody(t, func() { _, err = Find(dir, dir) })
	if !errors.Is(err, ErrUnreadable) || !errors.Is(err, fs.ErrPermission) || errors.Is(err, ErrNotFound) {
		t.Errorf("Find in a closed directory gave %v, want ErrUnreadable for its permission", err)
	}
}

// open lets other users into a directory of t.TempDir.
func open(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
}

// asNobody calls do while the file system takes this thread for an ordinary
// user's, because root may read everything.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	const nobody = 65534
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Setfsuid(0) }() // it never says whether it worked
	if now, _ := unix.SetfsuidRetUid(-1); now != nobody {
		t.Fatalf("files are opened as user %d, want %d", now, nobody)
	}
	do()
}
