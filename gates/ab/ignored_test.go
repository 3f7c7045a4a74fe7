package ab

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/worktrees"
)

// scratchOf makes a scratch lane of a repository with one commit, in which cache is ignored.
func scratchOf(t *testing.T) *worktrees.Scratch {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	sh(t, ".", "git init -q '"+dir+"' && cd '"+dir+"' && printf 'cache/\n' > .gitignore && mkdir src && echo a > src/a && git add -A && git -c user.name=t -c user.email=t@t commit -qm one")
	lane, err := worktrees.Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := worktrees.NewScratch(t.Context(), lane, worktrees.ScratchOptions{Dir: filepath.Join(t.TempDir(), "scratch")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func sh(t *testing.T, dir, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", text)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", text, err, out)
	}
}

// treeOf is what is in a directory: names, modes, contents, and the times of plain files.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `find . -path ./.git -prune -o \( -type d -printf '%p %M\n' \) -o -type f -printf '%p %M %s %T@\n' -o -printf '%p %M %l\n' | sort; find . -path ./.git -prune -o -type f -exec cksum {} + | sort`)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Whatever a run does to what git ignores, the next one finds it as the check left it, and
// nothing outside of the lane is touched.
func TestIgnoredBack(t *testing.T) {
	s := scratchOf(t)
	outside := t.TempDir()
	sh(t, s.Root, "mkdir -p cache/d/e cache/empty && echo 1 > cache/rows && echo 2 > cache/d/e/f && ln -s rows cache/way && chmod 700 cache/d/e/f && echo keep > '"+outside+"/f'")
	if err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, err := keepIgnored(t.Context(), s, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := treeOf(t, s.Root)
	for _, run := range []string{
		"true",
		"echo 2 >> cache/rows",
		"echo new > cache/new && mkdir -p cache/x/y && : > cache/x/y/z && mkdir void && mkfifo cache/pipe",
		"rm -r cache",
		"rm -r cache/d && ln -s '" + outside + "' cache/d",
		"rm -r cache && ln -s '" + outside + "' cache",
		"rm -r cache/d && : > cache/d && rmdir cache/empty && : > cache/empty",
		"rm cache/rows && mkdir cache/rows && : > cache/rows/in && ln -sfn d cache/way",
		"mv cache/rows cache/r && cp cache/r cache/rows",
	} {
		sh(t, s.Root, run)
		if err := s.Restore(t.Context()); err != nil {
			t.Fatal(err)
		}
		if lost, err := g.back(t.Context()); err != nil || lost != "" {
			t.Fatalf("%s: %q, %v", run, lost, err)
		}
		if d := cmp.Diff(want, treeOf(t, s.Root)); d != "" {
			t.Fatalf("%s: %s", run, d)
		}
	}
	if text, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(text) != "keep\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// What git sees is Restore's to put back, and is no loss where it has another time since.
func TestIgnoredSeen(t *testing.T) {
	s := scratchOf(t)
	if err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, err := keepIgnored(t.Context(), s, time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	sh(t, s.Root, "echo b > src/a && : > more")
	if err := s.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lost, err := g.back(t.Context()); err != nil || lost != "" {
		t.Errorf("%q, %v", lost, err)
	}
	if len(g.copies) > 0 {
		t.Errorf("copies of what git sees: %v", g.copies)
	}
}

// Where one file cannot be put back, none is: a build tool is to find all of them, or none.
func TestIgnoredLost(t *testing.T) {
	s := scratchOf(t)
	sh(t, s.Root, "mkdir cache && echo 1 > cache/rows && truncate -s 300M cache/large")
	g, err := keepIgnored(t.Context(), s, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	sh(t, s.Root, "echo 2 >> cache/rows && echo 2 >> cache/large && : > cache/new")
	want := treeOf(t, s.Root)
	for range 2 {
		lost, err := g.back(t.Context())
		if err != nil || !strings.Contains(lost, "cache/large") {
			t.Errorf("%q, %v", lost, err)
		}
	}
	if d := cmp.Diff(want, treeOf(t, s.Root)); d != "" {
		t.Error(d)
	}
	if _, err := os.Lstat(filepath.Join(s.Root, "cache", "new")); errors.Is(err, os.ErrNotExist) {
		t.Error("half of it was put back")
	}
}
