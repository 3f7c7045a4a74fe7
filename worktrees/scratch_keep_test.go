package worktrees

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// planted is a scratch lane of a repository with a change and an untracked file,
// kept as it is.
func planted(t *testing.T) *Scratch {
	r := newRepo(t)
	r.write("src/a.txt", "one\ntwo\nthree\n")
	r.write("src/b.txt", "b\n")
	r.write("dir/deep/c.txt", "c\n")
	r.write(".gitignore", "out/\n")
	r.symlink("/", "way")
	r.git("add", "-A")
	r.git("commit", "-qm", "begin")
	r.write("src/b.txt", "b, not committed\n")
	r.write("new/n.txt", "n\n")
	s, err := NewScratch(t.Context(), r.lane(), ScratchOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Remove(t.Context()) })
	if err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// times are the content and the modification time of every file.
func times(t *testing.T, root string) map[string][2]string {
	t.Helper()
	out := make(map[string][2]string)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".git" || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		out[rel] = [2]string{string(data), info.ModTime().String()}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever became of the files, they are restored, with a later time than they
// had; what was not touched keeps its time, and so does what git ignores.
func TestRestore(t *testing.T) {
	s := planted(t)
	before := times(t, s.Root)
	for name, change := range map[string]func(string) error{
		"changed": func(at string) error {
			return os.WriteFile(filepath.Join(at, "src/a.txt"), []byte("ONE\ntwo\nthree\n"), 0o644)
		},
		"changed what was not committed": func(at string) error {
			return os.WriteFile(filepath.Join(at, "src/b.txt"), []byte("B, not committed\n"), 0o644)
		},
		"removed": func(at string) error {
			return errors.Join(os.RemoveAll(filepath.Join(at, "dir")), os.RemoveAll(filepath.Join(at, "new")))
		},
		"made": func(at string) error {
			return errors.Join(os.MkdirAll(filepath.Join(at, "more/and"), 0o755), os.WriteFile(filepath.Join(at, "more/and/m"), nil, 0o644))
		},
		"a directory in its place": func(at string) error {
			return errors.Join(os.Remove(filepath.Join(at, "src/a.txt")), os.Mkdir(filepath.Join(at, "src/a.txt"), 0o755), os.WriteFile(filepath.Join(at, "src/a.txt/x"), nil, 0o644))
		},
		"a link in its place": func(at string) error {
			return errors.Join(os.RemoveAll(filepath.Join(at, "src")), os.Symlink("/", filepath.Join(at, "src")))
		},
		"mode": func(at string) error { return os.Chmod(filepath.Join(at, "src/a.txt"), 0o755) },
		"moved in the index": func(at string) error {
			return os.Rename(filepath.Join(at, "src/a.txt"), filepath.Join(at, "src/z.txt"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			was := times(t, s.Root)
			if err := change(s.Root); err != nil {
				t.Fatal(err)
			}
			paths, err := s.Changed(t.Context())
			if err != nil || len(paths) == 0 {
				t.Fatalf("%q, %v", paths, err)
			}
			if err := s.Restore(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Settle(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			after := times(t, s.Root)
			for path, now := range after {
				touched := false
				for _, p := range paths {
					touched = touched || p == path || strings.HasPrefix(p, path+"/") || strings.HasPrefix(path, p+"/")
				}
				if now[0] != before[path][0] {
					t.Errorf("%s has %q", path, now[0])
				}
				if !touched && now[1] != was[path][1] {
					t.Errorf("%s was not touched and has another time", path)
				}
				if touched && was[path][1] != "" && now[1] <= was[path][1] {
					t.Errorf("%s has the time %s, before %s", path, now[1], was[path][1])
				}
			}
			if len(after) != len(before) {
				t.Errorf("%d files, before %d", len(after), len(before))
			}
		})
	}
}

// A patch that reaches out, or does more than change text, is refused, and what
// does not fit is told apart.
func TestPatchRefused(t *testing.T) {
	s := planted(t)
	edit := func(path string) string {
		return "--- a/" + path + "\n+++ b/" + path + "\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
	}
	made := func(path, mode string) string {
		return "diff --git a/" + path + " b/" + path + "\nnew file mode " + mode + "\n--- /dev/null\n+++ b/" + path + "\n@@ -0,0 +1 @@\n+x\n"
	}
	for name, c := range map[string]struct{ patch, want string }{
		"fits":       {edit("src/a.txt"), ""},
		"makes":      {made("src/new.txt", "100644"), ""},
		"context":    {strings.Replace(edit("src/a.txt"), " three", " four", 1), "does not apply"},
		"gone":       {edit("src/gone.txt"), "does not apply"},
		"up":         {edit("../a.txt"), "out of the lane"},
		"inner up":   {edit("src/../../a.txt"), "out of the lane"},
		"absolute":   {"--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", ""},
		"git":        {made(".git/hooks/x", "100644"), "git"},
		"GIT":        {made("src/.GIT/x", "100644"), "git"},
		"link":       {made("l", "120000"), "no plain file"},
		"program":    {made("l", "100755"), "no plain file"},
		"submodule":  {made("l", "160000"), "no plain file"},
		"through":    {made("way/x", "100644"), "symbolic link"},
		"mode":       {"diff --git a/src/a.txt b/src/a.txt\nold mode 100644\nnew mode 100755\n", "mode"},
		"rename":     {"diff --git a/src/a.txt b/src/z.txt\nsimilarity index 100%\nrename from src/a.txt\nrename to src/z.txt\n", "renames"},
		"binary":     {"diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\n", "text"},
		"empty":      {"", "git"},
		"prose":      {"this is no patch\n", "git"},
		"huge":       {strings.Repeat("x", maxPatch+1), "MiB"},
		"no context": {"--- a/src/a.txt\n+++ b/src/a.txt\n@@ -2 +2 @@\n-two\n+TWO\n", "does not apply"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := CheckPatch(t.Context(), s.Lane, []byte(c.patch))
			if name == "absolute" {
				if err == nil {
					t.Error("it is let through")
				}
				return
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			before := times(t, s.Root)
			if _, applied := s.ApplyPatch(t.Context(), []byte(c.patch)); (applied == nil) != (c.want == "") {
				t.Errorf("applied: %v", applied)
			}
			if d := cmp.Diff(before, times(t, s.Root)); (d == "") != (c.want != "") {
				t.Error(d)
			}
			if err := s.Restore(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}
