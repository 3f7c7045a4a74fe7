package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// surveyed are the lanes of a survey by their names, each once.
func (r repo) surveyed(o SurveyOptions) map[string]Standing {
	r.tb.Helper()
	list, err := Survey(context.Background(), r.lane(), o)
	r.check(err)
	out := make(map[string]Standing)
	for _, st := range list {
		if _, twice := out[st.Name]; twice {
			r.tb.Errorf("%s is there twice", st.Name)
		}
		out[st.Name] = st
	}
	return out
}

// add adds a linked worktree beside the repository.
func (r repo) add(dir string, args ...string) repo {
	r.tb.Helper()
	at := filepath.Join(filepath.Dir(r.dir), dir)
	r.git(append(append([]string{"worktree", "add", "-q"}, args...), at)...)
	return repo{r.tb, at}
}

// everyKind makes a repository with a lane of every kind.
func everyKind(t *testing.T) repo {
	noCargo(t)
	r := newRepo(t)
	up := filepath.Dir(r.dir)
	ahead := r.add("ahead", "-b", "ahead")
	for _, text := range []string{"one", "two", "three"} {
		ahead.git("commit", "-q", "--allow-empty", "-m", text)
	}
	ahead.write("README", "changed\n")
	ahead.write("more/new", "new\n")
	r.add("behind", "-b", "behind")
	r.git("commit", "-q", "--allow-empty", "-m", "on trunk")
	r.add("detached", "--detach")
	for _, dir := range []string{"ünï", "new\nline\n", "esc\x1b[2Jape", "with space"} {
		r.add(dir, "--detach")
	}
	r.add("elsewhere/main", "--detach")
	unborn := r.add("unborn", "-b", "fresh")
	unborn.git("symbolic-ref", "HEAD", "refs/heads/unborn")
	for _, dir := range []string{"gone", "away", "replaced", "other-disk"} {
		r.add(dir, "-b", dir).git("commit", "-q", "--allow-empty", "-m", "lost?")
	}
	for _, dir := range []string{"away", "detached"} {
		r.git("worktree", "lock", "--reason", "on a disk\nin a drawer", filepath.Join(up, dir))
	}
	for _, dir := range []string{"gone", "away", "replaced"} {
		r.check(os.RemoveAll(filepath.Join(up, dir)))
	}
	r.git("init", "-q", filepath.Join(up, "replaced"))
	r.check(os.Rename(filepath.Join(up, "other-disk"), filepath.Join(up, "target")))
	r.symlink(filepath.Join(up, "target"), "../other-disk") // it was moved, and a link left
	r.add("broken", "-b", "broken")
	r.check(os.WriteFile(filepath.Join(up, "broken", ".git"), []byte("nonsense"), 0o644))
	return r
}

// Every kind of lane: what git says of it, and what its disk does.
func TestSurvey(t *testing.T) {
	r := everyKind(t)
	lanes := r.surveyed(SurveyOptions{})
	trunk := r.id("trunk")
	up := filepath.Dir(r.dir)
	for name, want := range map[string]struct {
		branch        string
		count         int
		ahead, behind int
	}{
		"main":        {"trunk", 0, 0, 0},
		"ahead":       {"ahead", 2, 3, 1},
		"behind":      {"behind", 0, 0, 1},
		"detached":    {"", 0, 0, 0},
		"main~linked": {"", 0, 0, 0},
		"other-disk":  {"other-disk", 0, 1, 0},
		"gone":        {"gone", 0, 1, 0},
		"away":        {"away", 0, 1, 0},
		"replaced":    {"replaced", 0, 1, 0},
		"broken":      {"broken", 0, 0, 0},
		"with-space":  {"", 0, 0, 0},
	} {
		st, ok := lanes[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		if st.State.Branch != want.branch || st.State.Count != want.count || st.Ahead != want.ahead || st.Behind != want.behind || !st.Counted {
			t.Errorf("%s: want %+v, got %+v", name, want, st)
		}
		if st.Base != (Base{"trunk", trunk}) || st.Committed.IsZero() || st.CountErr != nil {
			t.Errorf("%s: base %+v, committed %s, %v", name, st.Base, st.Committed, st.CountErr)
		}
	}
	if st := lanes["unborn"]; st.State.Commit != "" || st.State.Branch != "unborn" || st.Counted || st.CountErr != nil || st.Err != nil || st.State.Count == 0 {
		t.Errorf("unborn: %+v", st)
	}
	if st := lanes["detached"]; !st.Locked || st.Reason != "on a disk\nin a drawer" || st.Prunable {
		t.Errorf("locked: %+v", st)
	}
	if st := lanes["broken"]; st.Err == nil || st.Removed {
		t.Errorf("broken: %+v", st)
	}
	removed := map[string]bool{"gone": true, "away": false, "replaced": false} // and whether git prune forgets it
	for name, st := range lanes {
		prunable, gone := removed[name]
		if st.Removed != gone || st.Prunable != prunable {
			t.Errorf("%s: removed %v, prunable %v", name, st.Removed, st.Prunable)
		}
	}
	if st := lanes["other-disk"]; st.Root != filepath.Join(up, "target") || st.MovedFrom != "" {
		t.Errorf("behind a link: %+v", st)
	}
	would := r.git("worktree", "prune", "--dry-run", "--verbose", "--expire=now")
	if strings.Count(would, "Removing") != 1 || !strings.Contains(would, "worktrees/gone:") {
		t.Errorf("git would prune %s", would)
	}
}

// The books are what git lists, in every kind of lane.
func TestSurveyAsGitLists(t *testing.T) {
	r := everyKind(t)
	want, err := ListAll(context.Background(), r.lane())
	if err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("ListAll: %v", err)
	}
	list, err := Survey(context.Background(), r.lane(), SurveyOptions{})
	r.check(err)
	var got []Tree
	for i, st := range list {
		if st.Err == nil {
			got = append(got, st.Tree)
		}
		if i > 0 && !st.Removed && list[i-1].Removed {
			t.Errorf("%s stands behind a removed one", st.Name)
		}
	}
	byRoot := func(a, b Tree) int { return strings.Compare(a.Root, b.Root) }
	slices.SortFunc(got, byRoot)
	slices.SortFunc(want, byRoot)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-ListAll +Survey\n%s", d)
	}
}

// The same repository through go-git, and through git where go-git refuses it.
func TestSurveyBothWays(t *testing.T) {
	r := everyKind(t)
	before := r.surveyed(SurveyOptions{})
	r.git("config", "core.repositoryformatversion", "1")
	r.git("config", "extensions.worktreeConfig", "true")
	if openCommits(context.Background(), r.lane()).repo != nil {
		t.Fatal("go-git takes the repository")
	}
	text := cmp.Transformer("text", func(err error) string { return fmt.Sprint(err) })
	if d := cmp.Diff(before, r.surveyed(SurveyOptions{}), text); d != "" {
		t.Errorf("-go-git +git\n%s", d)
	}
}

func TestSurveyMany(t *testing.T) {
	lanes := 25
	if os.Getenv("GPUCI_SOAK") == "1" {
		lanes = 200
	}
	r := manyLanes(t, 3, lanes)
	found := r.surveyed(SurveyOptions{Parallel: 4})
	if len(found) != lanes+1 {
		t.Fatalf("%d lanes", len(found))
	}
	for i := range lanes {
		st := found[fmt.Sprintf("lane%03d", i)]
		if st.Err != nil || st.State.Count != 2 || st.Ahead != 1 || st.Behind != 0 || st.State.Branch != fmt.Sprintf("branch%03d", i) {
			t.Errorf("%+v", st)
		}
	}
}
