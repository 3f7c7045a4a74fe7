package simttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// Plant copies a directory of kernels to where a patch has it below a root of its own
// (such as kernels/kda/cuda), and applies the patch there. It returns the copy.
func Plant(t *testing.T, dir, as, patch string) string {
	t.Helper()
	root := t.TempDir()
	copied := filepath.Join(root, filepath.FromSlash(as))
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	Apply(t, root, patch)
	return copied
}

// Apply applies a patch to the files below root, which is no repository.
func Apply(t *testing.T, root, patch string) {
	t.Helper()
	Needs(t, "git")
	patch, err := filepath.Abs(patch)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "git", "apply", patch)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(root), "GIT_DIR="+filepath.Join(root, "none"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("apply %s: %v\n%s", patch, err, text)
	}
}

// Listed fails the test unless the patches of a pattern are those of a table.
func Listed(t *testing.T, pattern string, names []string) {
	t.Helper()
	patches, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range patches {
		if !slices.Contains(names, filepath.Base(path)) {
			t.Errorf("%s is not in the table", path)
		}
	}
	if len(patches) != len(names) {
		t.Errorf("%d patches, %d in the table", len(patches), len(names))
	}
}
