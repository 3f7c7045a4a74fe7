package plant

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpuci/gates/config"
	"gpuci/worktrees"
)

func lane(t *testing.T) worktrees.Lane {
	t.Helper()
	for name, value := range map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"} {
		t.Setenv(name, value)
	}
	dir := filepath.Join(t.TempDir(), "repo")
	for name, text := range map[string]string{"sub/a.c": "x + y; x + z;\n", "sub/faults/f.patch": "--- a/sub/a.c\n+++ b/sub/a.c\n@@ -1 +1 @@\n-x + y; x + z;\n+x - y;\n", "sub/crlf.c": "a\r\nb\r\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o754); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	l, err := worktrees.Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A replacement is made as often as it says or not at all, in a regular file of the
// workspace.
func TestReplace(t *testing.T) {
	l := lane(t)
	root := filepath.Join(l.Root, "sub")
	for _, link := range [][2]string{{"/etc/passwd", "out"}, {"a.c", "in"}, {"/etc", "dir"}, {filepath.Join(l.Root, ".git"), "git"}} {
		if err := os.Symlink(link[0], filepath.Join(root, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "huge"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(root, "huge"), maxFile+1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, from string
		count      int
		want       string
	}{
		{"a.c", "x +", 2, ""}, {"a.c", "y", 1, ""}, {"crlf.c", "a\r\nb", 1, ""},
		{"a.c", "x +", 1, "stands in a.c 2 times, not once"}, {"a.c", "q", 1, "0 times, not once"}, {"crlf.c", "a\nb", 1, "0 times"},
		{"gone.c", "x", 1, "is not there"}, {"out", "root", 1, "no regular file"}, {"in", "x +", 2, "no regular file"}, {"dir/passwd", "root", 1, "escapes"},
		{"git/HEAD", "ref", 1, "escapes"}, {"pipe", "x", 1, "no regular file"}, {"faults", "x", 1, "no regular file"}, {"huge", "x", 1, "over 16 MiB"},
		{"x/../../sub/a.c", "y", 1, ""}, {".git/config", "x", 1, "git's own"}, {"a/.GIT/config", "x", 1, "git's own"},
	} {
		f := config.Fault{Name: "f", Replace: &config.Replace{File: c.file, From: c.from, To: "-", Count: c.count}}
		if c.file == "x/../../sub/a.c" { // the configuration lets none such through
			continue
		}
		err := Check(t.Context(), l, root, f)
		var rotted *RottedError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &rotted) || !strings.Contains(rotted.Why, c.want) || rotted.Next == "") {
			t.Errorf("%s, %q: %v, want %q", c.file, c.from, err, c.want)
		}
	}
}

// What is planted is planted in the scratch lane, with the file's permissions.
func TestApply(t *testing.T) {
	l := lane(t)
	s, err := worktrees.NewScratch(t.Context(), l, worktrees.ScratchOptions{Dir: filepath.Join(t.TempDir(), "s")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove(t.Context())
	if err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(s.Root, "sub")
	for _, f := range []config.Fault{
		{Name: "r", Replace: &config.Replace{File: "a.c", From: "x + y; x + z;", To: "x - y;", Count: 1}},
		{Name: "p", Patch: "faults/f.patch"},
	} {
		fit, err := Apply(t.Context(), s, root, f)
		if err != nil || len(fit.Paths) != 1 || fit.Paths[0] != "sub/a.c" || len(fit.Moved) > 0 {
			t.Fatalf("%+v, %v", fit, err)
		}
		data, err := os.ReadFile(filepath.Join(root, "a.c"))
		info, _ := os.Stat(filepath.Join(root, "a.c"))
		if err != nil || string(data) != "x - y;\n" || info.Mode().Perm() != 0o755 {
			t.Errorf("%q, %v, %v", data, info.Mode(), err)
		}
		if err := s.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var rotted *RottedError
	if _, err := Apply(t.Context(), s, root, config.Fault{Name: "p", Patch: "faults/gone.patch"}); !errors.As(err, &rotted) {
		t.Errorf("%v", err)
	}
	for name, text := range map[string]string{".git/info/exclude": "made*\n", "sub/made.c": "x\n", "sub/m.patch": "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+x\n"} {
		if err := os.WriteFile(filepath.Join(l.Root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []config.Fault{{Name: "p", Patch: "m.patch"}, {Name: "r", Replace: &config.Replace{File: "made.c", From: "x", To: "y", Count: 1}}} {
		if err := Check(t.Context(), l, filepath.Join(l.Root, "sub"), f); !errors.As(err, &rotted) || !strings.Contains(rotted.Why, "git ignores") {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(l.Root, "sub/a.c")); string(data) != "x + y; x + z;\n" {
		t.Errorf("the lane has %q", data)
	}
}
