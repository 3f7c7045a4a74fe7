package worktrees

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What git was told not to look at is built like any other file: where it differs
// the lane is dirty, by the quick look and by git alone, and the draft has it.
func TestHidden(t *testing.T) {
	assume := func(r repo) { r.git("update-index", "--assume-unchanged", "README") }
	for name, c := range map[string]struct {
		do    func(r repo)
		paths []string
	}{
		"assumed, changed": {func(r repo) { assume(r); r.write("README", "x") }, []string{"README"}},
		"assumed, deleted": {func(r repo) { assume(r); r.remove("README") }, []string{"README"}},
		"assumed, mode":    {func(r repo) { assume(r); r.chmod("README", 0o755) }, []string{"README"}},
		"skipped, changed": {func(r repo) { r.git("update-index", "--skip-worktree", "README"); r.write("README", "x") }, []string{"README"}},
		"and others":       {func(r repo) { assume(r); r.write("README", "x"); r.write("b", "") }, []string{"README", "b"}},
		"staged, too": {func(r repo) {
			r.write("README", "staged")
			r.git("add", "README")
			assume(r)
			r.write("README", "x")
		}, []string{"README"}},
		"converted": {func(r repo) {
			assume(r)
			r.write(".gitattributes", "README ident\n")
			r.write("README", "$Id: x$\n")
		}, []string{".gitattributes", "README"}},
	} {
		for _, split := range []string{"", " in a split index"} {
			t.Run(name+split, func(t *testing.T) {
				r := newRepo(t)
				if split != "" { // which only git reads
					r.git("update-index", "--split-index")
				}
				before := r.id("HEAD^{tree}")
				c.do(r)
				st, err := ReadState(t.Context(), r.lane())
				r.check(err)
				if diff := cmp.Diff(c.paths, st.Paths); diff != "" || !st.Dirty || st.Changes == "" {
					t.Errorf("state %+v\n%s", st, diff)
				}
				d, err := ReadDraft(t.Context(), r.lane(), st)
				r.check(err)
				if d.Tree == before || len(d.Leaves) != len(c.paths) {
					t.Errorf("draft %+v", d)
				}
				if path := d.Leaves[len(d.Leaves)-1].Path; strings.Contains(name, ",") && path != "README" {
					t.Errorf("draft %+v", d)
				}
			})
		}
	}
}

// Nor is a lane dirty for what a sparse checkout leaves out, read by git alone.
func TestSparseIsClean(t *testing.T) {
	for _, split := range []bool{false, true} {
		r := newRepo(t)
		if split {
			r.git("update-index", "--split-index")
		}
		r.git("sparse-checkout", "set", "src")
		r.write("src/new.o", "")
		if st, err := ReadState(t.Context(), r.lane()); err != nil || st.Dirty {
			t.Errorf("%+v, %v", st, err)
		}
	}
}
