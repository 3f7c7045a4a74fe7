package gates

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A line that was cut, as by a full disk, takes none with it that comes later.
func TestAppendAfterATornLine(t *testing.T) {
	for _, before := range []string{"", "{\"type\":\"kill\"}\n", "{\"type\":\"kill\"}\n{\"type\":\"ki"} {
		state := t.TempDir()
		path := filepath.Join(state, "reaper.jsonl")
		if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
			t.Fatal(err)
		}
		for pid := range 2 {
			if err := (KillRecord{Type: "kill", PID: pid + 7}).Append(state); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(data, []byte(before)) {
			t.Fatalf("%q, %v", data, err)
		}
		lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
		for i, line := range lines[len(lines)-2:] {
			var k KillRecord
			if err := json.Unmarshal(line, &k); err != nil || k.PID != i+7 {
				t.Errorf("after %q: %q, %v", before, line, err)
			}
		}
	}
}

// What only has the name of the history is not written to.
func TestAppendToAnotherFile(t *testing.T) {
	for name, put := range map[string]func(path, other string) error{
		"symbolic link":  func(path, other string) error { return os.Symlink(other, path) },
		"link to nobody": func(path, other string) error { return os.Symlink(other+"-none", path) },
		"FIFO":           func(path, _ string) error { return unix.Mkfifo(path, 0o600) },
		"directory":      func(path, _ string) error { return os.Mkdir(path, 0o755) },
		"device": func(path, _ string) error {
			if os.Geteuid() != 0 {
				return os.Mkdir(path, 0o755)
			}
			return unix.Mknod(path, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3)))
		},
	} {
		state := t.TempDir()
		other := filepath.Join(state, "other")
		if err := os.WriteFile(other, []byte("kept\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := put(filepath.Join(state, "reaper.jsonl"), other); err != nil {
			t.Fatal(err)
		}
		err := KillRecord{Type: "kill", PID: 7}.Append(state)
		data, rerr := os.ReadFile(other)
		if _, none := os.Lstat(other + "-none"); err == nil || rerr != nil || string(data) != "kept\n" || none == nil {
			t.Errorf("%s: %v; the other file has %q, %v", name, err, data, rerr)
		}
	}
}
