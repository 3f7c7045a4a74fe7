package reaper

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// layout is a repository with a lane, made by git: a submodule in both, and
// clones and directories beside them.
func layout(t *testing.T) (top string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lookPath(t, "git")
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		cmd.Dir = filepath.Join(top, dir)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	for _, name := range []string{"lib", "main"} {
		git(".", "init", "-q", name)
		git(name, "commit", "-q", "--allow-empty", "-m", "first")
	}
	git("main", "submodule", "--quiet", "add", "../lib", "sub")
	git("main", "commit", "-q", "-m", "sub")
	git("main", "worktree", "add", "-q", "../lane")
	git("lane", "submodule", "--quiet", "update", "--init")
	git("lane", "worktree", "add", "-q", "--detach", "nested")
	git("lane/sub", "worktree", "add", "-q", "--detach", "../subtree")
	git("lane", "clone", "-q", "../lib", "clone")
	mkdir(t, filepath.Join(top, "lane/src"))
	return top
}

func TestCheckout(t *testing.T) {
	top := layout(t)
	const hash = "-0123456789abcdef"
	for _, dir := range []string{"lane/sub/x", "lane/clone/x", "home/.git", "home/registry/src/index" + hash + "/cc-1.2", "home/git/checkouts/lib" + hash + "/1a2b3c4/.git", "home/git/checkouts/mine/.git"} {
		mkdir(t, filepath.Join(top, dir))
	}
	for _, c := range []struct {
		dir, root string
		removed   bool
		want      string
	}{
		{"lane", "lane", false, ""},
		{"lane/src", "lane", false, ""},
		{"lane/gone/deeper", "lane", false, ""},
		{"lane/.git/below-a-file", "lane", false, ""},
		{"lane/sub/x", "lane", false, ""},
		{"main/sub", "main", false, ""},
		{"lane/sub", "main", false, "lane/sub"}, // by the way up it is in no lane
		{"lane/clone/x", "lane", false, "lane/clone"},
		{"lane/nested", "lane", false, "lane/nested"},
		{"lane/subtree", "lane", false, "lane/subtree"},
		{"lane", "lane", true, "lane"},
		{"lane/src", "lane", true, "lane"},
		{"old/src", "old", true, ""},
		{"lane/old", "lane/old", true, ""},
		{"main/src", "", false, "main"},
		{"main/sub", "", false, "main/sub"},
		{"elsewhere", "", false, ""},
		{"home/x", "", false, "home"},
		{"home/registry/src/index" + hash + "/cc-1.2", "", false, ""},
		{"home/git/checkouts/lib" + hash + "/1a2b3c4", "", false, ""},
		{"home/git/checkouts/mine/x", "", false, "home/git/checkouts/mine"},
	} {
		q := checkoutAsked{filepath.Join(top, c.dir), filepath.Join(top, c.root), c.removed}
		if c.root == "" {
			q.root = ""
		}
		want := filepath.Join(top, c.want)
		if c.want == "" {
			want = ""
		}
		if got, err := q.find(); err != nil || got != want {
			t.Errorf("%+v: %q, %v; want %q", c, got, err, want)
		}
	}
}

// A file system that hangs is waited for once in a while, and not known.
func TestCheckoutHangs(t *testing.T) {
	f := mountStuck(t)
	defer f.Release()
	f.Silence()
	e := newEye("", nil)
	for i := range hungMost + 2 {
		if a := e.checkout(checkoutAsked{dir: filepath.Join(filepath.Dir(f.Page), fmt.Sprint("x", i))}); a.known {
			t.Errorf("%+v", a)
		}
	}
	if e.hung != hungMost || len(e.blind) != hungMost {
		t.Errorf("%d hang, blind %v", e.hung, e.blind)
	}
}

func TestScriptIn(t *testing.T) {
	for want, lines := range map[string][][]string{
		"":        {nil, {"sh"}, {"sh", "-c", "ld x"}, {"python3", "-m", "ld"}, {"python3", "-"}, {"sh", "-"}, {"bash", "-o", "pipefail"}, {"perl", "--", "ld"}},
		"/opt/cc": {{"/bin/sh", "/opt/cc", "-c"}, {"/bin/sh", "-e", "/opt/cc"}, {"python3", "-u", "-B", "/opt/cc", "ld"}, {"sh", "-exu", "/opt/cc"}},
	} {
		for _, argv := range lines {
			if got := scriptIn(argv); got != want {
				t.Errorf("%q: %q; want %q", argv, got, want)
			}
		}
	}
}
