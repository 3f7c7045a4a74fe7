package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// nestedModules is a repository with a submodule that has one itself.
func nestedModules(t *testing.T) repo {
	t.Helper()
	leaf, middle, r := newRepo(t), newRepo(t), newRepo(t)
	middle.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "odd name/x", leaf.dir, "deep er/leaf")
	middle.git("commit", "-qm", "submodule")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", middle.dir, "lib/sub")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	r.git("commit", "-qm", "submodule")
	for _, path := range []string{"lib/sub", "lib/sub/deep er/leaf"} {
		repo{t, r.path(path)}.identify()
	}
	// Wherever they came from is gone: what is here must do.
	middle.remove(".git")
	leaf.remove(".git")
	return r
}

// all are the files of a checkout and of what is nested in it.
func (r repo) all(below ...string) map[string]string {
	found := r.disk()
	for _, path := range below {
		for name, text := range (repo{r.tb, r.path(path)}).disk() {
			found[path+"/"+name] = text
		}
	}
	return found
}

// Submodules come from what lanes have, at any depth, as the lane's are: with
// their own changes in a copy of the lane, without at a commit.
func TestScratchWithSubmodules(t *testing.T) {
	r := nestedModules(t)
	below := []string{"lib/sub", "lib/sub/deep er/leaf"}
	clean := r.all(below...)
	leaf := repo{t, r.path(below[1])}
	leaf.write("README", "changed\n")
	leaf.write("src/new", "new\n")
	leaf.remove("src-x")
	repo{t, r.path("lib/sub")}.write("--untracked", "")
	r.write("top", "")
	for name, c := range map[string]struct {
		commit string
		want   map[string]string
	}{"commit": {r.head(), clean}, "lane": {"", r.all(below...)}} {
		t.Run(name, func(t *testing.T) {
			r := repo{t, r.dir}
			before := r.untouched()
			s := r.scratch(ScratchOptions{Commit: c.commit})
			if diff := cmp.Diff(c.want, r.in(s).all(below...)); diff != "" {
				t.Errorf("files: %s", diff)
			}
			if told := r.in(s).git("submodule", "status", "--recursive"); strings.Count(told, "\n") != 2 || strings.ContainsAny(told, "+-U") {
				t.Errorf("git submodule status: %s", told)
			}
			if len(s.Notes) > 0 {
				t.Errorf("notes %q", s.Notes)
			}
			r.check(s.Remove(context.Background()))
			if diff := cmp.Diff(before, r.untouched()); diff != "" {
				t.Errorf("the lane was touched: %s", diff)
			}
			r.wantNothingLeft()
		})
	}
}

// A lane without the submodule takes it from one that has it, a commit that no
// branch leads to as well, and one that is checked out no more.
func TestScratchSubmoduleOfAnotherLane(t *testing.T) {
	r := nestedModules(t)
	sub := repo{t, r.path("lib/sub")}
	sub.git("checkout", "-q", "--detach")
	sub.write("README", "moved\n")
	sub.git("commit", "-qam", "moved")
	r.git("commit", "-qam", "moved")
	r.git("worktree", "add", "-q", "--detach", "../side")
	side := repo{t, filepath.Join(filepath.Dir(r.dir), "side")}
	s := side.scratch(ScratchOptions{Dir: r.scratchHome(), Commit: r.head()})
	want := r.all("lib/sub", "lib/sub/deep er/leaf")
	if diff := cmp.Diff(want, side.in(s).all("lib/sub", "lib/sub/deep er/leaf")); diff != "" {
		t.Errorf("files: %s", diff)
	}
	r.check(s.Remove(context.Background()))
	r.git("submodule", "--quiet", "deinit", "--force", "--all")
	s = r.scratch(ScratchOptions{Commit: r.head()})
	if diff := cmp.Diff(want, r.in(s).all("lib/sub", "lib/sub/deep er/leaf")); diff != "" {
		t.Errorf("files once no lane has it checked out: %s", diff)
	}
	copied := side.scratch(ScratchOptions{Dir: r.scratchHome()})
	if len(copied.Notes) != 1 || !strings.Contains(copied.Notes[0], "lib/sub is left out") || there(filepath.Join(copied.Root, "lib/sub/README")) {
		t.Errorf("copy of a lane without it: notes %q", copied.Notes)
	}
}

// A commit that is nowhere here is fetched where that is allowed and works, and
// else is an error that says which, with nothing left.
func TestScratchSubmoduleFetched(t *testing.T) {
	r := superproject(t)
	sub := repo{t, r.path("lib/sub")}
	url := strings.TrimSpace(sub.git("config", "remote.origin.url"))
	away := repo{t, url}
	away.write("README", "published later\n")
	away.git("commit", "-qam", "later")
	r.git("update-index", "--cacheinfo", "160000,"+away.head()+",lib/sub")
	r.git("commit", "-qm", "later")
	commit := r.head()
	sub.git("checkout", "-q", "HEAD~0")
	for name, c := range map[string]struct {
		fetch  time.Duration
		allow  string
		reason string
	}{
		"not allowed":  {0, "always", "nothing may be fetched"},
		"by transport": {time.Minute, "user", "not allowed"},
		"too late":     {time.Nanosecond, "always", "not within 1ns"},
		"fetched":      {time.Minute, "always", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := repo{t, r.dir}
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
			t.Setenv("GIT_CONFIG_VALUE_0", c.allow)
			s, err := r.tryScratch(ScratchOptions{Commit: commit, Fetch: c.fetch})
			var sub *SubmoduleError
			switch {
			case c.reason == "" && err != nil:
				t.Fatal(err)
			case c.reason == "":
				if text, _ := os.ReadFile(filepath.Join(s.Root, "lib/sub/README")); string(text) != "published later\n" {
					t.Errorf("README is %q", text)
				}
				r.check(s.Remove(context.Background()))
			case !errors.As(err, &sub) || sub.Path != "lib/sub" || sub.Commit != away.head() || !strings.Contains(err.Error(), c.reason):
				t.Errorf("error %v", err)
			}
			r.wantNothingLeft()
		})
	}
}

// What the configuration or the lane leaves out is left out, and said.
func TestScratchSubmoduleLeftOut(t *testing.T) {
	r := superproject(t)
	r.git("clone", "-q", r.dir, "../clone")
	clone := repo{t, filepath.Join(filepath.Dir(r.dir), "clone")}
	s := clone.scratch(ScratchOptions{Commit: clone.head()})
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "has not checked it out") {
		t.Errorf("never checked out: notes %q", s.Notes)
	}
	r.git("config", "submodule.lib/sub.update", "none")
	s = r.scratch(ScratchOptions{Commit: r.head()})
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "configuration") {
		t.Errorf("update=none: notes %q", s.Notes)
	}
}

func TestAbsoluteURL(t *testing.T) {
	for _, c := range []struct{ parent, url, want string }{
		{"https://h/a/b.git", "../c.git", "https://h/a/c.git"},
		{"https://h/a/b.git/", "./c", "https://h/a/b.git/c"},
		{"https://h/a/b.git", "../../d/c.git", "https://h/d/c.git"},
		{"git@h:a/b.git", "../c.git", "git@h:a/c.git"},
		{"git@h:b.git", "../c.git", "git@h:c.git"},
		{"/srv/a/b", "../c/", "/srv/a/c"},
		{"https://h/a/b.git", "https://other/c", "https://other/c"},
		{"https://h/a/b.git", "", ""},
	} {
		if got := absoluteURL(c.parent, c.url); got != c.want {
			t.Errorf("absoluteURL(%q, %q) = %q, want %q", c.parent, c.url, got, c.want)
		}
	}
}

// A name that would lead out of the directory of modules is none.
func TestParseModules(t *testing.T) {
	got := parseModules("submodule.a.path\nlib/a/\x00submodule.a.url\n../a\x00submodule.../../x.path\nevil\x00submodule./x.path\nabs\x00submodule.b.c.path\nb\x00submodule.b.c.update\nnone\x00")
	want := map[string]module{"lib/a": {"a", "../a", ""}, "b": {"b.c", "", "none"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(module{})); diff != "" {
		t.Error(diff)
	}
}

// No name that comes of a .gitmodules leads out of the directory of modules.
func FuzzParseModules(f *testing.F) {
	f.Add("submodule...path\nhere\x00")
	f.Add("submodule.a.path\nlib/a\x00submodule.a.url\n../a\x00")
	f.Add("submodule.../../x.path\nevil\x00submodule..path\n\x00submodule./etc.path\nabs\x00submodule.a/../../b.path\n\x00path")
	f.Fuzz(func(t *testing.T, out string) {
		for path, m := range parseModules(out) {
			if !within("/modules", filepath.Join("/modules", m.name)) || filepath.Join("/modules", m.name) == "/modules" {
				t.Errorf("%q has the name %q", path, m.name)
			}
		}
	})
}

// What git ls-files writes of any path comes back.
func FuzzParseTracked(f *testing.F) {
	f.Add("a\tb \n", true)
	f.Add("x", false)
	f.Fuzz(func(t *testing.T, path string, skipped bool) {
		if strings.Contains(path, "\x00") {
			return
		}
		want := trackedPath{path, gitlink, strings.Repeat("0a", 20), skipped}
		letter := map[bool]string{true: "S", false: "H"}[skipped]
		got, err := parseTracked([]string{letter + " " + want.mode + " " + want.id + " 0\t" + path})
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	})
}
