package propose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// workspace writes the files of an archive into a directory, and returns it
// with what the archive wants.
func workspace(t *testing.T, archive string) (root, want string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	root = newRoot(t)
	for _, f := range a.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		write(t, root, f.Name, string(f.Data))
	}
	return root, want
}

func newRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lines is a proposal in a line for each of its gates and each of what it left.
func lines(p Proposal) string {
	var b strings.Builder
	for _, g := range p.Gates {
		fmt.Fprintf(&b, "%s (%s, %s)", g.Name, g.Dir, g.Reader)
		for k, v := range g.Env {
			fmt.Fprintf(&b, " %s=%s", k, v)
		}
		b.WriteString("\n")
		for _, c := range g.Build {
			fmt.Fprintf(&b, "  build %s\n", strings.Join(c, " "))
		}
		for _, c := range g.Run {
			fmt.Fprintf(&b, "  run   %s\n", strings.Join(c, " "))
		}
	}
	for _, k := range p.Kernels {
		fmt.Fprintf(&b, "kernels %s\n", k.Name)
		for _, l := range []struct {
			key  string
			list []string
		}{{"sources", k.Sources}, {"arch", k.Arch}, {"include", k.Include}, {"prebuilt", k.Prebuilt}, {"host", k.Host}} {
			if len(l.list) > 0 {
				fmt.Fprintf(&b, "  %s %s\n", l.key, strings.Join(l.list, " "))
			}
		}
	}
	for _, l := range p.Left {
		fmt.Fprintf(&b, "left %s\n", l)
	}
	return b.String()
}

// pathOf is an environment whose PATH has some programs and nothing else.
func pathOf(t *testing.T, programs map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }), "PATH="+dir)
}

// TestLook looks at every workspace in testdata/look, as it is asked of cargo
// and as it is read off the manifests where there is no cargo: the gates are
// the same. The archive's comment says what it guards.
func TestLook(t *testing.T) {
	archives, err := filepath.Glob("testdata/look/*.txtar")
	if err != nil || len(archives) < 8 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	_, noCargo := exec.LookPath("cargo")
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			root, want := workspace(t, archive)
			for name, env := range map[string][]string{"with what is here": nil, "with an empty PATH": pathOf(t, nil)} {
				if env == nil && noCargo != nil && strings.Contains(want, "cargo") {
					continue // TestCargoIsAsked says so
				}
				p, err := Look(context.Background(), Options{Root: root, Env: env})
				if err != nil && !errors.Is(err, ErrNothing) {
					t.Fatalf("%s: %v", name, err)
				}
				if d := cmp.Diff(strings.Split(want, "\n"), strings.Split(lines(p), "\n")); d != "" {
					t.Errorf("%s: -want +got\n%s", name, d)
				}
				again, _ := Look(context.Background(), Options{Root: root, Env: env})
				if again.Text != p.Text {
					t.Errorf("%s: a second look gives another text", name)
				}
			}
		})
	}
}

// strict says that a missing tool is a failure.
func needTool(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatal("needs " + tool)
	}
	t.Skip("needs " + tool)
}

// TestCargoIsAsked: with a cargo, nothing is read off the manifests.
func TestCargoIsAsked(t *testing.T) {
	needTool(t, "cargo")
	root, _ := workspace(t, "testdata/look/cargo.txtar")
	p, err := Look(context.Background(), Options{Root: root})
	if err != nil || len(p.Notes) > 0 {
		t.Errorf("%v, notes %q", err, p.Notes)
	}
	if _, err := os.Stat(filepath.Join(root, "Cargo.lock")); err == nil {
		t.Error("looking wrote a Cargo.lock")
	}
}

// TestBelow: --dir looks at a part, and paths stay relative to the root.
func TestBelow(t *testing.T) {
	root := newRoot(t)
	write(t, root, "go.mod", "module a\n")
	write(t, root, "a_test.go", "package a\nfunc TestA(t *testing.T) {}\n")
	write(t, root, "sub/py/test_x.py", "def test_x(): pass\n")
	p, err := Look(context.Background(), Options{Root: root, Below: "sub"})
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(p); got != "py-pytest (sub/py, pytest)\n  run   python3 -m pytest\n" {
		t.Error(got)
	}
	for _, bad := range []string{"..", "/etc", "no-such"} {
		if _, err := Look(context.Background(), Options{Root: root, Below: bad}); err == nil {
			t.Errorf("below %s was looked at", bad)
		}
	}
}
