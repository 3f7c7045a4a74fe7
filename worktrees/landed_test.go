package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// What was replayed on another commit, as a landing does, has landed; what is there in
// part, or was never there, has not.
func TestLanded(t *testing.T) {
	r := newRepo(t)
	root := r.lane().Root
	commit := func(name string) string {
		r.check(os.WriteFile(filepath.Join(root, name), []byte(name+"\n"), 0o644))
		r.git("add", name)
		r.git("commit", "-q", "-m", name)
		return r.id("HEAD")
	}
	trunk := r.id("HEAD")
	r.git("checkout", "-q", "-b", "lane")
	one := commit("one")
	two := commit("two")
	r.git("checkout", "-q", "-b", "onto", trunk)
	commit("other")
	r.git("cherry-pick", one)
	half := r.id("HEAD")
	r.git("cherry-pick", two)
	for _, c := range []struct {
		tip, commit string
		want        bool
	}{
		{"onto", one, true}, {"onto", two, true}, {half, one, true}, {half, two, false}, {trunk, one, false},
		{"onto", trunk, true}, {two, one, true}, {"onto", "0123456789012345678901234567890123456789", false}, {"onto", "", false},
	} {
		if got, err := Landed(context.Background(), r.lane(), c.tip, c.commit); err != nil || got != c.want {
			t.Errorf("%.10s in %.10s: %v, %v", c.commit, c.tip, got, err)
		}
	}
}
