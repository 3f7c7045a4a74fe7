package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// noCargo keeps the environment's own target directory out of a test.
func noCargo(t *testing.T) {
	t.Helper()
	t.Setenv("CARGO_TARGET_DIR", "")
	t.Setenv("CARGO_BUILD_TARGET_DIR", "")
}

func list(t *testing.T, l Lane) []Tree {
	t.Helper()
	trees, err := List(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

func roots(trees []Tree) map[string]string {
	out := make(map[string]string)
	for _, t := range trees {
		out[t.Name] = t.Root
	}
	return out
}

// Every kind of path a worktree can have, and every kind of worktree that is
// none: git's own idea of them, and Find's.
func TestList(t *testing.T) {
	noCargo(t)
	r := newRepo(t)
	up := filepath.Dir(r.dir)
	want := map[string]string{"main": r.dir}
	for _, dir := range []string{"with space", "new\nline\n", "ünï\xff", "within/repo", "repo/inside"} {
		r.git("worktree", "add", "-q", "--detach", "-f", filepath.Join(up, dir))
		l := find(t, filepath.Join(up, dir))
		want[l.Name] = l.Root
	}
	r.git("worktree", "add", "-q", "--detach", "../gone")
	r.git("worktree", "add", "-q", "--detach", "../away")
	r.git("worktree", "lock", "--reason", "on a disk\nin a drawer", "../away")
	for _, name := range []string{"gone", "away"} {
		if err := os.RemoveAll(filepath.Join(up, name)); err != nil {
			t.Fatal(err)
		}
	}
	if len(want) != 6 {
		t.Fatalf("the lanes are %q", want)
	}
	for _, from := range []string{r.dir, filepath.Join(up, "new\nline\n")} {
		trees := list(t, find(t, from))
		if d := cmp.Diff(want, roots(trees)); d != "" {
			t.Errorf("from %q: -want +got\n%s", from, d)
		}
		for _, tree := range trees {
			if d := cmp.Diff(find(t, tree.Root), tree.Lane); d != "" {
				t.Errorf("List and Find disagree: %s", d)
			}
			if tree.Target != filepath.Join(tree.Root, "target") {
				t.Errorf("target of %s is %s", tree.Name, tree.Target)
			}
		}
	}
}

func TestListBare(t *testing.T) {
	r := newRepo(t)
	bare := filepath.Join(filepath.Dir(r.dir), "bare")
	r.git("clone", "-q", "--bare", r.dir, bare)
	repo{t, bare}.git("worktree", "add", "-q", "../main", "trunk")
	got := roots(list(t, find(t, filepath.Join(filepath.Dir(bare), "main"))))
	if d := cmp.Diff(map[string]string{"main": filepath.Join(filepath.Dir(bare), "main")}, got); d != "" {
		t.Error(d)
	}
}

// One worktree whose .git leads nowhere does not hide the others.
func TestListBroken(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--detach", "../broken")
	if err := os.WriteFile(filepath.Join(filepath.Dir(r.dir), "broken", ".git"), []byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	trees, err := List(context.Background(), r.lane())
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(map[string]string{"main": r.dir}, roots(trees)); d != "" {
		t.Error(d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := List(ctx, r.lane()); !errors.Is(err, context.Canceled) {
		t.Errorf("List = %v, want Canceled", err)
	}
}

func TestTarget(t *testing.T) {
	noCargo(t)
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--detach", "../other")
	other := repo{t, filepath.Join(filepath.Dir(r.dir), "other")}
	elsewhere := t.TempDir()
	real, err := filepath.EvalSymlinks(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config, env string
		want        string // in other, which the environment does not speak of
		here        string
	}{
		{"", "", "target", "target"},
		{"[build]\ntarget-dir = 'out/x'", "", "out/x", "target"},
		{"build.target-dir = '" + elsewhere + "'", "", real, "target"},
		{"build = { target-dir = '../shared' }", "mine", "../shared", "mine"},
		{"", elsewhere, "target", real},
		{"[build]\ntarget-dir = '{workspace-path-hash}'", "", "target", "target"},
		{"[build]\ntarget-dir = 3", "", "target", "target"},
		{"no toml", "", "target", "target"},
		{"[build]\njobs = 3", "", "target", "target"},
	} {
		t.Setenv("CARGO_TARGET_DIR", c.env)
		other.write(".cargo/config.toml", c.config)
		trees := list(t, r.lane())
		if len(trees) != 2 {
			t.Fatalf("%d lanes", len(trees))
		}
		for i, want := range []string{c.here, c.want} {
			if !filepath.IsAbs(want) {
				want = filepath.Join(trees[i].Root, want)
			}
			if trees[i].Target != want {
				t.Errorf("config %q, environment %q: target of %s is %s, want %s", c.config, c.env, trees[i].Name, trees[i].Target, want)
			}
		}
	}
	// A link that leads to another disk is what /proc will not show.
	t.Setenv("CARGO_TARGET_DIR", "")
	r.symlink(elsewhere, "target")
	if got := list(t, r.lane())[0].Target; got != real {
		t.Errorf("target is %s, want %s", got, real)
	}
}

func TestOf(t *testing.T) {
	trees := []Tree{
		{Lane: Lane{Name: "main", Root: "/w/repo"}, Target: "/w/repo/target"},
		{Lane: Lane{Name: "inside", Root: "/w/repo/lanes/in"}, Target: "/w/repo/lanes/in/target"},
		{Lane: Lane{Name: "a", Root: "/w/a"}, Target: "/scratch/shared"},
		{Lane: Lane{Name: "b", Root: "/w/b"}, Target: "/scratch/shared"},
		{Lane: Lane{Name: "c", Root: "/w/c"}, Target: "/scratch/c"},
		{Lane: Lane{Name: "d", Root: "/w/repo-d"}, Target: "/w/repo/target/d"},
		{Lane: Lane{Name: "gone", Root: "/w/repo/src"}, Target: "/w/repo/src/target", Removed: true},
	}
	for path, want := range map[string]string{
		"/w/repo": "main", "/w/repo/src/x": "main", "/w/repo/lanes": "main", "/w/repo/target/debug": "main",
		"/w/repo/lanes/in": "inside", "/w/repo/lanes/in/x": "inside", "/w/repo/lanes/inner": "main",
		"/w/repo-d/x": "d", "/w/repo/target/d/deps": "d", "/w/repo2": "", "/w": "", "": "", "/": "",
		"/scratch/shared/x": "", "/w/a": "a", "/scratch/c/y": "c", "/scratch/cc": "",
	} {
		got, ok := Of(trees, path)
		if got.Name != want || ok != (want != "") {
			t.Errorf("Of(%q) = %q, %v, want %q", path, got.Name, ok, want)
		}
	}
	if got, _ := Of([]Tree{{Lane: Lane{Name: "root", Root: "/"}}}, "/x"); got.Name != "root" {
		t.Errorf("a lane at / does not hold /x: %+v", got)
	}
}

func FuzzParseList(f *testing.F) {
	for _, seed := range []string{
		"worktree /a\x00HEAD x\x00branch refs/heads/x\x00\x00worktree /b c\n\x00bare\x00\x00",
		"worktree /a\x00prunable gone\x00\x00", "worktree a\x00\x00", "worktree /a\x00", "\x00\x00", "HEAD x\x00\x00worktree /\x00\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, out string) {
		list, err := parseList(out)
		if err != nil && list != nil {
			t.Fatalf("parseList(%q) = %v, %v", out, list, err)
		}
		for _, e := range list {
			if !filepath.IsAbs(e.root) || strings.Contains(e.root, "\x00") || e.prunable && !strings.Contains(out, "\x00prunable") {
				t.Fatalf("parseList(%q) has %+v", out, e)
			}
		}
	})
}
