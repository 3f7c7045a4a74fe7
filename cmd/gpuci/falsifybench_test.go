//go:build bench

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBenchFalsify: falsifying 10 faults of a Rust crate, beside three runs of its
// gate, each of which builds it anew, and 10 incremental builds, in the same run.
func TestBenchFalsify(t *testing.T) {
	const faults, rounds = 10, 5
	toml := "[[gate]]\nname = \"crate\"\nbuild = [\"cargo\", \"test\", \"--offline\", \"--no-run\"]\nrun = [\"cargo\", \"test\", \"--offline\", \"--lib\"]\nreader = \"libtest\"\n"
	lib := ""
	for i := range faults {
		toml += fmt.Sprintf("\n  [[gate.fault]]\n  name = \"f%d\"\n  replace = { file = \"src/m%d.rs\", from = \"x + 1\", to = \"x + 2\" }\n  must = \"test-failed:adds%d\"\n", i, i, i)
		lib += fmt.Sprintf("pub mod m%d;\n", i)
	}
	w := newWorkspace(t, toml)
	put := func(name, text string) {
		path := filepath.Join(w.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("Cargo.toml", "[package]\nname = \"ten\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
	put(".gitignore", "target/\nCargo.lock\n")
	put("src/lib.rs", lib)
	for i := range faults {
		var work strings.Builder
		for j := range 100 {
			fmt.Fprintf(&work, "pub fn g%d<T: Copy + Into<f64>>(v: &[T]) -> f64 { v.iter().map(|x| { let y: f64 = (*x).into(); y.exp() * %d.0 }).sum() }\n", j, j)
		}
		put(fmt.Sprintf("src/m%d.rs", i), fmt.Sprintf("pub fn f(x: i32) -> i32 { x + 1 }\n%s#[test]\nfn adds%d() { assert_eq!(f(1), 2); assert!(g7(&[1.0f32]) > 0.0); }\n", work.String(), i))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "one"}} {
		git(t, w.dir, args...)
	}
	cache := t.TempDir()
	timed := func(cmd *exec.Cmd) float64 {
		cmd.Env = append(cmd.Environ(), "XDG_CACHE_HOME="+cache)
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", cmd.Args, err, out)
		}
		return time.Since(began).Seconds()
	}
	var all, gate, build, ratio, wide []float64
	for range rounds {
		whole := timed(w.command(t, "falsify"))
		if err := os.RemoveAll(filepath.Join(w.dir, "target")); err != nil {
			t.Fatal(err)
		}
		one := timed(w.command(t, "gate", "crate"))
		sum := 0.0
		for i := range faults {
			path := filepath.Join(w.dir, fmt.Sprintf("src/m%d.rs", i))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put(fmt.Sprintf("src/m%d.rs", i), strings.Replace(string(text), "x + 1", "1 + x", 1))
			cmd := exec.Command("cargo", "test", "--offline", "--no-run")
			cmd.Dir = w.dir
			sum += timed(cmd)
		}
		git(t, w.dir, "checkout", "-q", "--", ".")
		all, gate, build = append(all, whole), append(gate, one), append(build, sum/faults)
		ratio, wide = append(ratio, whole/(3*one+sum)), append(wide, whole/(one+sum))
	}
	tell("falsify 10 faults of a Rust crate", "s ", 1, all, "none")
	tell("  one run of its gate, from nothing", "s ", 1, gate, "none")
	tell("  one incremental build", "s ", 1, build, "none")
	tell("  over 3 runs and 10 builds", "x ", 1, ratio, "none")
	tell("  over 1 run and 10 builds", "x ", 1, wide, "3")
}
