package worktrees

import (
	"context"
	"strings"
	"testing"
)

// mergeStage is a lane with a branch beside it, each with a commit of its own.
func mergeStage(t *testing.T, mine, path, theirs string) repo {
	t.Helper()
	r := newRepo(t)
	r.git("checkout", "-qb", "side")
	r.commit(path, theirs, "side")
	r.git("checkout", "-q", "trunk")
	r.commit("both.txt", mine, "mine")
	return r
}

// A merge has changes of its own where git would not have made it so: by what is
// merged anew, and by what is shown of it where an older git cannot.
func TestOwnChanges(t *testing.T) {
	for name, c := range map[string]struct {
		path  string // that side changes; trunk changes both.txt
		merge func(r repo)
		want  bool
	}{
		"by itself": {"side.txt", func(r repo) { r.git("merge", "-q", "--no-edit", "side") }, false},
		"more": {"side.txt", func(r repo) {
			r.git("merge", "-q", "--no-commit", "side")
			r.commit("more.txt", "more\n", "evil")
		}, true},
		"conflict": {"both.txt", func(r repo) {
			r.git("merge", "-q", "-X", "ours", "--no-edit", "side")
		}, true},
		"one side": {"side.txt", func(r repo) { r.git("merge", "-q", "-s", "ours", "--no-edit", "side") }, true},
		"octopus": {"side.txt", func(r repo) {
			r.git("checkout", "-qb", "third", "HEAD~1")
			r.commit("third.txt", "3\n", "third")
			r.git("checkout", "-q", "trunk")
			r.git("merge", "-q", "--no-edit", "side", "third")
		}, false},
		"unrelated": {"side.txt", func(r repo) {
			r.git("checkout", "-q", "--orphan", "alone")
			r.commit("alone.txt", "x\n", "alone")
			r.git("checkout", "-q", "trunk")
			r.git("merge", "-q", "--no-edit", "--allow-unrelated-histories", "alone")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			r := mergeStage(t, "mine\n", c.path, "theirs\n")
			c.merge(r)
			id := r.id("HEAD")
			if own, err := OwnChanges(ctx, r.lane(), id); own != c.want || err != nil {
				t.Errorf("%v, %v", own, err)
			}
			if name == "unrelated" {
				return // its sides do not meet, so that nothing of it is shown
			}
			parents := strings.Fields(r.git("rev-parse", id+"^@"))
			if own, err := ownByDiff(ctx, r.lane(), id, r.id(id+"^{tree}"), parents); err != nil || own != c.want && name != "conflict" {
				t.Errorf("by what git shows: %v, %v", own, err)
			}
		})
	}
}

// All is there only if merging would change nothing: not where the same commit was
// undone again.
func TestHasAll(t *testing.T) {
	ctx := context.Background()
	r := newRepo(t)
	r.git("checkout", "-qb", "lane")
	id := r.commit("a.txt", "a\n", "a")
	r.git("checkout", "-q", "trunk")
	r.commit("b.txt", "b\n", "b")
	check := func(when string, want bool) {
		t.Helper()
		if all, err := HasAll(ctx, r.lane(), r.id("trunk"), id); all != want || err != nil {
			t.Errorf("%s: %v, %v", when, all, err)
		}
		if all, err := hasPaths(ctx, r.lane(), r.id("trunk"), id); all != want || err != nil {
			t.Errorf("%s, by paths: %v, %v", when, all, err)
		}
	}
	check("not yet", false)
	r.git("cherry-pick", id)
	check("taken", true)
	if same, err := SameAsMerged(ctx, r.lane(), r.id("trunk"), r.id("trunk~1"), id); !same || err != nil {
		t.Errorf("the commit is not what merging comes to: %v, %v", same, err)
	}
	r.git("revert", "--no-edit", "HEAD")
	check("undone", false)
	if same, err := SameAsMerged(ctx, r.lane(), r.id("trunk"), r.id("trunk~2"), id); same || err != nil {
		t.Errorf("undone, and what merging comes to: %v, %v", same, err)
	}
}
