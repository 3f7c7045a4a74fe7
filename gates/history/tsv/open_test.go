package tsv

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What is no plain file is neither read nor written, and nobody waits for it;
// through a link no row goes to a file that is somebody else's.
func TestNoPlainFile(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "theirs")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(root string) error{
		"a FIFO":      func(root string) error { return unix.Mkfifo(filepath.Join(root, "h.tsv"), 0o644) },
		"a directory": func(root string) error { return os.Mkdir(filepath.Join(root, "h.tsv"), 0o755) },
		"a link out": func(root string) error {
			return os.Symlink(filepath.Join(outside, "h.tsv"), filepath.Join(root, "h.tsv"))
		},
		"a link within":         func(root string) error { return os.Symlink("other.tsv", filepath.Join(root, "h.tsv")) },
		"a link to a directory": func(root string) error { return os.Symlink(outside, filepath.Join(root, "b")) },
	} {
		t.Run(name, func(t *testing.T) {
			root, file := t.TempDir(), "h.tsv"
			if err := make(root); err != nil {
				t.Fatal(err)
			}
			if name == "a link to a directory" {
				file = "b/h.tsv"
			} else if _, err := Read(filepath.Join(root, file)); !errors.Is(err, ErrNoFile) {
				t.Errorf("Read: %v", err)
			}
			if n, err := Append(root, file, []Row{row("1", "x", "", 1)}); n != 0 || !errors.Is(err, ErrNoFile) {
				t.Errorf("Append: %d, %v", n, err)
			}
			if found, err := os.ReadDir(outside); err != nil || len(found) > 0 {
				t.Errorf("somebody else's directory holds %v, %v", found, err)
			}
		})
	}
	if _, err := Append(t.TempDir(), "../h.tsv", []Row{row("1", "x", "", 1)}); !errors.Is(err, ErrNoFile) {
		t.Errorf("Append above its root: %v", err)
	}
}
