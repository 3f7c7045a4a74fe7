package worktrees

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// FuzzPatch applies anything as a patch. What is let through changes the paths that
// it was said to and nothing else, inside of the lane or out of it, and is taken back
// whole; what is not changes nothing.
func FuzzPatch(f *testing.F) {
	const head = "--- a/src/a.go\n+++ b/src/a.go\n@@ -1 +1 @@\n-package a\n"
	for _, seed := range []string{
		head + "+package b\n", head + "+package b\n--- a/../out\n+++ b/../out\n@@ -1 +1 @@\n-x\n+y\n",
		"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n",
		"diff --git a/n b/n\nnew file mode 120000\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
		"diff --git a/README b/README\ndeleted file mode 100644\n--- a/README\n+++ /dev/null\n@@ -1 +0,0 @@\n-read me\n",
		"diff --git a/bin/tool b/bin/tool\nold mode 100755\nnew mode 100644\n", "--- a/link/x\n+++ b/link/x\n@@ -0,0 +1 @@\n+x\n",
		"--- \"a/\\303\\274n\\303\\257/c\\303\\270d\\303\\251\"\n+++ \"b/\\303\\274n\\303\\257/c\\303\\270d\\303\\251\"\n@@ -1 +1 @@\n-not ascii\n+x\n",
		"--- a/.git/config\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n", "--- a/src/deep/../a.go\n+++ b/src/deep/../a.go\n@@ -1 +1 @@\n-package a\n+x\n", "\x00", "diff --git", "@@ -1 +1 @@", "--- a/src/a.go\n+++ b/src/a.go\n@@ -7 +7 @@ func f() {\n-package a\n+package b\n",
		"diff --git a/README b/other\nsimilarity index 100%\nrename from README\nrename to other\n", "--- /dev/null\n+++ b/a.o\n@@ -0,0 +1 @@\n+ignored\n",
	} {
		f.Add([]byte(seed))
	}
	r := newRepo(f)
	out := filepath.Join(filepath.Dir(r.dir), "out")
	if err := os.WriteFile(out, []byte("x\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	s := r.scratch(ScratchOptions{})
	if err := s.Keep(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		fit, misfit := CheckPatch(t.Context(), s.Lane, patch)
		paths, failed := s.ApplyPatch(t.Context(), patch)
		if misfit == nil && (failed != nil || !slices.Equal(fit.Paths, paths)) {
			t.Errorf("%v, and it was to fit %+v", failed, fit)
		}
		changed, err := s.Changed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if failed != nil && len(changed) > 0 {
			t.Errorf("%v, and it changed %q", failed, changed)
		}
		for _, path := range changed {
			if !slices.Contains(paths, path) {
				t.Errorf("it changed %q, and was to change %q", path, paths)
			}
			if info, err := os.Lstat(filepath.Join(s.Root, path)); err == nil && !info.Mode().IsRegular() {
				t.Errorf("it made %q, which is %v", path, info.Mode())
			}
		}
		if err := s.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, path := range paths { // what git ignores stays, and is not to meet the next one
			if !slices.Contains(changed, path) {
				_ = os.Remove(filepath.Join(s.Root, path))
			}
		}
		if err := s.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(out); err != nil || string(text) != "x\n" {
			t.Errorf("outside there is %q, %v", text, err)
		}
	})
}
