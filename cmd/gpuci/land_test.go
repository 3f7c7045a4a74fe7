package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/ci"
)

// landStage is a repository with a lane main and others whose commits are landed;
// its one gate waits until somebody opens and closes a FIFO.
type landStage struct {
	stage
	fifo string
}

func newLandStage(t *testing.T, lanes ...string) landStage {
	t.Helper()
	needsGit(t)
	s := landStage{stage: newStage(t)}
	s.env = append(s.env, "XDG_CACHE_HOME="+filepath.Join(filepath.Dir(s.dir), "cache"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	s.fifo = filepath.Join(filepath.Dir(s.dir), "go")
	if err := unix.Mkfifo(s.fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	s.dir = filepath.Join(s.dir, "repo")
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.gate(t, "cat "+s.fifo)
	s.git(t, "init", "-q", "-b", "main", ".")
	s.git(t, "add", "-A")
	s.git(t, "commit", "-qm", "base")
	for _, lane := range lanes {
		s.git(t, "worktree", "add", "-q", "../"+lane)
		s.commit(t, lane, lane)
	}
	return s
}

func needsGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		needsTool(t, "git")
	}
}

func (s landStage) gate(t *testing.T, run string) {
	t.Helper()
	s.write(t, "gpuci.toml", fmt.Sprintf("[[gate]]\nname = 'unit'\nrun = %q\nreader = 'none'\n", run))
}

func (s landStage) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits a file of its own in a lane.
func (s landStage) commit(t *testing.T, lane, name string) {
	t.Helper()
	s.write(t, "../"+lane+"/"+name+".txt", name)
	s.git(t, "-C", "../"+lane, "add", "-A")
	s.git(t, "-C", "../"+lane, "commit", "-qm", name)
}

// release lets the gate that waits at the FIFO go on; it waits for one to come.
func (s landStage) release(t *testing.T) {
	t.Helper()
	for late := time.Now().Add(longest); ; time.Sleep(5 * time.Millisecond) {
		f, err := os.OpenFile(s.fifo, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err == nil {
			_ = f.Close()
			return
		}
		if time.Now().After(late) {
			t.Fatalf("no gate came to the FIFO: %v", err)
		}
	}
}

// log are the subjects on main, the newest first.
func (s landStage) log(t *testing.T) string {
	t.Helper()
	return strings.ReplaceAll(s.git(t, "log", "--format=%s", "main"), "\n", " ")
}

// clean fails where main's lane is otherwise than main, or a scratch lane is left.
func (s landStage) clean(t *testing.T) {
	t.Helper()
	if out := s.git(t, "status", "--porcelain"); out != "" {
		t.Errorf("lane main is not clean: %s", out)
	}
	if out := s.git(t, "worktree", "list"); strings.Contains(out, "scratch") {
		t.Errorf("a scratch lane is left: %s", out)
	}
}

// landing is a gpuci that lands, at work.
type landingNow struct {
	*exec.Cmd
	stderr *listener
	stdout strings.Builder
}

func (s landStage) land(t *testing.T, args ...string) *landingNow {
	t.Helper()
	r := &landingNow{Cmd: s.command(t, append([]string{"worktrees", "land", "--json"}, args...)...), stderr: newListener()}
	r.Stderr, r.Stdout = r.stderr, &r.stdout
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Process.Kill() })
	return r
}

// end waits for the end, and reads what came of it.
func (r *landingNow) end(t *testing.T) (l ci.Landing) {
	t.Helper()
	_ = r.Wait()
	for line := range strings.Lines(r.stdout.String()) {
		if strings.HasPrefix(line, `{"type":"landing"`) {
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code := r.ProcessState.ExitCode(); code != l.Exit || l.Type == "" {
		t.Fatalf("exit %d, %+v, %s", code, l, r.stderr.String())
	}
	return l
}

// Landings queue: first come, first served, and lane and base are read when it is
// their turn.
func TestLandQueues(t *testing.T) {
	s := newLandStage(t, "kda", "mlp")
	first := s.land(t, "kda")
	first.stderr.hear(t, "gate unit")
	second := s.land(t, "mlp")
	second.stderr.hear(t, "waiting for the lock landing-")
	if text := second.stderr.String(); !strings.Contains(text, "1st in line") || !strings.Contains(text, "gpuci worktrees land kda") {
		t.Errorf("said %q", text)
	}
	busy := s.land(t, "kda", "--wait", "0s")
	if _ = busy.Wait(); busy.ProcessState.ExitCode() != 75 {
		t.Errorf("--wait 0s: exit %d, %s", busy.ProcessState.ExitCode(), busy.stderr.String())
	}
	s.commit(t, "mlp", "late")
	s.release(t)
	if l := first.end(t); l.Outcome != ci.Landed || l.Replayed || l.In != "main" {
		t.Errorf("first: %+v", l)
	}
	s.release(t)
	if l := second.end(t); l.Outcome != ci.Landed || !l.Replayed || l.Commits != 2 {
		t.Errorf("second: %+v", l)
	}
	if got := s.log(t); got != "late mlp kda base" {
		t.Errorf("main is %s", got)
	}
	s.clean(t)
}

// A base that somebody moves meanwhile: all begins again, three times at most.
func TestLandBaseMoved(t *testing.T) {
	s := newLandStage(t, "kda")
	r := s.land(t, "kda")
	r.stderr.hear(t, "gate unit")
	s.commit(t, "repo", "by-hand")
	s.release(t)
	r.stderr.hear(t, "main was moved by somebody else meanwhile")
	s.release(t)
	if l := r.end(t); l.Outcome != ci.Landed || l.Tries != 2 || len(l.Gates) != 1 {
		t.Errorf("%+v", l)
	}
	if got := s.log(t); got != "kda by-hand base" {
		t.Errorf("main is %s", got)
	}
	s.clean(t)

	s.commit(t, "kda", "again")
	r = s.land(t, "kda")
	for n := range 3 {
		for strings.Count(r.stderr.String(), "gate unit") <= n {
			time.Sleep(5 * time.Millisecond) // its words come in pieces
		}
		s.commit(t, "repo", fmt.Sprint("hand-", n))
		s.release(t)
	}
	if l := r.end(t); l.Outcome != ci.Refused || l.Exit != 75 || l.Tries != 3 {
		t.Errorf("%+v", l)
	}
	if got := s.log(t); !strings.HasPrefix(got, "hand-2 hand-1 hand-0 kda") {
		t.Errorf("main is %s", got)
	}
	s.clean(t)
}

// Ctrl-C leaves everything as it was.
func TestLandInterrupted(t *testing.T) {
	s := newLandStage(t, "kda")
	r := s.land(t, "kda")
	r.stderr.hear(t, "gate unit")
	if err := r.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if l := r.end(t); l.Exit != 130 || l.Outcome != "interrupted" {
		t.Errorf("%+v", l)
	}
	if got := s.log(t); got != "base" {
		t.Errorf("main is %s", got)
	}
	s.clean(t)
}

// Killed at any point, the next landing does what this one would have done.
func TestLandKilled(t *testing.T) {
	t.Parallel()
	s := newLandStage(t, "kda")
	s.gate(t, "true")
	s.git(t, "commit", "-qam", "quick")
	whole := 0.0
	times := 5
	if os.Getenv("GPUCI_SOAK") != "" {
		times = 100
	}
	for n := range times {
		name := fmt.Sprint("n", n)
		s.commit(t, "kda", name)
		r := s.land(t, "kda")
		if n == 0 {
			whole = r.end(t).Seconds
			continue
		}
		// Not to synchronise: where it is by then is for chance to say.
		time.Sleep(time.Duration(rand.Float64() * (whole + 0.1) * float64(time.Second)))
		_ = r.Process.Kill()
		_ = r.Wait()
		l := s.land(t, "kda").end(t)
		if l.Outcome == ci.Refused && strings.Contains(l.Why, "index.lock") { // the git of the killed one is at it yet
			l = s.land(t, "kda").end(t)
		}
		if l.Outcome != ci.Landed && l.Outcome != ci.Nothing {
			t.Fatalf("%+v", l)
		}
		if got := s.log(t); strings.Count(got+" ", name+" ") != 1 {
			t.Fatalf("main is %s", got)
		}
		s.clean(t)
	}
}
