package propose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates/config"
)

// TestBrokenManifest: what cannot be read is said, and the rest goes on.
func TestBrokenManifest(t *testing.T) {
	for name, env := range map[string][]string{"with what is here": nil, "with an empty PATH": pathOf(t, nil)} {
		root := newRoot(t)
		write(t, root, "broken/Cargo.toml", "[package\nname = 3\n")
		write(t, root, "go/go.mod", "module a\n")
		write(t, root, "go/a_test.go", "package a\nfunc TestA(t *testing.T) {}\n")
		p, err := Look(context.Background(), Options{Root: root, Env: env})
		if err != nil || len(p.Gates) != 1 || len(p.Left) != 1 || !strings.HasPrefix(p.Left[0].String(), "broken/Cargo.toml: ") {
			t.Errorf("%s: %v, %d gates, left %q", name, err, len(p.Gates), p.Left)
		}
		if !strings.Contains(p.Text, "#   broken/Cargo.toml: ") {
			t.Errorf("%s: the file does not say it:\n%s", name, p.Text)
		}
	}
}

// TestHostileNames: names that TOML, a comment or a line of text would trip
// over are in the file as they are on disk, or left out with a reason.
func TestHostileNames(t *testing.T) {
	names := []string{"new\nline", "quote\"s'", "back\\slash", "tab\there", "ünï", "]]", "# no comment", "'''", "\x7f\x01"}
	root := newRoot(t)
	for _, n := range append(names, "not\xffutf8") {
		write(t, root, n+"/test_x.py", "def test_x(): pass\n")
	}
	p, err := Look(context.Background(), Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := load(p.Text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range cfg.Gates {
		got = append(got, g.Dir)
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		t.Errorf("dirs %q, want %q", got, names)
	}
	if len(p.Left) != 1 || !strings.Contains(p.Left[0].What, `not\xffutf8`) {
		t.Errorf("left %q", p.Left)
	}
}

// TestWalkIsBounded: what is not to be looked into is not, and a ring of links
// ends.
func TestWalkIsBounded(t *testing.T) {
	root := newRoot(t)
	deep := strings.Repeat("d/", maxDepth)
	for _, dir := range []string{"a", "target/x", "node_modules/x", ".git/x", "_x", "mod/.git", "made", deep, deep + "deeper"} {
		write(t, root, dir+"/test_x.py", "def test_x(): pass\n")
	}
	write(t, root, "made/CACHEDIR.TAG", "")
	for link, to := range map[string]string{"a/ring": "..", "linked": "target/x", "test_linked.py": "a/test_x.py", "gone": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(root, "Cargo.toml"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Look(context.Background(), Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	want := "a-pytest (a, pytest)\n  run   python3 -m pytest\nd-pytest (" + strings.TrimSuffix(deep, "/") + ", pytest)\n  run   python3 -m pytest\n" +
		"left mod: a repository of its own (a submodule or another worktree): run gpuci init in it\n"
	if got := lines(p); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestUnreadable: a directory that may not be read is said. The thread gives up
// root's right to read everything, if it has that.
func TestUnreadable(t *testing.T) {
	root := newRoot(t)
	own := filepath.Dir(t.TempDir()) // above it is everybody's
	for dir := root; strings.HasPrefix(dir, own); dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
	write(t, root, "open/test_x.py", "")
	write(t, root, "shut/test_x.py", "")
	if err := os.Chmod(filepath.Join(root, "shut"), 0); err != nil {
		t.Fatal(err)
	}
	var got tree
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with this function
		if err = unix.Setfsuid(65534); err == nil {
			got, err = walk(root, ".")
		}
	}()
	<-done
	if err != nil || len(got.dirs) != 2 || len(got.skipped) != 1 || got.skipped[0].String() != "shut: cannot be read: permission denied" {
		t.Errorf("%v, %v, skipped %q", err, got.dirs, got.skipped)
	}
}

// TestManyCrates: thousands of packages, in one workspace and in none, make a
// file that a person can read.
func TestManyCrates(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	const n = 5000
	root := newRoot(t)
	for i := range n {
		write(t, root, fmt.Sprintf("crates/c%d/Cargo.toml", i), fmt.Sprintf("[package]\nname = \"c%d\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", i))
		write(t, root, fmt.Sprintf("crates/c%d/src/lib.rs", i), "#[test]\nfn t() {}\n")
	}
	for _, tc := range []struct {
		manifest string
		gates    int
	}{{"", maxCargo}, {"[workspace]\nresolver = \"2\"\nmembers = [\"crates/*\"]\n", 1}} {
		if tc.manifest != "" {
			write(t, root, "Cargo.toml", tc.manifest)
		}
		p, err := Look(context.Background(), Options{Root: root, Env: pathOf(t, nil)})
		if err != nil || len(p.Gates) != tc.gates || len(p.Text) > 20_000 {
			t.Errorf("%q: %v, %d gates, %d bytes", tc.manifest, err, len(p.Gates), len(p.Text))
		}
	}
}

// TestHangingCargo: a cargo that does not answer is ended with what it started,
// and the manifests are read instead.
func TestHangingCargo(t *testing.T) {
	root, _ := workspace(t, "testdata/look/cargo.txtar")
	pid := filepath.Join(t.TempDir(), "pid")
	env := pathOf(t, map[string]string{"cargo": "#!/bin/sh\n/bin/sleep 1000 &\necho $! > " + pid + "\nwait\n"})
	p, err := Look(context.Background(), Options{Root: root, Env: env, CargoTime: 300 * time.Millisecond})
	if err != nil || len(p.Gates) != 9 || len(p.Notes) == 0 || !strings.Contains(p.Notes[0], "no answer within 300ms") {
		t.Errorf("%v, %d gates, notes %q", err, len(p.Gates), p.Notes)
	}
	text, err := os.ReadFile(pid)
	if errors.Is(err, os.ErrNotExist) {
		return // it had no time to begin
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return
	}
	if err := unix.Kill(n, 0); err == nil {
		t.Errorf("what cargo started lives on: pid %d", n)
	}
}

// TestCancelled: whoever stops waiting gets an error, not half a file.
func TestCancelled(t *testing.T) {
	root, _ := workspace(t, "testdata/look/cargo.txtar")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if p, err := Look(ctx, Options{Root: root}); !errors.Is(err, context.Canceled) || p.Text != "" {
		t.Errorf("%v, %q", err, p.Text)
	}
}

// TestKebab: whatever a tool calls a thing, the name is one that gates/config
// takes, or none.
func TestKebab(t *testing.T) {
	for in, want := range map[string]string{
		"fused_adjoint_f64": "fused-adjoint-f64", "--x--": "x", "A B": "a-b", "ü": "", "": "", ".x": "x", "a.b": "a.b",
		strings.Repeat("x", 100): strings.Repeat("x", maxWord),
	} {
		got := kebab(in)
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got == "" {
			continue
		}
		if err := Check(fmt.Sprintf("[[gate]]\nname = %q\nrun = [\"x\"]\nreader = \"none\"\n", got)); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestCheck: what does not load is said as gates/config says it.
func TestCheck(t *testing.T) {
	var problems config.Problems
	if err := Check("[[gate]]\nname = \"x\"\n"); !errors.As(err, &problems) {
		t.Errorf("%v", err)
	}
}
