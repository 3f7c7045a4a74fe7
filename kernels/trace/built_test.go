package trace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMakeTrace: the library that make builds is made as gpuci makes it.
func TestMakeTrace(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	want := "\n\t$(CC) " + strings.Join(flags.before, " ") + " -o bin/" + LibraryName + " kernels/trace/inject/*.c " + strings.Join(flags.after, " ") + "\n"
	if !strings.Contains(string(makefile), want) {
		t.Errorf("the Makefile has no line %q", want)
	}
}

// TestBuilt: where the library is, before and after it was compiled, and that nothing is
// made by looking.
func TestBuilt(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "cache")
	o := LibraryOptions{Dir: dir}
	if path, err := Built(ctx, o); path != "" || err != nil {
		t.Errorf("before: %q, %v", path, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made")
	}
	made, err := Library(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := Built(ctx, o); path != made || err != nil {
		t.Errorf("after: %q, %v, want %q", path, err, made)
	}
	if _, err := Built(ctx, LibraryOptions{Dir: dir, CC: "nosuchcc"}); err == nil {
		t.Error("without a compiler there is no error")
	}
	beside := filepath.Join(dir, LibraryName)
	data, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{data, []byte("of another gpuci")} {
		if err := os.WriteFile(beside, content, 0o755); err != nil {
			t.Fatal(err)
		}
		path, err := Built(ctx, LibraryOptions{Beside: dir})
		if ours := len(content) == len(data); path != beside || (err == nil) != ours {
			t.Errorf("beside: %q, %v", path, err)
		}
	}
}
