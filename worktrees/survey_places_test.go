package worktrees

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSurveySHA256(t *testing.T) {
	r := emptyRepo(t, "--object-format=sha256")
	r.git("commit", "-q", "--allow-empty", "-m", "first")
	ahead := r.add("ahead", "-b", "ahead")
	ahead.git("commit", "-q", "--allow-empty", "-m", "second")
	r.check(os.RemoveAll(r.add("gone", "-b", "gone").dir))
	lanes := r.surveyed(SurveyOptions{})
	if st := lanes["ahead"]; st.Ahead != 1 || !st.Counted || st.State.Commit != ahead.id("HEAD") {
		t.Errorf("%+v", st)
	}
	if st := lanes["gone"]; !st.Removed || st.State.Commit != r.id("gone") || st.State.Branch != "gone" {
		t.Errorf("%+v", st)
	}
}

// A bare repository has no main lane; its base is a branch all the same.
func TestSurveyBare(t *testing.T) {
	r := newRepo(t)
	bare := repo{t, filepath.Join(filepath.Dir(r.dir), "bare")}
	r.git("clone", "-q", "--bare", r.dir, bare.dir)
	bare.git("config", "user.name", "Test")
	bare.git("config", "user.email", "test@example.org")
	bare.git("worktree", "add", "-q", "../main", "trunk")
	main := repo{t, filepath.Join(filepath.Dir(r.dir), "main")}
	bare.add("kda", "-b", "kda").git("commit", "-q", "--allow-empty", "-m", "more")
	lanes := main.surveyed(SurveyOptions{})
	if len(lanes) != 2 || lanes["main"].Root != main.dir || lanes["kda"].Ahead != 1 || lanes["kda"].Base.Name != "trunk" {
		t.Errorf("%+v", lanes)
	}
}

// Where the repository is a directory of another name, nothing in it says where
// the main lane's files are; from there they are known.
func TestSurveySeparate(t *testing.T) {
	r := newRepo(t)
	r.git("init", "-q", "--separate-git-dir", filepath.Join(filepath.Dir(r.dir), "books"))
	r.git("config", "core.bare", "false")
	linked := r.add("linked", "--detach")
	if st := r.surveyed(SurveyOptions{})["main"]; st.Root != r.dir || st.Err != nil {
		t.Errorf("from main: %+v", st)
	}
	if st := linked.surveyed(SurveyOptions{})["main"]; st.Err == nil || st.Removed || st.State.Branch != "trunk" {
		t.Errorf("from elsewhere: %+v", st)
	}
	r = superproject(t)
	if lanes := (repo{t, r.path("lib/sub")}).surveyed(SurveyOptions{}); len(lanes) != 1 || lanes["main"].Root != r.path("lib/sub") || lanes["main"].Err != nil {
		t.Errorf("in a submodule: %+v", lanes)
	}
}

// A lane that was moved works on where it is; only there can it be told.
func TestSurveyMoved(t *testing.T) {
	r := newRepo(t)
	lane := r.add("lane", "-b", "lane")
	moved := repo{t, filepath.Join(filepath.Dir(r.dir), "moved")}
	r.check(os.Rename(lane.dir, moved.dir))
	if st := r.surveyed(SurveyOptions{})["lane"]; !st.Removed || !st.Prunable || st.Root != lane.dir {
		t.Errorf("from main: %+v", st)
	}
	if st := moved.surveyed(SurveyOptions{})["lane"]; st.Removed || st.Root != moved.dir || st.MovedFrom != lane.dir || st.Err != nil {
		t.Errorf("from itself: %+v", st)
	}
	moved.git("worktree", "repair")
	if st := r.surveyed(SurveyOptions{})["lane"]; st.Removed || st.Root != moved.dir || st.MovedFrom != "" {
		t.Errorf("repaired: %+v", st)
	}
}

func TestSurveyBase(t *testing.T) {
	r := newRepo(t)
	r.add("kda", "-b", "kda").git("commit", "-q", "--allow-empty", "-m", "more")
	if st := r.surveyed(SurveyOptions{Base: "kda"})["main"]; st.Behind != 1 || st.Ahead != 0 || st.Base.Name != "kda" {
		t.Errorf("%+v", st)
	}
	if _, err := Survey(context.Background(), r.lane(), SurveyOptions{Base: "nowhere"}); !errors.Is(err, ErrNoBase) {
		t.Errorf("no such branch: %v", err)
	}
	r.git("branch", "-m", "trunk", "odd")
	if st := r.surveyed(SurveyOptions{})["kda"]; st.Counted || st.CountErr != nil || st.Base != (Base{}) || st.Err != nil || st.Committed.IsZero() {
		t.Errorf("no base: %+v", st)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Survey(ctx, r.lane(), SurveyOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Survey = %v, want Canceled", err)
	}
}
