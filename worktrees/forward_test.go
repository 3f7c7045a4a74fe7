package worktrees

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// aheadOf makes a commit in a detached worktree and gives its id: what a branch of
// the repository can be moved on to.
func aheadOf(r repo, branch, name string) string {
	r.tb.Helper()
	dir := filepath.Join(r.tb.TempDir(), "ahead")
	r.git("worktree", "add", "-q", "--detach", dir, branch)
	ahead := repo{r.tb, dir}
	ahead.write(name, name+"\n")
	ahead.git("add", "-A")
	ahead.git("commit", "-qm", name)
	id := strings.TrimSpace(ahead.git("rev-parse", "HEAD"))
	r.git("worktree", "remove", "--force", dir)
	return id
}

// A branch that is checked out nowhere is compared and swapped; in every kind of
// repository, bare, SHA-256 and with a configuration for each worktree.
func TestForwardNowhere(t *testing.T) {
	for name, options := range map[string][]string{"plain": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			r := emptyRepo(t, options...)
			r.write("a", "a\n")
			r.git("add", "-A")
			r.git("commit", "-qm", "a")
			r.git("config", "extensions.worktreeConfig", "true")
			r.git("branch", "base")
			f := Forward{Branch: "base", Old: r.id("base"), New: aheadOf(r, "base", "n"), Why: "test"}
			in, err := f.Move(context.Background(), r.lane())
			if err != nil || in != (Lane{}) || r.id("base") != f.New {
				t.Fatalf("in %+v, %v; base at %s", in, err, r.id("base"))
			}
			if _, err := f.Move(context.Background(), r.lane()); !errors.Is(err, ErrMoved) {
				t.Errorf("once more: %v", err)
			}
			if got := r.git("reflog", "-1", "base"); !strings.Contains(got, "test") {
				t.Errorf("reflog: %s", got)
			}
		})
	}
}

// A branch that is a name for another one: that one's lane counts.
func TestForwardSymbolic(t *testing.T) {
	r := newRepo(t)
	r.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk")
	f := Forward{Branch: "main", Old: r.id("trunk"), New: aheadOf(r, "trunk", "n"), Why: "test"}
	in, err := f.Move(context.Background(), r.lane())
	if err != nil || in.Root != r.dir || r.id("trunk") != f.New {
		t.Fatalf("in %+v, %v", in, err)
	}
	if got := r.git("status", "--porcelain"); got != "" {
		t.Errorf("not clean: %s", got)
	}
}

// A branch that is checked out goes on with its lane, or not at all.
func TestForwardCheckedOut(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		spoil func(r repo, l Lane)
		want  string // of the refusal; "" where it goes on
	}{
		"clean":      {func(repo, Lane) {}, ""},
		"own config": {func(r repo, _ Lane) { r.git("config", "branch.trunk.mergeOptions", "--squash") }, ""},
		"no ff":      {func(r repo, _ Lane) { r.git("config", "merge.ff", "false") }, ""},
		"hook": {func(r repo, l Lane) {
			r.write(".git/hooks/reference-transaction", "#!/bin/sh\nexit 1\n")
			r.chmod(".git/hooks/reference-transaction", 0o755)
		}, ""},
		"ignored":   {func(r repo, _ Lane) { r.write("kept.o", "mine\n") }, ""},
		"untracked": {func(r repo, _ Lane) { r.write("mine", "x\n") }, "1 change that is not committed: mine"},
		"changed":   {func(r repo, _ Lane) { r.write("README", "x\n") }, "not committed: README"},
		"staged":    {func(r repo, _ Lane) { r.write("README", "x\n"); r.git("add", "README") }, "not committed: README"},
		"locked":    {func(r repo, _ Lane) { r.write(".git/index.lock", "") }, "holds its index.lock"},
		"in the way": {func(r repo, _ Lane) {
			r.write(".git/info/exclude", "new.txt\n")
			r.write("new.txt", "precious\n")
		}, "new.txt"},
		"merging": {func(r repo, _ Lane) { r.write(".git/MERGE_HEAD", r.id("HEAD")+"\n") }, "merge"},
		"bisect":  {func(r repo, _ Lane) { r.git("bisect", "start") }, "in the middle of a bisect"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			f := Forward{Branch: "trunk", Old: r.id("trunk"), New: aheadOf(r, "trunk", "new.txt"), Why: "test"}
			l := r.lane()
			c.spoil(r, l)
			in, err := f.Move(ctx, l)
			if c.want == "" {
				if err != nil || in.Root != r.dir || r.id("HEAD") != f.New {
					t.Fatalf("in %+v, %v; at %s", in, err, r.id("HEAD"))
				}
				if data, _ := os.ReadFile(r.path("new.txt")); string(data) != "new.txt\n" {
					t.Errorf("the file is %q", data)
				}
				return
			}
			var held *HeldError
			if !errors.As(err, &held) || !strings.Contains(held.Error(), c.want) || held.Root != r.dir {
				t.Errorf("%v", err)
			}
			if r.id("trunk") != f.Old {
				t.Error("it was moved")
			}
			if data, err := os.ReadFile(r.path("new.txt")); err == nil && string(data) != "precious\n" {
				t.Errorf("the file is %q", data)
			}
		})
	}
}

// A lane that was removed is in the way until git has forgotten it: it could have
// been moved, or be on a device that is not there.
func TestForwardRemovedLane(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t)
	dir := filepath.Join(t.TempDir(), "gone")
	r.git("worktree", "add", "-q", "-b", "base", dir)
	f := Forward{Branch: "base", Old: r.id("base"), New: aheadOf(r, "base", "n"), Why: "test"}
	r.git("worktree", "lock", dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := f.Move(ctx, r.lane()); !errors.As(err, &held) || r.id("base") != f.Old {
		t.Errorf("locked: %v", err)
	}
	r.git("worktree", "unlock", dir)
	if _, err := f.Move(ctx, r.lane()); !errors.As(err, &held) || !strings.Contains(held.Next, "git worktree prune") || r.id("base") != f.Old {
		t.Errorf("in git's books: %v", err)
	}
	r.git("worktree", "prune")
	if _, err := f.Move(ctx, r.lane()); err != nil || r.id("base") != f.New {
		t.Errorf("pruned: %v", err)
	}
}

// A lane that was moved by mv has the branch checked out where git does not look.
func TestForwardMovedLane(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t)
	top := t.TempDir()
	was, is := filepath.Join(top, "was"), repo{t, filepath.Join(top, "is")}
	r.git("worktree", "add", "-q", "-b", "base", was)
	f := Forward{Branch: "base", Old: r.id("base"), New: aheadOf(r, "base", "n"), Why: "test"}
	if err := os.Rename(was, is.dir); err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := f.Move(ctx, r.lane()); !errors.As(err, &held) || !strings.Contains(held.Next, "git worktree repair") || r.id("base") != f.Old {
		t.Fatalf("moved: %v", err)
	}
	if got := is.git("status", "--porcelain"); got != "" {
		t.Errorf("its files are not those of its branch any more: %s", got)
	}
	r.git("worktree", "repair", is.dir)
	if in, err := f.Move(ctx, r.lane()); err != nil || in.Root != is.dir || r.id("base") != f.New {
		t.Errorf("repaired: in %+v, %v", in, err)
	}
}

// An index.lock that is gone again when we look: git is asked once more.
func TestForwardLockGone(t *testing.T) {
	r := newRepo(t)
	f := Forward{Branch: "trunk", Old: r.id("trunk"), New: aheadOf(r, "trunk", "n"), Why: "test"}
	l := r.lane()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin, lock := t.TempDir(), r.path(".git/index.lock")
	script := "#!/bin/sh\ncase \" $* \" in *' merge '*)\n" +
		"echo x >> " + bin + "/merges\n" +
		"if [ $(wc -l < " + bin + "/merges) = 1 ]; then : > '" + lock + "'; " + real + " \"$@\"; s=$?; rm '" + lock + "'; exit $s; fi;;\nesac\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if in, err := f.Move(context.Background(), l); err != nil || in.Root != r.dir || r.id("trunk") != f.New {
		t.Errorf("in %+v, %v", in, err)
	}
	if data, _ := os.ReadFile(filepath.Join(bin, "merges")); string(data) != "x\nx\n" {
		t.Errorf("git merge was asked %q", data)
	}
}
