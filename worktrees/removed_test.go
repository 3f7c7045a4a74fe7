package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Worktrees that git has in its books and that are not there: each with its own
// name and real path, after those that are, and in no plain list.
func TestListAll(t *testing.T) {
	noCargo(t)
	r := newRepo(t)
	up := filepath.Dir(r.dir)
	r.symlink(up, "way")
	for _, dir := range []string{"gone", "away", "a\nb", "sub/gone", "main", "replaced", "moved", "stays", "way/linked"} {
		at := filepath.Join(up, dir)
		if dir == "way/linked" {
			at = filepath.Join(r.dir, dir)
		}
		r.git("worktree", "add", "-q", "--detach", at)
	}
	r.git("worktree", "add", "-q", "--detach", filepath.Join(up, "forgotten"))
	r.git("worktree", "lock", "--reason", "on a disk", filepath.Join(up, "away"))
	r.git("worktree", "remove", "--force", filepath.Join(up, "forgotten"))
	for _, dir := range []string{"gone", "away", "a\nb", "sub", "main", "replaced", "linked"} {
		if err := os.RemoveAll(filepath.Join(up, dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(up, "gone"), 0o755); err != nil { // no worktree, all the same
		t.Fatal(err)
	}
	r.git("init", "-q", filepath.Join(up, "replaced"))
	if err := os.Rename(filepath.Join(up, "moved"), filepath.Join(up, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	trees, err := ListAll(context.Background(), r.lane())
	if err != nil {
		t.Fatal(err)
	}
	standing, removed := map[string]string{}, map[string]string{}
	for _, tree := range trees {
		if !tree.Removed {
			standing[tree.Name] = tree.Root
			if len(removed) > 0 {
				t.Errorf("%s stands after removed ones", tree.Name)
			}
			continue
		}
		removed[tree.Name] = tree.Root
		if tree.Target != filepath.Join(tree.Root, "target") || tree.CommonDir != r.lane().CommonDir {
			t.Errorf("%+v", tree)
		}
	}
	if diff := cmp.Diff(map[string]string{"main": r.dir, "stays": filepath.Join(up, "stays")}, standing); diff != "" {
		t.Errorf("standing (-want +got): %s", diff)
	}
	want := map[string]string{"main~linked": filepath.Join(up, "main"), "gone1": filepath.Join(up, "sub/gone")}
	for _, name := range []string{"gone", "away", "replaced", "moved", "linked"} {
		want[name] = filepath.Join(up, name)
	}
	want["a-b"] = filepath.Join(up, "a\nb")
	if diff := cmp.Diff(want, removed); diff != "" {
		t.Errorf("removed (-want +got): %s", diff)
	}
	if diff := cmp.Diff(standing, roots(list(t, r.lane()))); diff != "" {
		t.Errorf("List (-want +got): %s", diff)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ListAll(ctx, r.lane()); !errors.Is(err, context.Canceled) {
		t.Errorf("ListAll = %v, want Canceled", err)
	}
}
