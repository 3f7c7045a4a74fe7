package gates

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReportsAside: between runs is moved what the run before wrote, and nothing else:
// by its name, by what it holds, never what git tracks; and all of it comes back.
func TestReportsAside(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs git")
		}
		t.Skip("needs git")
	}
	dir, state := t.TempDir(), t.TempDir()
	write := func(texts ...string) {
		t.Helper()
		for _, x := range texts {
			name, text, _ := strings.Cut(x, "=")
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	there := func(step string, want ...string) {
		t.Helper()
		got, err := filepath.Glob(filepath.Join(dir, "*", "*.xml"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			got[i], _ = filepath.Rel(dir, got[i])
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", step, d)
		}
	}
	before := func(a *reportsAside, run int) {
		t.Helper()
		if err := a.before(context.Background(), run); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q")
	write("a/tracked.xml=1", "a/later.xml=1", "sub/inner.xml=1")
	git("add", "-A")
	git("-C", "sub", "init", "-q")
	git("-C", "sub", "add", "-A")
	if err := os.Remove(filepath.Join(dir, "a/later.xml")); err != nil {
		t.Fatal(err)
	}
	write("a/keep.xml=1", "a/over.xml=1", "a/touched.xml=1")
	again := func(record string) *reportsAside {
		a := &reportsAside{reader: "junit:**/*.xml", dir: dir, to: filepath.Join(state, record), git: true, memory: reportsLeft{filepath.Join(state, "left", "x")}, note: t.Errorf}
		if err := os.MkdirAll(a.to, 0o755); err != nil {
			t.Fatal(err)
		}
		a.journal = asideJournal{path: filepath.Join(a.to, asideName), Dir: dir}
		return a
	}
	a := again("one")
	before(a, 1)
	there("before the first run", "a/keep.xml", "a/over.xml", "a/touched.xml", "a/tracked.xml", "sub/inner.xml")
	write("a/new.xml=1", "a/over.xml=2", "a/touched.xml=1", "a/tracked.xml=2", "a/later.xml=2", "sub/inner.xml=2")
	before(a, 2)
	there("before the second run", "a/keep.xml", "a/later.xml", "a/touched.xml", "a/tracked.xml", "sub/inner.xml")
	if !exists(a.journal.path) {
		t.Error("what was moved is not written down")
	}
	write("a/over.xml=2")
	a.back()
	all := []string{"a/keep.xml", "a/later.xml", "a/new.xml", "a/over.xml", "a/touched.xml", "a/tracked.xml", "sub/inner.xml"}
	there("at the end", all...)
	if exists(a.journal.path) {
		t.Error("all is back, and still said to be away")
	}
	write("a/new.xml=by somebody else")
	a = again("two")
	before(a, 1)
	there("before the next repeats", "a/keep.xml", "a/later.xml", "a/new.xml", "a/touched.xml", "a/tracked.xml", "sub/inner.xml")
	a.back()
	there("at the end of these", all...)
}
