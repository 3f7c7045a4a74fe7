package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// stage is a directory with a lock directory and a home of its own: what a
// gpuci in it sees of a machine.
type stage struct {
	dir, locks string
	env        []string
}

func newStage(t *testing.T) stage {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{top, filepath.Dir(top)} { // another uid looks in too
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := stage{dir: filepath.Join(top, "work"), locks: filepath.Join(top, "locks")}
	for _, dir := range []string{s.dir, filepath.Join(top, "home")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.env = shim.Bare(os.Environ())
	for _, name := range []string{shim.TicketsVar, shim.LogVar, shim.LaneVar, shim.LaneRootVar, shim.CUDAHomeVar, shim.WaitVar, shim.LinksVar, shim.BuildVar, envVariable} {
		s.env = shim.Without(s.env, name)
	}
	home := filepath.Join(top, "home")
	s.env = shim.With(s.env, shim.PressureVar, pressureAt(t, filepath.Join(top, "pressure"), 0))
	s.env = append(s.env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home,
		"GPUCI_MACHINE_FILE="+filepath.Join(home, "machine.toml"), "GPUCI_LOCK_DIR="+s.locks)
	s.write(t, "../home/machine.toml", "")
	return s
}

func (s stage) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command is a gpuci that has not been started.
func (s stage) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.dir, s.env, 10*time.Second
	return cmd
}

// run runs a gpuci to its end.
func (s stage) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runCommand(t, s.command(t, args...))
}

func runCommand(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// started is a gpuci at work.
type started struct {
	*exec.Cmd
	stderr *listener
	stdin  io.WriteCloser // its end is for the command to wait for
}

// start starts a gpuci whose command waits for the end of its stdin, and
// returns when stderr has said ready.
func (s stage) start(t *testing.T, ready string, args ...string) *started {
	t.Helper()
	r := &started{Cmd: s.command(t, args...), stderr: newListener()}
	r.Stderr = r.stderr
	var err error
	if r.stdin, err = r.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.stdin.Close()
		_ = r.Process.Kill()
		_ = r.Wait()
	})
	r.stderr.hear(t, ready)
	return r
}

// end lets the command go and returns gpuci's exit code.
func (r *started) end() int {
	_ = r.stdin.Close()
	_ = r.Wait()
	return r.ProcessState.ExitCode()
}

// hold takes the link lock in the test's own process.
func (s stage) hold(t *testing.T, who buildlock.Who) *buildlock.Ticket {
	t.Helper()
	ticket, err := buildlock.Acquire(context.Background(), buildlock.Options{Dir: s.locks, Lock: buildlock.Link, Who: who})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ticket.Release() })
	return ticket
}

// holdBuild takes the build lock, in a process that is nobody's ancestor: an
// ancestor's lock is held by all below it.
func (s stage) holdBuild(t *testing.T) (release func()) {
	t.Helper()
	r := s.start(t, "at work", "lock", "run", "--", "sh", "-c", blocking)
	return func() { r.end() }
}

// mustBeFree fails unless the build lock can be had at once.
func (s stage) mustBeFree(t *testing.T) {
	t.Helper()
	if code, _, stderr := s.run(t, "lock", "run", "--no-wait", "--", "true"); code != 0 {
		t.Errorf("the build lock is not free: exit %d, %s", code, stderr)
	}
}

// pid reads a pid that a command wrote down.
func (s stage) pid(t *testing.T, name string) int {
	t.Helper()
	for late := time.After(longest); ; {
		text, _ := os.ReadFile(filepath.Join(s.dir, name))
		if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return pid
		}
		select {
		case <-late:
			t.Fatalf("no pid in %s", name)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// tickets reads the tickets out of `gpuci lock status --json`.
func (s stage) tickets(t *testing.T) (out []ticketLine) {
	t.Helper()
	code, stdout, stderr := s.run(t, "lock", "status", "--json")
	if code != 0 {
		t.Fatalf("lock status: exit %d, %s", code, stderr)
	}
	for line := range strings.Lines(stdout) {
		var l ticketLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if l.Type == "ticket" {
			out = append(out, l)
		}
	}
	return out
}

// needsTool skips a test that cannot run here, and fails it where that counts.
func needsTool(t *testing.T, what string) {
	t.Helper()
	if strict() {
		t.Fatalf("needs %s", what)
	}
	t.Skipf("needs %s", what)
}
