package worktrees

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// base finds the base branch and fails the test where there is none.
func (r repo) base(named string) Base {
	r.tb.Helper()
	b, err := BaseOf(context.Background(), r.lane(), named)
	r.check(err)
	return b
}

func (r repo) id(rev string) string { return strings.TrimSpace(r.git("rev-parse", rev)) }

func TestBaseOf(t *testing.T) {
	for _, config := range []string{"", "worktreeConfig"} { // the second is one that go-git refuses
		t.Run("extensions."+config, func(t *testing.T) {
			r := newRepo(t)
			if config != "" {
				r.git("config", "core.repositoryformatversion", "1")
				r.git("config", "extensions."+config, "true")
			}
			tip := r.id("HEAD")
			if b := r.base(""); b != (Base{"trunk", tip}) {
				t.Errorf("the usual name: got %+v", b)
			}
			r.git("branch", "main")
			r.git("commit", "-q", "--allow-empty", "-m", "second")
			if b := r.base(""); b != (Base{"main", tip}) {
				t.Errorf("main before trunk: got %+v", b)
			}
			if b := r.base("trunk"); b != (Base{"trunk", r.id("HEAD")}) {
				t.Errorf("the named one: got %+v", b)
			}
			r.git("update-ref", "refs/remotes/origin/next", "HEAD")
			r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
			if b := r.base(""); b != (Base{"origin/next", r.id("HEAD")}) {
				t.Errorf("origin's own: got %+v", b)
			}
			r.git("branch", "next", tip)
			if b := r.base(""); b != (Base{"next", tip}) {
				t.Errorf("one's own before origin's: got %+v", b)
			}
			if _, err := BaseOf(context.Background(), r.lane(), "nowhere"); !errors.Is(err, ErrNoBase) || !strings.Contains(err.Error(), "nowhere") {
				t.Errorf("none: got %v", err)
			}
		})
	}
}

// A linked worktree, a detached one and an unborn branch have the base of their
// repository.
func TestBaseOfOtherLanes(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--detach", "../linked")
	r.git("symbolic-ref", "HEAD", "refs/heads/unborn")
	for _, dir := range []string{r.dir, r.path("../linked")} {
		l, err := Find(context.Background(), dir)
		r.check(err)
		if b, err := BaseOf(context.Background(), l, ""); err != nil || b.Name != "trunk" {
			t.Errorf("%s: got %+v, %v", dir, b, err)
		}
	}
}

func TestContains(t *testing.T) {
	r := newRepo(t)
	first := r.id("HEAD")
	r.git("commit", "-q", "--allow-empty", "-m", "second")
	r.git("branch", "side", first)
	r.git("checkout", "-q", "side")
	r.git("commit", "-q", "--allow-empty", "-m", "aside")
	for _, tc := range []struct {
		tip, commit string
		want        bool
	}{
		{"trunk", first, true}, {"trunk", "trunk", true}, {"trunk", "side", false}, {"side", first, true},
	} {
		if got, err := Contains(context.Background(), r.lane(), r.id(tc.tip), r.id(tc.commit)); err != nil || got != tc.want {
			t.Errorf("%s has %s: %v, %v; want %v", tc.tip, tc.commit, got, err, tc.want)
		}
	}
	for _, gone := range []string{strings.Repeat("1", 40), ""} {
		if got, err := Contains(context.Background(), r.lane(), r.id("trunk"), gone); err != nil || got {
			t.Errorf("a commit that is not there (%q): %v, %v", gone, got, err)
		}
	}
	if got, err := MergeBase(context.Background(), r.lane(), "trunk", "side"); err != nil || got != first {
		t.Errorf("merge base: %q, %v", got, err)
	}
	r.git("checkout", "-q", "--orphan", "other")
	r.git("commit", "-q", "--allow-empty", "-m", "alone")
	if got, err := MergeBase(context.Background(), r.lane(), "trunk", "other"); err != nil || got != "" {
		t.Errorf("no merge base: %q, %v", got, err)
	}
	if _, err := MergeBase(context.Background(), r.lane(), "trunk", "nowhere"); err == nil {
		t.Error("a branch that is not there has a merge base")
	}
}

// The commits of a file, merges of two sides that both changed it among them;
// and the file as each has it, whatever its name means to git.
func TestStepsOfAFile(t *testing.T) {
	const odd = "[glob]*/:(top)?"
	r := newRepo(t)
	first := r.id("HEAD")
	r.git("commit", "-q", "--allow-empty", "-m", "nothing")
	for _, branch := range []string{"left", "right"} {
		r.git("checkout", "-q", "-b", branch, "trunk")
		r.write(odd, branch+"\n")
		r.git("commit", "-qam", branch)
	}
	if err := os.WriteFile(r.path(".git/info/attributes"), []byte("* merge=union\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.git("merge", "-q", "-m", "both", "left")
	steps, err := Steps(context.Background(), r.lane(), first, "HEAD", odd)
	if err != nil || len(steps) != 3 || len(steps[0].Parents) != 2 {
		t.Fatalf("got %+v, %v", steps, err)
	}
	for _, parent := range steps[0].Parents {
		text, ok, err := FileAt(context.Background(), r.lane(), parent, odd)
		if err != nil || !ok || string(text) != "left\n" && string(text) != "right\n" {
			t.Errorf("%s: %q, %v, %v", parent, text, ok, err)
		}
	}
	if _, ok, err := FileAt(context.Background(), r.lane(), first, "nowhere"); ok || err != nil {
		t.Errorf("a file that is not there: %v, %v", ok, err)
	}
	if all, err := Steps(context.Background(), r.lane(), "", "HEAD", odd); err != nil || len(all) != 4 {
		t.Errorf("from the beginning: %+v, %v", all, err)
	}
}
