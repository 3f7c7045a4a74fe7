package worktrees

import (
	"context"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// The hash follows what is on disk and nothing else.
func TestChangesFollowContent(t *testing.T) {
	r := newRepo(t)
	change := func() {
		r.write("src/a.go", "package changed\n")
		r.write("new", "new\n")
		r.remove("src-x/c.go")
		r.rename("README", "READ ME")
	}
	change()
	loose := r.state()
	if loose.Count != 5 {
		t.Fatalf("state: %+v", loose)
	}
	steps := []struct {
		name string
		do   func()
		same bool
	}{
		{"all staged", func() { r.git("add", "-A") }, true},
		{"half staged", func() { r.git("reset", "-q", "--", "src/a.go", "new") }, true},
		{"intent to add", func() { r.git("add", "-N", "new") }, true},
		{"touched", func() { r.settle() }, true},
		{"another, staged and undone on disk", func() {
			r.write("bin/tool", "x")
			r.git("add", "bin/tool")
			r.write("bin/tool", "#!/bin/sh\n")
			r.chmod("bin/tool", 0o755)
		}, true},
		{"an ignored file", func() { r.write("x.o", "") }, true},
		{"other content", func() { r.write("new", "old\n") }, false},
		{"content back", func() { r.write("new", "new\n") }, true},
		{"executable", func() { r.chmod("new", 0o755) }, false},
		{"not", func() { r.chmod("new", 0o644) }, true},
		{"a link of the same bytes", func() { r.remove("new"); r.symlink("new\n", "new") }, false},
	}
	for _, step := range steps {
		step.do()
		if st := r.state(); (st.Changes == loose.Changes) != step.same {
			t.Errorf("%s: same hash = %v, want %v (%+v)", step.name, !step.same, step.same, st)
		}
	}
	r.git("reset", "-q", "--hard")
	r.git("clean", "-fdq")
	change()
	if st := r.state(); st.Changes != loose.Changes {
		t.Errorf("done again: another hash: %+v", st)
	}
}

// Two lanes with the same edits have the same hash.
func TestChangesAcrossLanes(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--detach", "../other")
	other := repo{t, r.dir + "/../other"}
	for _, lane := range []repo{r, other} {
		lane.write("README", "changed\n")
		lane.write("new/x", "x")
	}
	if a, b := r.state(), other.state(); a.Changes != b.Changes || a.Commit != b.Commit {
		t.Errorf("states differ:\n%+v\n%+v", a, b)
	}
}

// A clean filter is not run for the hash: what is built is what is on disk.
func TestChangesRunNoFilter(t *testing.T) {
	r := newRepo(t)
	r.write(".gitattributes", "*.bin filter=upper\n")
	r.git("config", "filter.upper.clean", "tr a-z A-Z")
	r.write("x.bin", "content")
	r.git("add", "-A")
	r.git("commit", "-qm", "filtered")
	r.settle()
	r.wantProven()
	if st := r.state(); st.Dirty {
		t.Errorf("clean: %+v", st)
	}
	marker := r.path("ran")
	r.git("config", "filter.upper.clean", "touch '"+marker+"'; tr a-z A-Z")
	r.write("y.bin", "untracked")
	first := r.state()
	r.write("y.bin", "UNTRACKED")
	if second := r.state(); first.Changes == second.Changes || second.Count != 1 {
		t.Errorf("same hash for other bytes: %+v", second)
	}
	if _, err := os.Lstat(marker); err == nil {
		t.Error("the filter ran")
	}
}

// A file that nobody but root can read is told apart, not skipped, and is no
// failure. The reading thread gives up root, if it is, and ends with the
// goroutine because it stays locked.
func TestChangesUnreadable(t *testing.T) {
	r := newRepo(t)
	r.write("secret", "s")
	r.chmod("secret", 0)
	l := r.lane()
	var got content
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err = unix.Setfsuid(65534); err == nil {
			got, err = readContent(context.Background(), l, change{path: "secret", headMode: absent})
		}
	}()
	<-done
	if err != nil || got != (content{mode: unreadable}) {
		t.Errorf("readContent = %+v, %v; want unreadable", got, err)
	}
}

// Gone between git's look and ours.
func TestChangesVanished(t *testing.T) {
	r := newRepo(t)
	gone := []change{{path: "gone", headMode: absent}, {path: "README/below", headMode: absent}, {path: "src", headMode: regular}}
	sum, err := hashChanges(context.Background(), r.lane(), gone)
	if err != nil || len(sum) != 64 {
		t.Errorf("hashChanges = %q, %v", sum, err)
	}
}

// A large file is read in pieces, each only while the context lasts. It is
// sparse and costs no disk.
func TestHashingStops(t *testing.T) {
	r := newRepo(t)
	r.write("huge", "")
	if err := os.Truncate(r.path("huge"), 2<<30); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := hashFile(ctx, r.path("huge"), change{path: "huge"})
	if err != context.Canceled {
		t.Errorf("hashFile = %v, want Canceled", err)
	}
}

// Nothing is written in the repository, whatever git would like to refresh.
func TestWritesNothing(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.untrackedCache", "true")
	r.git("config", "core.fsmonitor", "touch '"+r.path("fsmonitor-ran")+"'; false")
	r.write("README", "read me\n") // stale in the index
	r.write("src/a.go", "package changed\n")
	before, err := os.ReadFile(r.path(".git/index"))
	r.check(err)
	info, err := os.Stat(r.path(".git"))
	r.check(err)
	if _, err := ReadState(context.Background(), r.lane()); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(r.path(".git/index"))
	r.check(err)
	again, err := os.Stat(r.path(".git"))
	r.check(err)
	if string(before) != string(after) || !info.ModTime().Equal(again.ModTime()) {
		t.Error("the git directory was written to")
	}
	if _, err := os.Lstat(r.path("fsmonitor-ran")); err == nil {
		t.Error("fsmonitor ran")
	}
}
