//go:build bench

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBenchInit: gpuci init on a workspace of 50 crates, each with a library, a
// program and two integration tests, against the one question to cargo in it.
func TestBenchInit(t *testing.T) {
	w := workspace{dir: t.TempDir(), state: t.TempDir()}
	put := func(name, text string) {
		path := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"crates/*\"]\n")
	for i := range 50 {
		at := fmt.Sprintf("crates/c%d/", i)
		put(at+"Cargo.toml", fmt.Sprintf("[package]\nname = \"c%d\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", i))
		for _, file := range []string{"src/lib.rs", "src/main.rs", "src/inner/mod.rs", "tests/one.rs", "tests/two.rs"} {
			put(at+file, "/// Words.\npub fn f() {}\n\n#[test]\nfn t() {}\nfn main() {}\n")
		}
	}
	git(t, w.dir, "init", "-q", "-b", "main")
	initial, cargo := paired(t, pairs,
		func() *exec.Cmd { return w.command(t, "init", "--print") },
		func() *exec.Cmd {
			cmd := exec.Command("cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
			cmd.Dir = w.dir
			return cmd
		})
	tell("gpuci init, 50 crates", "ms", 1e3, initial, "1000 ms")
	tell("  over cargo metadata --no-deps", "x ", 1, each(initial, cargo, func(a, b float64) float64 { return a / b }), "none")
}
