package cache

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is refused at once, and what is too long is not read.
func TestRegular(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"pipe": "fifo", "zero": "/dev/zero", "good": "text"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("text"), []byte("four"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "pipe", "zero", "."} {
		if _, err := ReadRegular(at(name), 10); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := ReadRegular(at("good"), 4); err != nil || string(data) != "four" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadRegular(at("good"), 3); err == nil || !strings.Contains(err.Error(), "more than 3 bytes") {
		t.Errorf("of one byte too many: %v", err)
	}
}

// A cache with something else in the place of a file has not what belongs there.
func TestRegularInCache(t *testing.T) {
	t.Parallel()
	c, err := Open(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	key := KeyOf("k")
	for kind, name := range map[string]string{"record": string(key), "blob": string(SumOf(nil))} {
		path, err := c.path(kind, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Record(key); err == nil {
		t.Error("a FIFO was a record")
	}
	if _, err := c.Blob(SumOf(nil)); err == nil {
		t.Error("a FIFO was a blob")
	}
}
