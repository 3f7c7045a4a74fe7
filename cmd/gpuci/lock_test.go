package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"gpuci/buildlock"
)

// blocking says at work, and then waits for the end of its stdin. Its text does
// not: others name it while they wait.
const blocking = "echo at' 'work >&2; read -r line; exit 5"

// One at a time, as flock(1): who comes second waits, or gives up as told.
func TestLockRunConflict(t *testing.T) {
	s := newStage(t)
	first := s.start(t, "at work", "lock", "run", "--", "sh", "-c", blocking)
	for _, c := range []struct {
		args []string
		code int
		say  []string
	}{
		{[]string{"--no-wait"}, 75, []string{"the build lock is taken; held by", "pid " + strconv.Itoa(first.Process.Pid), "hint: gpuci lock status"}},
		{[]string{"--wait", "300ms"}, 75, []string{"waiting for the build lock, 1st in line", "of 300ms", "gave up"}},
		{[]string{"--wait", "0s", "--conflict-exit-code", "9"}, 9, []string{"the build lock is taken"}},
		{[]string{"--name", "other", "--no-wait"}, 0, nil},
	} {
		code, stdout, stderr := s.run(t, append(append([]string{"lock", "run"}, c.args...), "--", "echo", "ran")...)
		if code != c.code || (stdout == "ran\n") != (c.code == 0) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
		for _, text := range c.say {
			if !strings.Contains(stderr, text) {
				t.Errorf("%q: stderr has no %q: %q", c.args, text, stderr)
			}
		}
	}
	second := s.start(t, "waiting for the build lock, 1st in line", "lock", "run", "--", "sh", "-c", blocking)
	if text := second.stderr.String(); !strings.Contains(text, "io full") || strings.Contains(text, "at work") {
		t.Errorf("the one that waits says %q", text)
	}
	if code := first.end(); code != 5 {
		t.Errorf("the first: exit %d, want 5", code)
	}
	second.stderr.hear(t, "at work")
	if code := second.end(); code != 5 {
		t.Errorf("the second: exit %d, want 5", code)
	}
}

// What the command leaves in the background is named and left, and the lock is
// free all the same, though it has the ticket's file open.
func TestLockRunBackground(t *testing.T) {
	s := newStage(t)
	code, _, stderr := s.run(t, "lock", "run", "--", "sh", "-c", "sleep 3600 > log 2>&1 & echo $! > pid; until grep -q sleep /proc/$!/comm; do :; done; exit 3")
	sleeper := s.pid(t, "pid")
	defer func() { _ = syscall.Kill(sleeper, syscall.SIGKILL) }()
	if want := "left running in the background: sleep (pid " + strconv.Itoa(sleeper); code != 3 || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, stderr %q, want %q", code, stderr, want)
	}
	if !processRuns(sleeper) {
		t.Error("it was not left running")
	}
	s.mustBeFree(t)
}

// Another user arrives at the same lock.
func TestLockTwoUsers(t *testing.T) {
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := newStage(t)
	r := s.start(t, "at work", "lock", "run", "--", "sh", "-c", blocking)
	other := s.command(t, "lock", "run", "--no-wait", "--", "true")
	theirs := func() *exec.Cmd {
		cmd := exec.Command(as[0], slices.Concat(as[1:], other.Args)...)
		cmd.Dir, cmd.Env = "/", s.env
		return cmd
	}
	if code, _, stderr := runCommand(t, theirs()); code != 75 || !strings.Contains(stderr, "pid "+strconv.Itoa(r.Process.Pid)+" root") {
		t.Errorf("exit %d, stderr %q; want 75", code, stderr)
	}
	if code := r.end(); code != 5 {
		t.Errorf("exit %d", code)
	}
	if code, _, stderr := runCommand(t, theirs()); code != 0 {
		t.Errorf("exit %d, stderr %q; want 0", code, stderr)
	}
}

// A holder that is stuck is declared void, on the record, and the next one goes.
func TestLockVoid(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := s.start(t, "at work", "lock", "run", "--", "sh", "-c", blocking)
	next := s.start(t, "waiting for the build lock", "lock", "run", "--", "true")
	id := s.tickets(t)[0].ID
	if code, _, stderr := s.run(t, "lock", "void", id); code != 64 || !strings.Contains(stderr, "--why") {
		t.Errorf("without a reason: exit %d, %q", code, stderr)
	}
	if code, _, stderr := s.run(t, "lock", "void", "build-999", "--why", "x"); code != 4 {
		t.Errorf("a ticket that is none: exit %d, %q", code, stderr)
	}
	if code, _, stderr := s.run(t, "lock", "void", id, "--why", "a test of it"); code != 0 {
		t.Fatalf("exit %d, %q", code, stderr)
	}
	if code := next.end(); code != 0 {
		t.Errorf("the next one: exit %d", code)
	}
	if code, stdout, _ := s.run(t, "lock", "void", id, "--why", "again"); code != 0 || !strings.Contains(stdout, "void already") {
		t.Errorf("a second time: exit %d, %q", code, stdout)
	}
	_, stdout, _ := s.run(t, "lock", "status")
	if !strings.Contains(stdout, "declared void by") || !strings.Contains(stdout, "a test of it") {
		t.Errorf("status: %s", stdout)
	}
	if code := r.end(); code != 5 {
		t.Errorf("the one that was voided: exit %d, want its own 5", code)
	}
}

// One that waits loses its place, and says by whom and why; so does a link.
func TestLockVoidWaiter(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.makefile(t, 1)
	s.holdBuild(t)
	s.hold(t, buildlock.Who{})
	for _, c := range []struct {
		waiting, comes string
		args           []string
	}{
		{"waiting for the build lock", "its command will not be run", []string{"lock", "run", "--", "true"}},
		{"waiting for the link lock", "its link will fail", []string{"build", "--", "make"}},
	} {
		waiter := s.start(t, c.waiting, c.args...)
		id := ""
		for _, e := range s.tickets(t) {
			if e.State == buildlock.StateWaits {
				id = e.ID
			}
		}
		code, stdout, stderr := s.run(t, "lock", "void", id, "--why", "a test of it")
		if code != 0 || !strings.Contains(stdout, id+" is void; it waited: "+c.comes) {
			t.Errorf("exit %d, %q, %s", code, stdout, stderr)
		}
		code = waiter.end()
		want := id + " was declared void by " + buildlock.UserName(os.Getuid()) + " while it waited: a test of it"
		if text := waiter.stderr.String(); code == 0 || !strings.Contains(text, want) {
			t.Errorf("%q: exit %d, %s", c.args, code, text)
		}
	}
}

// Nobody takes another user's place.
func TestLockVoidNotOwner(t *testing.T) {
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := newStage(t)
	ticket := s.hold(t, buildlock.Who{})
	void := s.command(t, "lock", "void", ticket.ID, "--why", "envy")
	cmd := exec.Command(as[0], slices.Concat(as[1:], void.Args)...)
	cmd.Dir, cmd.Env = "/", s.env
	if code, _, stderr := runCommand(t, cmd); code != 64 || !strings.Contains(stderr, "it belongs to root") || !strings.Contains(stderr, "hint: ask that user, or root") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
