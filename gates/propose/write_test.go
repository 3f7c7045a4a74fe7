package propose

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWriteReplacesNothing: whatever has the name keeps it, also a link to
// nowhere.
func TestWriteReplacesNothing(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a file":            func(p string) error { return os.WriteFile(p, []byte("mine"), 0o600) },
		"a directory":       func(p string) error { return os.Mkdir(p, 0o755) },
		"a link to nowhere": func(p string) error { return os.Symlink("nowhere", p) },
		"a pipe":            func(p string) error { return unix.Mkfifo(p, 0o644) },
	} {
		root := t.TempDir()
		path := filepath.Join(root, "gpuci.toml")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(root, "text"); !errors.Is(err, ErrThere) {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.Lstat(path)
		if err != nil || !os.SameFile(before, after) || after.Size() != before.Size() {
			t.Errorf("%s was touched: %v", name, err)
		}
		mustBeAlone(t, root)
	}
}

// mustBeAlone fails if there is anything beside gpuci.toml.
func mustBeAlone(t *testing.T, root string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v beside gpuci.toml", err, entries)
	}
}

// TestWriteRace: of many at once one writes, and all of its text; a reader that
// looks meanwhile sees no part of one.
func TestWriteRace(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "gpuci.toml")
	text := func(i int) string { return strings.Repeat(fmt.Sprintln("line of", i), 10_000) }
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := -1
	for i := range 8 {
		wg.Go(func() {
			err := Write(root, text(i))
			if data, rerr := os.ReadFile(path); rerr != nil || len(data) != len(text(i)) {
				t.Errorf("read %d bytes, %v", len(data), rerr)
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && won >= 0:
				t.Errorf("%d and %d both wrote", won, i)
			case err == nil:
				won = i
			case !errors.Is(err, ErrThere):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if data, err := os.ReadFile(path); err != nil || won < 0 || string(data) != text(won) {
		t.Errorf("%v: the file is not that of writer %d", err, won)
	}
	mustBeAlone(t, root)
}

// TestWriteFails: where nothing can be written the error says what to do.
func TestWriteFails(t *testing.T) {
	if err := Write(filepath.Join(t.TempDir(), "gone"), "x"); err == nil || !strings.Contains(err.Error(), "--print") {
		t.Error(err)
	}
}
