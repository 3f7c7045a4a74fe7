package ci

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates"
)

// meeting is a gate that says that it runs and waits for word to go on, in every
// lane with a file "meet".
const meeting = `
[[gate]]
name = "unit"
run = "if test -e meet; then touch $MEET/here; until test -e $MEET/go; do sleep 0.01; done; fi; test ! -e bad"
reader = "none"
`

// meetingStage has the lane "first", whose gate waits, and then the lane "kda".
func meetingStage(t *testing.T) *laneStage {
	s := newStage(t, meeting)
	meet := t.TempDir()
	t.Setenv("MEET", meet)
	s.lane("first")
	s.commit("first", "meet", "")
	s.lane("kda")
	s.commit("kda", "own", "")
	return s
}

// during does something while the first lane's gate runs, and gives the report.
func (s *laneStage) during(work func()) Report {
	s.t.Helper()
	reports := make(chan Report, 1)
	o, said := s.options()
	go func() {
		r, err := Run(context.Background(), o)
		if err != nil {
			s.t.Errorf("night: %v\n%s", err, said)
		}
		reports <- r
	}()
	waitFor(s.t, filepath.Join(os.Getenv("MEET"), "here"))
	work()
	s.goOn()
	return <-reports
}

func (s *laneStage) goOn() {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(os.Getenv("MEET"), "go"), nil, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// TestLaneRemovedMeanwhile: also one whose turn is still to come. Their commits are
// in the repository, and are what the night is about.
func TestLaneRemovedMeanwhile(t *testing.T) {
	s := meetingStage(t)
	r := s.during(func() {
		s.git(s.dir, "worktree", "remove", "--force", s.root("first"))
		if err := os.RemoveAll(s.root("kda")); err != nil {
			t.Fatal(err)
		}
	})
	want := []string{"first unit: ran green", "kda unit: ran green", "main unit: ran green"}
	if d := cmp.Diff(want, cells(r)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	s.clean()
}

// TestBranchMovedMeanwhile: a branch that moves after the lanes were listed is
// tested where it was, and nothing that somebody does in a lane is in our way, nor
// we in theirs: their index.lock stays theirs.
func TestBranchMovedMeanwhile(t *testing.T) {
	s := meetingStage(t)
	was := s.head("kda")
	lock := filepath.Join(s.dir, ".git", "worktrees", "kda", "index.lock")
	r := s.during(func() {
		s.commit("kda", "bad", "")
		s.commit("first", "bad", "")
		if err := os.WriteFile(lock, []byte("somebody's"), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	if l := mustLane(t, r, "kda"); l.Commit != was || mustCell(t, r, "kda", "unit").Outcome != gates.Green {
		t.Errorf("kda was tested at %s: %q; the plan has %s", l.Commit, cells(r), was)
	}
	if got, err := os.ReadFile(lock); err != nil || string(got) != "somebody's" {
		t.Errorf("somebody's index.lock is %q: %v", got, err)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	s.clean()
}

// TestTwoNights: the second says who runs, and comes to nothing. Runs of named lanes
// go beside a night.
func TestTwoNights(t *testing.T) {
	s := meetingStage(t)
	r := s.during(func() {
		o, _ := s.options()
		_, err := Run(context.Background(), o)
		busy := as[*BusyError](t, err)
		if busy.Who.PID != os.Getpid() || busy.Who.Since.IsZero() || busy.Who.User == "" || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
			t.Errorf("who runs is said to be %+v: %v", busy.Who, err)
		}
		o, _ = s.options()
		o.Lanes = []string{"kda"}
		if beside, err := Run(context.Background(), o); err != nil || len(beside.Lanes) != 1 {
			t.Errorf("beside a night: %+v, %v", beside, err)
		}
	})
	if c := mustCell(t, r, "kda", "unit"); c.State != Stands && c.State != Ran {
		t.Errorf("what was run beside it: %q", cells(r))
	}
	s.night() // the lock is free again
}

// TestSignal: what runs ends as by a signal, the journal says so, the scratch lane
// is gone, and the night can be resumed: but for a commit that is gone.
func TestSignal(t *testing.T) {
	s := meetingStage(t)
	gone := s.head("kda")
	cmd := s.child()
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, filepath.Join(os.Getenv("MEET"), "here"))
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	var r Report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil || cmd.ProcessState.ExitCode() != gates.ExitTerminated {
		t.Fatalf("after SIGTERM: exit %d, %v", cmd.ProcessState.ExitCode(), err)
	}
	if d := cmp.Diff([]string{"first unit: not run", "kda unit: not run", "main unit: ran green"}, cells(r)); d != "" {
		t.Errorf("stopped: -want +got\n%s", d)
	}
	lines, _, err := readJournal(r.Dir)
	if err != nil || lines[len(lines)-1].Type != stopped || r.Stopped == "" {
		t.Errorf("the journal ends with %+v, %v", lines[len(lines)-1], err)
	}
	s.clean()

	s.git(s.root("kda"), "reset", "-q", "--hard", "HEAD~1")
	s.git(s.dir, "-c", "gc.reflogExpire=now", "-c", "gc.reflogExpireUnreachable=now", "-c", "core.logAllRefUpdates=false", "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
	s.git(s.dir, "update-ref", "-d", "ORIG_HEAD")
	s.git(s.root("kda"), "update-ref", "-d", "ORIG_HEAD")
	s.git(s.dir, "prune", "--expire=now")
	if err := exec.Command("git", "-C", s.dir, "cat-file", "-e", gone).Run(); err == nil {
		t.Fatal("the commit is still there")
	}
	s.goOn()
	again := s.night(func(o *Options) { o.Resume = true })
	if again.Night != r.Night || again.Stopped != "" {
		t.Errorf("resumed as night %s (%s), want %s", again.Night, again.Stopped, r.Night)
	}
	if d := cmp.Diff([]string{"first unit: ran green", "main unit: ran green"}, cells(again)); d != "" {
		t.Errorf("resumed: -want +got\n%s", d)
	}
	if l := mustLane(t, again, "kda"); !strings.Contains(l.Why, "is gone from the repository") || l.Exit != gates.Broken.ExitCode() {
		t.Errorf("a commit that is gone: %q, exit %d", l.Why, l.Exit)
	}
	o, _ := s.options()
	o.Resume = true
	if _, err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("resumed once more: %v", err)
	}
}
