package worktrees

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Clean leaves what git sees, and nothing of what it ignores.
func TestClean(t *testing.T) {
	s := planted(t)
	before := times(t, s.Root)
	for _, name := range []string{"out/a", "src/out/deep/b", "dir/deep/out/c"} {
		at := filepath.Join(s.Root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte("x"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Target != s.place.beside() {
		t.Fatalf("the target is %s", s.Target)
	}
	if err := errors.Join(os.MkdirAll(s.Target, 0o755), os.WriteFile(filepath.Join(s.Target, "t"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := s.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, times(t, s.Root)); d != "" {
		t.Error(d)
	}
	if there(s.Target) {
		t.Error("the target is still there")
	}
	if err := os.Remove(filepath.Join(s.Root, ".git")); err != nil {
		t.Fatal(err)
	}
	if s.Clean(t.Context()) == nil || s.Restore(t.Context()) == nil {
		t.Error("without its .git, another repository further up is asked")
	}
}

// What changes as regular files do is dated, and nothing else.
func TestDated(t *testing.T) {
	s := planted(t)
	at := func(name string) string { return filepath.Join(s.Root, name) }
	for name, c := range map[string]struct {
		change func() error
		want   bool
	}{
		"content":                {func() error { return os.WriteFile(at("src/a.txt"), []byte("A\n"), 0o644) }, true},
		"of what is uncommitted": {func() error { return os.WriteFile(at("new/n.txt"), []byte("N\n"), 0o644) }, true},
		"mode":                   {func() error { return os.Chmod(at("src/a.txt"), 0o755) }, true},
		"came":                   {func() error { return os.WriteFile(at("src/c.txt"), nil, 0o644) }, false},
		"went":                   {func() error { return os.Remove(at("src/a.txt")) }, false},
		"uncommitted, went":      {func() error { return os.Remove(at("new/n.txt")) }, false},
		"link":                   {func() error { return errors.Join(os.Remove(at("way")), os.Symlink("src", at("way"))) }, false},
		"a link in its place":    {func() error { return errors.Join(os.Remove(at("src/a.txt")), os.Symlink("b.txt", at("src/a.txt"))) }, false},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		paths, err := s.Changed(t.Context())
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %q, %v", name, paths, err)
		}
		if got, err := s.Dated(t.Context(), paths); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if err := s.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", "mine")
	cmd.Dir = s.Root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := s.Changed(t.Context()); !errors.Is(err, ErrCommitted) {
		t.Errorf("%v", err)
	}
}

// What a command does to what all lanes share is told, and that lanes go on is not.
func TestBooks(t *testing.T) {
	r := newRepo(t)
	before, err := ReadBooks(t.Context(), r.lane())
	if err != nil {
		t.Fatal(err)
	}
	r.write("README", "another\n")
	r.git("commit", "-qam", "go on")
	after, err := ReadBooks(t.Context(), r.lane())
	if err != nil || len(after.Since(before)) > 0 {
		t.Errorf("%q, %v", after.Since(before), err)
	}
	r.write("README", "put away\n")
	r.git("stash", "-q")
	r.git("tag", "mine")
	r.git("branch", "more")
	r.git("config", "user.name", "x")
	after, err = ReadBooks(t.Context(), r.lane())
	if want := []string{"config", "refs/heads/more", "refs/stash", "refs/tags/mine"}; err != nil || !slices.Equal(after.Since(before), want) {
		t.Errorf("%q, %v", after.Since(before), err)
	}
	if want := []string{"config", "refs/heads/more", "refs/stash", "refs/tags/mine"}; !slices.Equal(before.Since(after), want) {
		t.Errorf("%q", before.Since(after))
	}
}
