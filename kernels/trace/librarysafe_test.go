package trace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLibraryUnsafe: what is in the cache is loaded into programs. What is torn, a link, or may
// be written by others is made anew; the directory's name may have a pattern's characters.
func TestLibraryUnsafe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ca[c]he*", "trace")
	path, err := Library(t.Context(), LibraryOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte, mode os.FileMode) error {
		return errors.Join(os.WriteFile(path, data, 0o644), os.Chmod(path, mode))
	}
	for name, spoil := range map[string]func() error{
		"torn":  func() error { return write(good[:len(good)/2], 0o755) },
		"empty": func() error { return write(nil, 0o755) },
		"zeros": func() error { return write(append(good[:9000:9000], make([]byte, len(good)-9000)...), 0o755) },
		"open":  func() error { return write(good, 0o777) },
		"link": func() error {
			to := filepath.Join(t.TempDir(), "planted.so")
			return errors.Join(os.Remove(path), os.WriteFile(to, good, 0o755), os.Symlink(to, path))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if built, err := Built(t.Context(), LibraryOptions{Dir: dir}); built != "" || err != nil {
			t.Errorf("%s: %q is taken for built, %v", name, built, err)
		}
		got, err := Library(t.Context(), LibraryOptions{Dir: dir})
		if err != nil || got != path || !usable(path) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestLibraryPlace: a directory of ours that others may write to is closed to them; one that
// lies where all may take it away is refused.
func TestLibraryPlace(t *testing.T) {
	top := t.TempDir()
	ours := filepath.Join(top, "ours")
	if err := errors.Join(os.Mkdir(ours, 0o755), os.Chmod(ours, 0o777), safeDirectory(ours)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(ours); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	link := filepath.Join(top, "link")
	if err := errors.Join(os.Symlink(ours, link), os.Chmod(top, 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	if err := safeDirectory(ours); err != nil {
		t.Errorf("below a directory for temporary files: %v", err)
	}
	var unsafe *UnsafePlace
	if err := safeDirectory(link); !errors.As(err, &unsafe) {
		t.Errorf("through a link: %v", err)
	}
	if err := os.Chmod(top, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Library(t.Context(), LibraryOptions{Dir: ours}); !errors.As(err, &unsafe) {
		t.Errorf("below a directory of everybody's: %v", err)
	}
}
