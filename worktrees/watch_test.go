package worktrees

import (
	"context"
	"testing"
)

// A change of any kind is noticed, and nothing else is.
func TestWatch(t *testing.T) {
	for name, tt := range map[string]struct {
		do        func(r repo)
		unchanged bool
	}{
		"nothing":        {func(repo) {}, true},
		"git status":     {func(r repo) { r.git("status") }, true},
		"write in place": {func(r repo) { r.write("src/a.go", "changed") }, false},
		"write and put back": {func(r repo) {
			r.write("src/a.go", "x")
			r.write("src/a.go", "package a\n")
		}, false},
		"new file":           {func(r repo) { r.write("src/new.go", "x") }, false},
		"mode":               {func(r repo) { r.chmod("src/a.go", 0o755) }, false},
		"directory moved":    {func(r repo) { r.git("mv", "src/deep", "src/deeper") }, false},
		"in an ignored tree": {func(r repo) { r.write("target/deep/x.o", "x") }, true},
		"commit":             {func(r repo) { r.git("commit", "-q", "--allow-empty", "-m", "two") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("target/x.o", "an ignored build tree")
			st, w, err := readAndWatch(context.Background(), r.lane(), 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if st.Dirty {
				t.Fatalf("the lane is dirty to begin with: %+v", st)
			}
			tt.do(r)
			if got := w.Unchanged(context.Background()); got != tt.unchanged {
				t.Errorf("unchanged: %t, want %t", got, tt.unchanged)
			}
		})
	}
}

// Of a dirty lane nothing is certain, and without a watch neither.
func TestWatchIsUnsure(t *testing.T) {
	r := newRepo(t)
	r.write("untracked.txt", "x")
	_, w, err := readAndWatch(context.Background(), r.lane(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if w.Unchanged(context.Background()) {
		t.Error("sure of a dirty lane")
	}
	_, small, err := ReadAndWatch(context.Background(), newRepo(t).lane())
	if err != nil {
		t.Fatal(err)
	}
	defer small.Close()
	if small.Unchanged(context.Background()) {
		t.Error("sure of a lane that is too small for marks")
	}
	var none *Watch
	if none.Unchanged(context.Background()) {
		t.Error("sure without a watch")
	}
	none.Close()
}
