package worktrees

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// superproject makes a repository with a submodule at lib/sub.
func superproject(t *testing.T) repo {
	t.Helper()
	inner := newRepo(t)
	r := newRepo(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.dir, "lib/sub")
	r.git("commit", "-qm", "submodule")
	repo{t, r.path("lib/sub")}.identify()
	r.settle()
	return r
}

func TestCleanIsProven(t *testing.T) {
	r := newRepo(t)
	r.wantProven()
	if st := r.state(); st.Dirty || st.Branch != "trunk" || len(st.Commit) != hexSHA1 {
		t.Errorf("state: %+v", st)
	}
}

func TestHeads(t *testing.T) {
	r := newRepo(t)
	first := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.git("checkout", "-q", "--detach")
	if st := r.state(); st.Branch != "" || st.Commit != first {
		t.Errorf("detached: %+v", st)
	}
	r.git("checkout", "-q", "-b", "feature/x")
	r.git("pack-refs", "--all")
	if st := r.state(); st.Branch != "feature/x" || st.Commit != first {
		t.Errorf("packed ref: %+v", st)
	}
	r.git("gc", "-q")
	r.wantProven()
	r.git("checkout", "-q", "--orphan", "fresh")
	if st := r.state(); st.Branch != "fresh" || st.Commit != "" || !st.Dirty {
		t.Errorf("orphan: %+v", st)
	}
	unborn := emptyRepo(t)
	if st := unborn.state(); !cmp.Equal(st, State{Branch: "trunk"}) {
		t.Errorf("unborn: %+v", st)
	}
	unborn.write("x", "")
	if st := unborn.state(); st.Count != 1 {
		t.Errorf("unborn, one file: %+v", st)
	}
}

// Repositories the proof or go-git does not cover: the answer is the same.
func TestOtherKinds(t *testing.T) {
	for name, create := range map[string]func(t *testing.T) repo{
		"sparse checkout": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("sparse-checkout", "set", "src/deep")
			return r
		},
		"sparse index": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("sparse-checkout", "set", "--cone", "--sparse-index", "src/deep")
			return r
		},
		"split index": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("update-index", "--split-index")
			return r
		},
		"sha256": func(t *testing.T) repo {
			r := emptyRepo(t, "--object-format=sha256")
			r.write("README", "read me\n")
			r.git("add", "-A")
			r.git("commit", "-qm", "x")
			return r
		},
		"separate git dir": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "apart"))
			return r
		},
		"linked": func(t *testing.T) repo {
			r := newRepo(t)
			r.git("worktree", "add", "-q", "../w", "-b", "w")
			return repo{t, filepath.Join(filepath.Dir(r.dir), "w")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := create(t)
			clean := r.state()
			if clean.Dirty || clean.Branch == "" || clean.Commit == "" {
				t.Fatalf("clean: %+v", clean)
			}
			r.write("README", "changed\n")
			st := r.state()
			if diff := cmp.Diff([]string{"README"}, st.Paths); diff != "" || st.Commit != clean.Commit || st.Branch != clean.Branch {
				t.Errorf("changed: %+v\n%s", st, diff)
			}
			r.write("README", "read me\n")
			if name != "sparse checkout" && name != "sparse index" && r.state().Dirty {
				t.Errorf("changed back: %+v", r.state())
			}
		})
	}
}

func TestSubmodule(t *testing.T) {
	r := superproject(t)
	if st := r.state(); st.Dirty {
		t.Fatalf("clean: %+v", st)
	}
	sub := repo{t, r.path("lib/sub")}
	seen := map[string]string{}
	step := func(what string, do func()) {
		do()
		st := r.state()
		if diff := cmp.Diff([]string{"lib/sub"}, st.Paths); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
		if was, ok := seen[st.Changes]; ok {
			t.Errorf("%s hashes like %s", what, was)
		}
		seen[st.Changes] = what
	}
	step("untracked file", func() { sub.write("x", "1") })
	step("its content", func() { sub.write("x", "2") })
	step("new commit", func() { sub.git("add", "x"); sub.git("commit", "-qm", "x") })
	// Hidden by configuration or not, it is part of what gets built.
	r.git("config", "submodule.lib/sub.ignore", "all")
	r.git("config", "diff.ignoreSubmodules", "all")
	step("change on top", func() { sub.write("README", "") })
}

func TestConflict(t *testing.T) {
	r := newRepo(t)
	r.git("checkout", "-q", "-b", "other")
	r.write("README", "theirs\n")
	r.git("commit", "-qam", "theirs")
	r.git("checkout", "-q", "trunk")
	r.write("README", "ours\n")
	r.git("commit", "-qam", "ours")
	cmd := exec.Command("git", "merge", "-q", "other")
	cmd.Dir = r.dir
	if err := cmd.Run(); err == nil {
		t.Fatal("no conflict")
	}
	if st := r.state(); !cmp.Equal(st.Paths, []string{"README"}) {
		t.Errorf("state: %+v", st)
	}
}

func TestManyChanges(t *testing.T) {
	r := newRepo(t)
	for i := range 250 {
		r.write(filepath.Join("many", strings.Repeat("x", i+1)), "")
	}
	for i := range 250 { // too many candidates for a command line
		r.write(strings.Repeat("y", i+1), "")
	}
	if st := r.state(); st.Count != 500 || len(st.Paths) != maxPaths {
		t.Errorf("Count = %d, %d paths", st.Count, len(st.Paths))
	}
}

func TestCancelled(t *testing.T) {
	r := newRepo(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadState(ctx, r.lane()); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadState = %v, want Canceled", err)
	}
}

// Without git a clean lane is still proven clean; anything else says what to
// install.
func TestNoGit(t *testing.T) {
	r := newRepo(t)
	l := r.lane()
	want := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	t.Setenv("PATH", t.TempDir())
	st, err := ReadState(context.Background(), l)
	if err != nil || st.Dirty || st.Commit != want {
		t.Errorf("clean: %+v, %v", st, err)
	}
	r.write("README", "changed\n")
	_, err = ReadState(context.Background(), l)
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "install git") {
		t.Errorf("dirty: %v, want what to install", err)
	}
}
