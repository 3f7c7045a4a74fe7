package worktrees

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A submodule counts by its commit; with changes of its own it is in no tree,
// and its leaf follows them.
func TestDraftOfSubmodule(t *testing.T) {
	r := superproject(t)
	clean := r.wantDraft()
	sub := repo{t, r.path("lib/sub")}
	sub.write("README", "1\n")
	one := r.draft()
	sub.write("README", "2\n")
	two := r.draft()
	if one.Tree != "" || len(one.Leaves) != 1 || cmp.Equal(one, two) {
		t.Errorf("changed inside: %+v, then %+v", one, two)
	}
	sub.git("commit", "-qam", "2")
	if d := r.wantDraft(); d.Tree == "" || d.Tree == clean.Tree {
		t.Errorf("moved: %+v", d)
	}
	r.git("add", "-A")
	r.wantDraft()
	r.remove("lib/sub")
	r.wantDraft()
}

func TestDraftOfOtherKinds(t *testing.T) {
	for name, create := range map[string]func(t *testing.T) repo{
		"sha256": func(t *testing.T) repo { return emptyRepo(t, "--object-format=sha256") },
		"unborn": func(t *testing.T) repo { return emptyRepo(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t)
			r.wantDraft()
			r.write("a/b", "b\n")
			r.write("c", "c\r\n")
			r.write(".gitattributes", "c text\n")
			first := r.wantDraft()
			r.git("add", "-A")
			r.git("commit", "-qm", "first")
			if d := r.wantDraft(); d.Tree != first.Tree || d.Tree == "" {
				t.Errorf("committed: %+v, before %+v", d, first)
			}
			r.write("a/d/e", "e\n")
			r.wantDraft()
		})
	}
	t.Run("sparse", func(t *testing.T) {
		r := newRepo(t)
		r.git("sparse-checkout", "set", "--cone", "--sparse-index", "src/deep")
		r.write("src/deep/new", "")
		r.wantDraft()
	})
	t.Run("linked", func(t *testing.T) {
		r := newRepo(t)
		r.git("worktree", "add", "-q", "../w")
		w := repo{t, filepath.Join(filepath.Dir(r.dir), "w")}
		for _, lane := range []repo{r, w} {
			lane.write("new", "a\r\n")
			lane.write(".gitattributes", "new text\n")
		}
		if a, b := r.wantDraft(), w.draft(); !cmp.Equal(a, b) {
			t.Errorf("two lanes that are alike: %+v, %+v", a, b)
		}
	})
}

// Reading a draft adds no object and touches no index, also where git converts.
func TestDraftWritesNothing(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.txt text\n")
	r.write("new.txt", "a\r\n")
	r.write("src/a.go", "package z\n")
	before := r.gitFiles()
	if d := r.draft(); len(d.Leaves) != 3 {
		t.Fatalf("draft %+v", d)
	}
	if diff := cmp.Diff(before, r.gitFiles()); diff != "" {
		t.Errorf("the git directory changed:\n%s", diff)
	}
}

// gitFiles are the files of the git directory with their sizes and times.
func (r repo) gitFiles() []string {
	r.tb.Helper()
	found := map[string]bool{}
	r.check(filepath.Walk(r.path(".git"), func(path string, info os.FileInfo, err error) error {
		if err == nil {
			found[fmt.Sprint(path, info.Size(), info.ModTime())] = true
		}
		return err
	}))
	return slices.Sorted(maps.Keys(found))
}
