package junit

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain lets a test run itself as a program that writes a report.
func TestMain(m *testing.M) {
	if path := os.Getenv("JUNIT_TEST_WRITES"); path != "" {
		_, _ = os.Stdout.WriteString("before\n")
		if err := WriteFile(path, sample()); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("after\n")
		return
	}
	os.Exit(m.Run())
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.xml")
	link := filepath.Join(dir, "link.xml")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("report.xml", link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link, filepath.Join(dir, "new.xml")} {
		if err := WriteFile(name, sample()); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != write(t, sample()) {
			t.Errorf("%s: %v, %.60q", name, err, data)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v, want 0640", info.Mode())
	}
	if names := list(t, dir); names != "link.xml new.xml report.xml" {
		t.Errorf("left behind: %s", names)
	}
}

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestWriteFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"taken": "is a directory", "gone/report.xml": "does its directory exist"} {
		if err := WriteFile(filepath.Join(dir, name), sample()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	if names := list(t, dir); names != "taken" {
		t.Errorf("left behind: %s", names)
	}
}

func TestWriteFileToFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, sample()); err == nil || !strings.Contains(err.Error(), "nobody reads") {
		t.Errorf("a FIFO without a reader: %v", err)
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	done := make(chan error, 1)
	go func() { done <- WriteFile(path, sample()) }()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(reader); err != nil || string(data) != write(t, sample()) {
		t.Errorf("read %v, %.60q", err, data)
	}
}

// stdout goes on to be who it was, whether a pipe or a file.
func TestWriteFileToStdout(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + write(t, sample()) + "after\n"
	run := func() *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), "JUNIT_TEST_WRITES=/dev/stdout")
		return cmd
	}
	if out, err := run().Output(); err != nil || string(out) != want {
		t.Errorf("a pipe got %v, %q", err, out)
	}
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "out"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	cmd := run()
	cmd.Stdout = file
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if out, err := os.ReadFile(file.Name()); err != nil || string(out) != want {
		t.Errorf("a file got %v, %q", err, out)
	}
}
