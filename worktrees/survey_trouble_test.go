package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// filtered has git run a command of the test's own when it looks at a file of a
// lane that may have changed.
func (r repo) filtered(lane repo, script string) {
	r.tb.Helper()
	file := filepath.Join(filepath.Dir(r.dir), "filter-"+filepath.Base(lane.dir))
	r.check(os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	r.git("config", "filter."+filepath.Base(lane.dir)+".clean", file)
	lane.write(".gitattributes", "README filter="+filepath.Base(lane.dir)+"\n")
	lane.write("README", "changed\n")
}

// A lane whose disk does not answer, and one whose filter never ends: both are
// told, and the others are read.
func TestSurveyHung(t *testing.T) {
	r := newRepo(t)
	stuck := r.add("stuck", "-b", "stuck")
	index := filepath.Join(find(t, stuck.dir).GitDir, "index")
	r.check(os.Remove(index))
	r.check(syscall.Mkfifo(index, 0o644)) // whoever opens it waits, as for a disk that hangs
	r.filtered(r.add("endless", "-b", "endless"), "sleep 600")
	r.add("well", "-b", "well").write("README", "changed\n")
	lanes := r.surveyed(SurveyOptions{Limit: 2 * time.Second})
	for _, name := range []string{"stuck", "endless"} {
		st := lanes[name]
		if !errors.Is(st.Err, context.DeadlineExceeded) || st.Removed || st.State.Branch != name || st.State.Count != 0 || !st.Counted {
			t.Errorf("%s: %+v", name, st)
		}
	}
	for _, name := range []string{"main", "well"} {
		if st := lanes[name]; st.Err != nil || st.State.Dirty != (name == "well") {
			t.Errorf("%s: %+v", name, st)
		}
	}
	if len(lanes) != 4 {
		t.Errorf("%d lanes", len(lanes))
	}
	f, err := os.OpenFile(index, os.O_RDWR, 0) // lets go of who waits
	r.check(err)
	r.check(f.Close())
}

// A lane that goes away while it is being read is removed; one that git forgets
// meanwhile is no lane any more.
func TestSurveyRemovedMeanwhile(t *testing.T) {
	for how, script := range map[string]string{
		"removed":   `rm -rf "$LANE"; cat >/dev/null; exit 1`,
		"forgotten": `git -C "$REPO" worktree remove --force --force "$LANE"; cat >/dev/null; exit 1`,
	} {
		t.Run(how, func(t *testing.T) {
			r := newRepo(t)
			lane := r.add("lane", "-b", "lane")
			r.add("well", "-b", "well")
			r.filtered(lane, "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE\n"+script)
			r.git("config", "filter.lane.required", "true")
			t.Setenv("LANE", lane.dir)
			t.Setenv("REPO", r.dir)
			lanes := r.surveyed(SurveyOptions{})
			if _, err := os.Stat(filepath.Join(lane.dir, ".git")); err == nil {
				t.Fatal("the lane is still there: its filter never ran")
			}
			st, there := lanes["lane"]
			if there != (how == "removed") || there && (!st.Removed || !st.Prunable || st.Err != nil || st.State.Branch != "lane") {
				t.Errorf("%v, %+v", there, st)
			}
			if st := lanes["well"]; st.Err != nil || st.Removed {
				t.Errorf("the other one: %+v", st)
			}
		})
	}
}

// Branches that move while the survey runs: every count is between the two
// commits that the standing names, and the base is one for all.
func TestSurveyMovedMeanwhile(t *testing.T) {
	r := newRepo(t)
	base := r.id("HEAD")
	lane := r.add("lane", "-b", "lane")
	lane.git("commit", "-q", "--allow-empty", "-m", "more")
	was := lane.id("HEAD")
	r.filtered(lane, `unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git -C "$REPO" commit -q --allow-empty -m meanwhile >&2
git -C "$REPO" update-ref refs/heads/later HEAD
cat`)
	r.add("zzz", "-b", "later") // is read after it
	t.Setenv("REPO", r.dir)
	lanes := r.surveyed(SurveyOptions{Parallel: 1})
	if r.id("trunk") == base {
		t.Fatal("the base has not moved: the filter never ran")
	}
	if st := lanes["lane"]; st.Base.Commit != base || st.State.Commit != was || st.Ahead != 1 || st.Behind != 0 {
		t.Errorf("lane: %+v", st)
	}
	if st := lanes["zzz"]; st.Base.Commit != base || st.State.Commit != r.id("later") || st.Ahead < 1 || !st.Counted {
		t.Errorf("zzz: %+v", st)
	}
}

// Worktrees come and go all the time; a survey of the others is not disturbed.
func TestSurveyAmongChanges(t *testing.T) {
	r := newRepo(t)
	r.add("well", "-b", "well").write("README", "changed\n")
	end := make(chan struct{})
	done := make(chan int)
	go func() {
		rounds := 0
		defer func() { done <- rounds }()
		for ; ; rounds++ {
			select {
			case <-end:
				return
			default:
			}
			lane := r.add("brief", "--detach")
			r.git("worktree", "remove", "--force", lane.dir)
		}
	}()
	for range 20 {
		lanes := r.surveyed(SurveyOptions{})
		if st := lanes["well"]; st.Err != nil || st.State.Count != 1 || lanes["main"].Err != nil {
			t.Errorf("%+v", lanes)
		}
	}
	close(end)
	if rounds := <-done; rounds == 0 {
		t.Error("nothing came and went")
	}
}
