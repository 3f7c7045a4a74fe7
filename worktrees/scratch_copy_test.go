package worktrees

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// changing has a repository change a file whenever it is read, a number of
// times: by a filter, which runs in the middle of that.
func changing(r repo, times int) {
	counter := filepath.Join(filepath.Dir(r.dir), "counter")
	repo{r.tb, filepath.Dir(r.dir)}.write("counter", "0\n")
	repo{r.tb, filepath.Dir(r.dir)}.write("filter", fmt.Sprintf(`#!/bin/sh
cat
n=$(cat '%s')
if [ "$n" -lt %d ]; then
	echo $((n + 1)) > '%[1]s'
	echo "version $n" > '%[3]s'
fi
`, counter, times, r.path("changing")))
	r.write(".gitattributes", "*.bin filter=f\n")
	r.git("config", "filter.f.clean", "sh '"+filepath.Join(filepath.Dir(r.dir), "filter")+"'")
	r.write("changing", "first\n")
	r.write("x.bin", "x\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "changing", "--allow-empty")
	r.write("x.bin", "y\n") // so that git status runs the filter before anything is hashed
	repo{r.tb, filepath.Dir(r.dir)}.write("counter", "0\n")
}

// A lane that changes once or twice while it is copied is copied as it is in the
// end; one that changes all the time is not, and leaves nothing.
func TestScratchOfChangingLane(t *testing.T) {
	r := newRepo(t)
	changing(r, 6)
	var notes []string
	s := r.scratch(ScratchOptions{Note: func(text string) { notes = append(notes, text) }})
	if diff := cmp.Diff(r.disk(), r.in(s).disk()); diff != "" || len(notes) == 0 {
		t.Errorf("copied otherwise (notes %q): %s", notes, diff)
	}
	r.check(s.Remove(context.Background()))
	changing(r, 1000)
	if s, err := r.tryScratch(ScratchOptions{}); s != nil || err == nil || !strings.Contains(err.Error(), "it changes all the time") {
		t.Errorf("%v, error %v", s, err)
	}
	r.wantNothingLeft()
}

// A commit in the lane meanwhile is taken with it.
func TestScratchOfLaneThatCommits(t *testing.T) {
	r := newRepo(t)
	r.write("new", "new")
	s := &Scratch{From: "main", from: r.lane(), options: ScratchOptions{Dir: r.scratchHome(), Note: func(string) {}}}
	t.Cleanup(func() { r.check(s.Remove(context.Background())) })
	old := r.head()
	r.check(s.make(context.Background()))
	r.git("add", "-A")
	r.git("commit", "-qm", "meanwhile")
	r.write("src/a.go", "package z\n")
	before, err := s.readFrom(context.Background())
	r.check(err)
	r.check(s.copyLane(context.Background(), old, before))
	if st, err := ReadState(context.Background(), s.Lane); err != nil || st.Commit != r.head() || !cmp.Equal(r.in(s).disk(), r.disk()) {
		t.Errorf("state %+v, %v", st, err)
	}
}

// The permissions of files come with them, whatever git keeps of those.
func TestCopyKeepsPermissions(t *testing.T) {
	r := newRepo(t)
	r.write("private", "x")
	r.chmod("private", 0o600)
	r.write("script", "x")
	r.chmod("script", 0o751)
	s := r.scratch(ScratchOptions{})
	if diff := cmp.Diff(r.disk(), r.in(s).disk()); diff != "" {
		t.Error(diff)
	}
}

// An end from outside is an end at once, with nothing left.
func TestScratchCancelled(t *testing.T) {
	r := newRepo(t)
	noCargo(t)
	r.write(".gitattributes", "*.bin filter=f\n")
	r.write("x.bin", "x")
	r.git("add", "-A")
	r.git("commit", "-qm", "filtered")
	fifo := repo{t, t.TempDir()}
	fifo.write("ready", "")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.git("config", "filter.f.smudge", "echo > '"+fifo.path("at work")+"'; exec sleep 600")
	go func() {
		for !there(fifo.path("at work")) && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	s, err := NewScratch(ctx, r.lane(), ScratchOptions{Dir: r.scratchHome(), Commit: r.head()})
	if s != nil || err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("%v, error %v", s, err)
	}
	r.wantNothingLeft()
}
