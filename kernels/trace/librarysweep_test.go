package trace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestSweepOfKilledCompilers: what a compiler left that was killed goes at the next look,
// and nothing that somebody is at, or has only begun.
func TestSweepOfKilledCompilers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "libgpuci-trace-1.so")
	mine, err := newCompiling(path)
	if err != nil {
		t.Fatal(err)
	}
	defer mine.done()
	for _, name := range []string{newPrefix + "killed", newPrefix + "fresh", "else"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "inject"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Base(mine.dir), newPrefix + "killed", "else"} {
		old := time.Now().Add(-2 * newFloor)
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	sweepCompiling(dir, time.Now())
	want := slices.Sorted(slices.Values([]string{filepath.Base(mine.dir), newPrefix + "fresh", "else"}))
	if files, err := os.ReadDir(dir); err != nil || !slices.Equal(names(files), want) {
		t.Errorf("%v: %q, want %q", err, names(files), want)
	}
}

// TestKilledCompile: the directory of a gpuci that is killed while its compiler runs is
// nobody's from then on.
func TestKilledCompile(t *testing.T) {
	if dir := os.Getenv("GPUCI_TEST_COMPILE_IN"); dir != "" { // the child
		_, err := Library(t.Context(), LibraryOptions{Dir: dir, CC: os.Getenv("GPUCI_TEST_CC")})
		t.Fatal("it was not killed: ", err)
	}
	dir, at := t.TempDir(), t.TempDir()
	begun, end, cc := filepath.Join(at, "begun"), filepath.Join(at, "end"), filepath.Join(at, "cc")
	var fifos []*os.File
	for _, path := range []string{begun, end} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fifos = append(fifos, f)
	}
	script := fmt.Sprintf("#!/bin/sh\n[ $1 = --version ] && exit\necho > %s\nread line < %s\n", begun, end)
	if err := os.WriteFile(cc, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestKilledCompile$")
	child.Env = append(os.Environ(), "GPUCI_TEST_COMPILE_IN="+dir, "GPUCI_TEST_CC="+cc)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer fifos[1].WriteString("\n") // ends the compiler, which outlives the child
	_ = fifos[0].SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := fifos[0].Read(make([]byte, 1)); err != nil {
		_ = child.Process.Kill()
		t.Fatal(err, child.Wait())
	}
	left, _ := filepath.Glob(filepath.Join(dir, newPrefix+"*", newLock)) // only a bad pattern is an error
	sweepCompiling(dir, time.Now().Add(2*newFloor))                      // it lives
	_ = child.Process.Kill()
	_ = child.Wait() // it was killed
	if len(left) != 1 {
		t.Fatalf("%q", left)
	}
	if _, err := os.Stat(left[0]); err != nil {
		t.Errorf("that of a living one was swept: %v", err)
	}
	sweepCompiling(dir, time.Now().Add(2*newFloor))
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v: %q is left", err, names(files))
	}
}
