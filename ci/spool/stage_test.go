package spool

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/worktrees"
)

// stage is a lane and a shared place, seen from the head and from nodes alike.
type stage struct {
	t       testing.TB
	dir     string // of the lane
	o       Options
	notes   []string
	tasks   int
	program string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("needs git")
	}
	for name, value := range map[string]string{"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(name, value)
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	st := &stage{t: t, dir: filepath.Join(top, "lane"), program: filepath.Join(top, "bin", "gpuci")}
	for _, dir := range []string{st.dir, filepath.Dir(st.program), filepath.Join(top, "shared"), filepath.Join(top, "scratch")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	st.write(st.program, "#!/bin/sh\n")
	st.git("init", "-q", "-b", "main")
	st.git("config", "user.name", "Test")
	st.git("config", "user.email", "test@example.org")
	st.write(filepath.Join(st.dir, "file"), "1\n")
	st.git("add", "-A")
	st.git("commit", "-qm", "first")
	lane, err := worktrees.Find(t.Context(), st.dir)
	if err != nil {
		t.Fatal(err)
	}
	st.o = Options{
		Shared: filepath.Join(top, "shared"), Night: "night-1", Here: lane, State: filepath.Join(lane.CommonDir, "gpuci"), Scratch: filepath.Join(top, "scratch"),
		Program: st.program, Version: "test", Note: func(text string) { st.notes = append(st.notes, text) },
	}
	st.o.Past = gates.NewPast(t.Context(), history.Options{State: st.o.State})
	t.Cleanup(func() { _ = st.o.Past.Close() })
	return st
}

func (st *stage) write(path, text string) {
	st.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) git(args ...string) string {
	st.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = st.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		st.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (st *stage) open() *Spool {
	st.t.Helper()
	s, err := Open(st.o)
	if err != nil {
		st.t.Fatal(err)
	}
	return s
}

// task is one of a gate that prints a number, at the commit of the lane.
func (st *stage) task() executor.Task {
	st.t.Helper()
	st.tasks++
	return executor.Task{
		Cookie: "gpuci-" + strconv.Itoa(st.tasks), Gate: config.Gate{Name: "unit", Run: []config.Command{{Argv: []string{"echo", "hello"}}}, Reader: "none", Timeout: time.Minute},
		Head: executor.Head{Lane: "main", Branch: "main", Root: st.dir, Commit: st.git("rev-parse", "HEAD"), Tree: st.git("rev-parse", "HEAD^{tree}")},
	}
}

func (st *stage) hand(s *Spool, t executor.Task) Handed {
	st.t.Helper()
	h, err := s.Hand(st.t.Context(), t, Sources)
	if err != nil {
		st.t.Fatal(err)
	}
	return h
}

var firstAttempt = Attempt{Job: "7"}

// done is a task that a node has run, with its result in the place.
func (st *stage) done(s *Spool) executor.Task {
	st.t.Helper()
	t := st.task()
	h := st.hand(s, t)
	st.deliver(st.begin(h, firstAttempt), t)
	return t
}

func (st *stage) begin(h Handed, at Attempt) *Job {
	st.t.Helper()
	j, err := Begin(h.Dir, at)
	if err != nil {
		st.t.Fatal(err)
	}
	return j
}

// deliver runs the gate of a task in a checkout, as a node does, and gives it back.
func (st *stage) deliver(j *Job, t executor.Task) {
	st.t.Helper()
	exit, err := j.Deliver(st.t.Context(), st.run(j, t))
	if err != nil || exit != 0 {
		st.t.Errorf("delivered with %d, %v", exit, err)
	}
	if err := j.Close(st.t.Context()); err != nil {
		st.t.Error(err)
	}
	if left, err := os.ReadDir(st.o.Scratch); err != nil || len(left) > 0 {
		st.t.Errorf("left on the node: %v, %v", left, err)
	}
}

func (st *stage) run(j *Job, t executor.Task) gates.Verdict {
	st.t.Helper()
	out, err := j.CheckOut(st.t.Context())
	if err != nil {
		st.t.Fatal(err)
	}
	v := gates.Run(st.t.Context(), gates.Options{Gate: t.Gate, Root: out.Root, Lane: out.Lane, As: gates.As{Lane: j.Lane, Branch: j.Branch}, State: out.State, Env: out.Env, Version: "test"})
	if v.Outcome != gates.Green {
		st.t.Fatalf("the gate is %s: %+v", v.Outcome, v.Findings)
	}
	return v
}

// runs are the ids of the runs that the history here has.
func (st *stage) runs() (ids []string) {
	st.t.Helper()
	store, err := st.o.Past.Store()
	if err != nil {
		st.t.Fatal(err)
	}
	defer store.Rest()
	for r, err := range store.Results(st.t.Context(), history.Query{}) {
		if err != nil {
			st.t.Fatal(err)
		}
		ids = append(ids, r.Run)
	}
	slices.Sort(ids)
	return ids
}
