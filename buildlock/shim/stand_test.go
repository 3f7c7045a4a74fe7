package shim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// The tools that are told are those that Make makes shims for, and each leads to
// what its name leads to without shims.
func TestStandsAreThoseOfMake(t *testing.T) {
	bin, caches, base := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "shims")
	for _, name := range []string{"gcc", "ld", "ccache", "plain"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(bin, "ccache"), filepath.Join(caches, "gcc")); err != nil {
		t.Fatal(err)
	}
	in := Install{Program: filepath.Join(bin, "plain"), Env: []string{"PATH=" + caches + ":" + bin}, Base: base}
	if dir, there, err := in.Parent(); dir != base || there || err != nil {
		t.Errorf("before: %s, %v, %v", dir, there, err)
	}
	stands := in.Stands()
	if _, err := os.Stat(base); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("telling made %s: %v", base, err)
	}
	made, err := in.Make()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range stands {
		names = append(names, s.Name)
		if want := map[string]string{"gcc": caches}[s.Name]; s.Cache != (want != "") {
			t.Errorf("%s leads to %s, a cache: %v", s.Name, s.Path, s.Cache)
		}
	}
	if !slices.Equal(names, made.Names) || len(names) != 3 {
		t.Errorf("told of %v, made %v", names, made.Names)
	}
	if dir, there, err := in.Parent(); dir != base || !there || err != nil {
		t.Errorf("after: %s, %v, %v", dir, there, err)
	}
}

// Where Make would fail for good, Parent says so.
func TestParentUnfit(t *testing.T) {
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{open, filepath.Join(t.TempDir(), "a b")} {
		in := Install{Program: "/bin/sh", Env: []string{"PATH=/usr/bin"}, Base: base}
		_, _, told := in.Parent()
		_, err := in.Make()
		if err == nil {
			t.Fatalf("shims could be made in %s", base)
		}
		if !errors.Is(told, ErrUnfit) {
			t.Errorf("%s: told %v, and Make says %v", base, told, err)
		}
	}
}

func TestParentNoExec(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", unix.MS_NOEXEC, "size=1m"); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatalf("needs the right to mount a tmpfs: %v", err)
		}
		t.Skipf("needs the right to mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, 0) })
	if _, _, err := (Install{Base: filepath.Join(dir, "shims")}).Parent(); !errors.Is(err, ErrUnfit) {
		t.Errorf("on a file system without programs: %v", err)
	}
}
