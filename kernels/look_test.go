package kernels

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gpuci/kernels/entry"
	"gpuci/kernels/inspect"
)

// named is what the modules of a directory are called from there. Each must be there by
// the name that is given for opening it.
func named(list []entry.Module) (files []string) {
	for _, m := range list {
		if _, err := os.Stat(m.File); err == nil {
			files = append(files, m.Below)
		}
	}
	return files
}

// Of a directory every file with device code is looked into, and one that breaks off
// is said beside the others.
func TestLook(t *testing.T) {
	cubin := data(t, "scan.sm_90.cubin")
	s := newStage(t, "d/a.cubin", cubin, "d/deep/b", cubin, "d/.git/c", cubin, "d/README", "text", "e/README", "text")
	list, err := Look(t.Context(), filepath.Join(s.set.Build.Root, "d"))
	if got := named(list); err != nil || !slices.Equal(got, []string{"a.cubin", "deep/b"}) {
		t.Errorf("%q, %v", got, err)
	}
	s.write("d/c.cubin", cubin[:200])
	if list, err = Look(t.Context(), filepath.Join(s.set.Build.Root, "d")); len(list) < 2 || err == nil && !slices.ContainsFunc(list, func(m entry.Module) bool { return len(m.Unread) > 0 }) {
		t.Errorf("a truncated file: %d modules, %v", len(list), err)
	}
	if _, err = Look(t.Context(), filepath.Join(s.set.Build.Root, "e")); err == nil || !strings.Contains(err.Error(), "no device code") {
		t.Errorf("a directory without any: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Look(ctx, filepath.Join(s.set.Build.Root, "d")); err == nil {
		t.Error("it was not stopped")
	}
}

// Links are followed: to files, to directories, out of the directory, and the directory
// itself may be one. What is reached twice is looked at once, and a loop ends.
func TestLookFollowsLinks(t *testing.T) {
	cubin := data(t, "scan.sm_90.cubin")
	s := newStage(t, "d/real/a.cubin", cubin, "away/b.cubin", cubin, "away/.hidden/c.cubin", cubin, "d/z/lib.so.1", cubin)
	root := s.set.Build.Root
	for link, to := range map[string]string{
		"d/first": "real", "d/real/up": "..", "d/out": "../away", "d/file.cubin": "../away/b.cubin", "d/z/lib.so": "lib.so.1",
		"d/nowhere": "none", "d/self": "self", "bazel-bin": "d", "away/in": "../d", "d/.h": "../away/.hidden", "d/hidden.cubin": "../away/.hidden/c.cubin",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"d", "bazel-bin"} {
		list, err := Look(t.Context(), filepath.Join(root, dir))
		if got := named(list); err != nil || !slices.Equal(got, []string{"file.cubin", "hidden.cubin", "real/a.cubin", "z/lib.so.1"}) {
			t.Errorf("%s: %q, %v", dir, got, err)
		}
	}
	t.Chdir(filepath.Join(root, "d"))
	list, err := Look(t.Context(), "../away")
	if got := named(list); err != nil || !slices.Equal(got, []string{"b.cubin", "in/hidden.cubin", "in/real/a.cubin", "in/z/lib.so.1"}) || list[0].File != "../away/b.cubin" {
		t.Errorf("%q, %v", got, err)
	}
}

// Where a name is a pipe, a device or a socket, nobody waits for what comes out of it.
func TestLookAtPipes(t *testing.T) {
	s := newStage(t, "d/a.cubin", data(t, "scan.sm_90.cubin"))
	pipe := filepath.Join(s.set.Build.Root, "d", "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Look(t.Context(), pipe); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	if list, err := Look(t.Context(), filepath.Dir(pipe)); err != nil || len(list) != 1 {
		t.Errorf("a directory with a pipe: %d modules, %v", len(list), err)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(pipe), "a.cubin")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(filepath.Dir(pipe), "zero")); err != nil {
		t.Fatal(err)
	}
	if _, err := Look(t.Context(), filepath.Dir(pipe)); !errors.Is(err, inspect.ErrNone) || !strings.Contains(err.Error(), "no regular file: pipe, zero") {
		t.Errorf("a directory with nothing else: %v", err)
	}
}
