package worktrees

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

// scratchChild says in the environment what a test binary is to do as a child.
const scratchChild = "GPUCI_TEST_SCRATCH_CHILD"

// TestScratchChild makes and removes scratch lanes, again and again, until it is
// killed. It is no test on its own.
func TestScratchChild(t *testing.T) {
	dir := os.Getenv(scratchChild)
	if dir == "" {
		t.Skip("needs a parent: TestAbandonedAfterKill")
	}
	l := find(t, filepath.Join(filepath.Dir(dir), "repo"))
	for i := 0; ; i++ {
		o := ScratchOptions{Dir: dir}
		if i%2 == 1 {
			o.Commit = "HEAD~1"
		}
		fmt.Println("making")
		s, err := NewScratch(context.Background(), l, o)
		if err != nil {
			fmt.Println("failed", err)
			return
		}
		fmt.Println("made")
		if o.Commit == "" {
			err = s.Move(context.Background(), "HEAD~1")
		}
		if err == nil {
			err = s.Remove(context.Background())
		}
		if err != nil {
			fmt.Println("failed", err)
			return
		}
	}
}

// child starts one and waits until it is at work.
func (r repo) child() (*exec.Cmd, *bufio.Scanner) {
	r.tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestScratchChild$")
	cmd.Env = append(os.Environ(), scratchChild+"="+r.scratchHome())
	out, err := cmd.StdoutPipe()
	r.check(err)
	r.check(cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "making" {
		r.tb.Fatalf("the child said %q", lines.Text())
	}
	return cmd, lines
}

func (r repo) removeAbandoned() []string {
	r.tb.Helper()
	removed, err := RemoveAbandoned(context.Background(), r.lane(), r.scratchHome())
	r.check(err)
	return removed
}

// killable is a repository whose scratch lanes take some time: submodule, changes.
func killable(t *testing.T) repo {
	r := superproject(t)
	many(r, 100)
	r.git("add", "-A")
	r.git("commit", "-qm", "many")
	r.write("src/a.go", "package z\n")
	r.write("new", "")
	noCargo(t)
	return r
}

// Wherever a gpuci is killed, in making, moving or removing, what it left is
// found and removed, from disk and from git's books; and the lane is as it was.
func TestAbandonedAfterKill(t *testing.T) {
	r := killable(t)
	before := r.untouched()
	points, left := 12, 0
	switch {
	case os.Getenv("GPUCI_SOAK") == "1":
		points = 120
	case testing.Short():
		points = 8
	}
	rng := rand.New(rand.NewPCG(5, 8))
	for point := range points {
		cmd, lines := r.child()
		timer := time.AfterFunc(time.Duration(rng.IntN(600_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for lines.Scan() {
			if said := lines.Text(); strings.HasPrefix(said, "failed") {
				t.Errorf("point %d: %s", point, said)
			}
		}
		cmd.Wait()
		timer.Stop()
		left += len(r.removeAbandoned())
		r.wantNothingLeft()
		if diff := cmp.Diff(before, r.untouched()); diff != "" {
			t.Errorf("the lane was touched: %s", diff)
		}
		if t.Failed() {
			t.Fatalf("point %d", point)
		}
	}
	if left < points/2 {
		t.Errorf("only %d of %d kills left anything: too few to say anything", left, points)
	}
}

// Two at once, and one that clears away, do not hinder each other.
func TestScratchesAtOnce(t *testing.T) {
	r := killable(t)
	l := r.lane()
	rounds := 3
	if os.Getenv("GPUCI_SOAK") == "1" {
		rounds = 40
	}
	group, ctx := errgroup.WithContext(context.Background())
	working, done := context.WithCancel(ctx)
	defer done()
	for range 2 {
		group.Go(func() error {
			for range rounds {
				s, err := NewScratch(ctx, l, ScratchOptions{Dir: r.scratchHome()})
				if err != nil {
					return err
				}
				if err := s.Remove(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	sweeper := make(chan error, 1)
	go func() {
		for working.Err() == nil {
			if removed, err := RemoveAbandoned(context.Background(), l, r.scratchHome()); err != nil || len(removed) > 0 {
				sweeper <- fmt.Errorf("removed %q: %w", removed, err)
				return
			}
		}
		sweeper <- nil
	}()
	err := group.Wait()
	done()
	if swept := <-sweeper; err != nil || swept != nil {
		t.Error(err, swept)
	}
	r.wantNothingLeft()
}

// leave makes a scratch lane and lets go of it without removing it, as a kill
// does.
func (r repo) leave() *Scratch {
	r.tb.Helper()
	s, err := r.tryScratch(ScratchOptions{})
	r.check(err)
	s.place.release()
	return s
}

// Every way in which what is left can be incomplete.
func TestRemoveAbandoned(t *testing.T) {
	for name, do := range map[string]func(r repo, s *Scratch){
		"as it was":          func(repo, *Scratch) {},
		"root gone":          func(r repo, s *Scratch) { r.check(os.RemoveAll(s.Root)) },
		"place gone":         func(r repo, s *Scratch) { r.check(os.RemoveAll(s.place.dir)) },
		"books gone":         func(r repo, s *Scratch) { r.check(os.RemoveAll(s.GitDir)) },
		"books half made":    func(r repo, s *Scratch) { halfMade(r, s, "HEAD", "commondir", "index", scratchMark) },
		"books barely there": func(r repo, s *Scratch) { halfMade(r, s, "HEAD", "commondir", "gitdir", "index", scratchMark) },
		"locked":             func(r repo, s *Scratch) { r.git("worktree", "lock", s.Root) },
		"pruned":             func(r repo, s *Scratch) { r.check(os.RemoveAll(s.Root)); r.git("worktree", "prune", "--expire=now") },
		"no .git":            func(r repo, s *Scratch) { r.check(os.Remove(filepath.Join(s.Root, ".git"))) },
		"no record yet": func(r repo, s *Scratch) {
			r.check(s.Remove(context.Background()))
			r.write("../scratch lanes/0123456789ab/lock", "")
		},
		"no lock yet": func(r repo, s *Scratch) {
			r.check(s.Remove(context.Background()))
			r.mkdir("../scratch lanes/0123456789ab")
		},
		"products": func(r repo, s *Scratch) {
			repo{r.tb, s.Target}.write("x/y", "")
			repo{r.tb, s.place.dir}.write("kept/x", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			s := r.leave()
			do(r, s)
			want := []string{s.Name}
			if strings.HasSuffix(name, " yet") { // there was none yet
				want = nil
			}
			if removed := r.removeAbandoned(); !cmp.Equal(removed, want) {
				t.Errorf("removed %q, want %q", removed, want)
			}
			r.wantNothingLeft()
			if removed := r.removeAbandoned(); len(removed) > 0 {
				t.Errorf("removed again: %q", removed)
			}
		})
	}
}

// halfMade is what git leaves that was killed on the way.
func halfMade(r repo, s *Scratch, less ...string) {
	for _, name := range less {
		r.check(os.Remove(filepath.Join(s.GitDir, name)))
	}
	r.check(os.WriteFile(filepath.Join(s.GitDir, "locked"), []byte("initializing\n"), 0o644))
}

// What is held, what is another repository's, what has no record of ours and
// what lies behind a link stays.
func TestRemoveAbandonedLeavesOthers(t *testing.T) {
	r := newRepo(t)
	held := r.scratch(ScratchOptions{})
	other := newRepo(t)
	theirs, err := other.tryScratch(ScratchOptions{Dir: r.scratchHome()})
	r.check(err)
	theirs.place.release()
	home, outside := repo{t, r.scratchHome()}, t.TempDir()
	r.check(os.WriteFile(filepath.Join(outside, "precious"), []byte("x"), 0o644))
	home.write("0123456789ab/lock", "somebody's own\n")
	home.write("0123456789ab/precious", "")
	home.write("0123456789ac/precious", "")
	home.write("0123456789ad/lock", "")
	home.write("0123456789ad/precious", "")
	home.write("precious/lock", "")
	home.symlink(outside, "0123456789ae")
	home.symlink(filepath.Join(outside, "precious"), "0123456789af/lock")
	before := map[string]string{}
	for _, dir := range []string{outside, home.dir} {
		for path, text := range (repo{t, dir}).untouched() {
			before[path] = text
		}
	}
	if removed := r.removeAbandoned(); len(removed) > 0 {
		t.Errorf("removed %q", removed)
	}
	for _, dir := range []string{outside, home.dir} {
		for path, text := range (repo{t, dir}).untouched() {
			if before[path] != text {
				t.Errorf("%s is %s, was %s", path, text, before[path])
			}
			delete(before, path)
		}
	}
	if len(before) > 0 {
		t.Errorf("gone: %v", before)
	}
	r.check(held.Remove(context.Background()))
	if removed := other.removeAbandonedIn(r.scratchHome()); len(removed) != 1 {
		t.Errorf("theirs: %q", removed)
	}
}

func (r repo) removeAbandonedIn(dir string) []string {
	r.tb.Helper()
	removed, err := RemoveAbandoned(context.Background(), r.lane(), dir)
	r.check(err)
	return removed
}

// A link that was put in the place of a root, or in it, is removed and not
// followed.
func TestRemoveFollowsNoLink(t *testing.T) {
	r := newRepo(t)
	outside := repo{t, t.TempDir()}
	outside.write("precious", "x")
	s := r.leave()
	gitFile, err := os.ReadFile(filepath.Join(s.Root, ".git"))
	r.check(err)
	outside.write(".git", string(gitFile)) // so that git takes it for the worktree
	r.check(os.RemoveAll(s.Root))
	r.check(os.Symlink(outside.dir, s.Root))
	s2 := r.leave()
	repo{t, s2.Root}.symlink(outside.dir, "src/out")
	if removed := r.removeAbandoned(); len(removed) != 2 {
		t.Errorf("removed %q", removed)
	}
	if !there(outside.path("precious")) || !there(outside.path(".git")) {
		t.Error("what the link led to is gone")
	}
	r.wantNothingLeft()
}

// The scratch lanes of a repository that is gone go with the next look.
func TestRemoveAbandonedOfGoneRepository(t *testing.T) {
	r, gone := newRepo(t), newRepo(t)
	s, err := gone.tryScratch(ScratchOptions{Dir: r.scratchHome()})
	r.check(err)
	s.place.release()
	gone.remove("")
	if removed := r.removeAbandoned(); len(removed) != 1 {
		t.Errorf("removed %q", removed)
	}
	r.wantNothingLeft()
}

// A scratch lane is removed though its maker's context was cancelled, and though
// the lane it was of is gone.
func TestRemoveAfterAll(t *testing.T) {
	r := newRepo(t)
	r.git("worktree", "add", "-q", "--detach", "../side")
	side := repo{t, filepath.Join(filepath.Dir(r.dir), "side")}
	s := side.scratch(ScratchOptions{Dir: r.scratchHome()})
	r.git("worktree", "remove", "--force", side.dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.check(s.Remove(ctx))
	r.wantNothingLeft()
	if _, err := NewScratch(ctx, r.lane(), ScratchOptions{Dir: r.scratchHome()}); err == nil {
		t.Error("made with a cancelled context")
	}
	r.wantNothingLeft()
}
