package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// A gpuci that is killed does not free a lock whose work goes on.
func TestLockRunKilled(t *testing.T) {
	s := newStage(t)
	r := s.start(t, "ready", "lock", "run", "--", "sh", "-c", "echo $$ > pid; echo ready >&2; exec sleep 3600 2> log")
	sleeper := s.pid(t, "pid")
	defer removeLeaf(r.Process.Pid)
	defer func() { _ = syscall.Kill(sleeper, syscall.SIGKILL) }()
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()
	code, _, stderr := s.run(t, "lock", "run", "--no-wait", "--", "true")
	keeper := "still open in sleep (pid " + strconv.Itoa(sleeper)
	if code != 75 || !strings.Contains(stderr, keeper) {
		t.Fatalf("exit %d, stderr %q, want 75 and %q", code, stderr, keeper)
	}
	if _, stdout, _ := s.run(t, "lock", "status"); !strings.Contains(stdout, keeper) || !strings.Contains(stdout, "1 kept") {
		t.Errorf("status does not name the keeper: %s", stdout)
	}
	found := s.tickets(t)
	if len(found) != 1 || found[0].State != buildlock.StateKept || len(found[0].Keepers) != 1 || found[0].Keepers[0].PID != sleeper {
		t.Errorf("status --json: %+v", found)
	}
	waiter := s.start(t, "waiting for the build lock", "lock", "run", "--", "true")
	if err := syscall.Kill(sleeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := waiter.end(); code != 0 {
		t.Errorf("after the keeper's end: exit %d", code)
	}
}

// A signal to gpuci ends the whole tree, and then the lock is free.
func TestLockRunSignals(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 143} {
		t.Run(sig.String(), func(t *testing.T) {
			if signal.Ignored(sig) {
				t.Skip("this signal is ignored here (nohup), and gpuci leaves it so")
			}
			s := newStage(t)
			r := s.start(t, "ready", "lock", "run", "--", "sh", "-c", "trap 'echo tidy >&2; exit 0' TERM; sleep 3600 & echo $! > pid; echo ready >&2; wait")
			if err := r.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = r.Wait()
			if code := r.ProcessState.ExitCode(); code != want || !strings.Contains(r.stderr.String(), "tidy") {
				t.Errorf("exit %d, want %d; stderr %q", code, want, r.stderr.String())
			}
			if processRuns(s.pid(t, "pid")) {
				t.Error("the command's child is still alive")
			}
			s.mustBeFree(t)
		})
	}
}

// One that waits in line goes away at a signal, and leaves no place behind.
func TestLockRunSignalWaiting(t *testing.T) {
	s := newStage(t)
	s.holdBuild(t)
	r := s.start(t, "waiting for the build lock", "lock", "run", "--", "true")
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _ = r.Wait(); r.ProcessState.ExitCode() != 143 {
		t.Errorf("exit %d, want 143", r.ProcessState.ExitCode())
	}
	if found := s.tickets(t); len(found) != 1 || found[0].State != buildlock.StateHolds {
		t.Errorf("the queue is %+v", found)
	}
}

// Ctrl-C at a terminal ends the command and frees the lock; the command had the
// terminal itself.
func TestLockRunTerminal(t *testing.T) {
	s := newStage(t)
	cmd := s.command(t, "lock", "run", "--", "sh", "-c", "[ -t 0 ] && [ -t 1 ] && echo a terminal; exec sleep 3600")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	defer func() { _ = cmd.Process.Kill() }()
	heard := newListener()
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := terminal.Read(buf)
			_, _ = heard.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	heard.hear(t, "a terminal")
	if _, err := terminal.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit %d, want 130", cmd.ProcessState.ExitCode())
	}
	s.mustBeFree(t)
}

// removeLeaf takes away the empty cgroup that a killed gpuci leaves.
func removeLeaf(pid int) {
	found, _ := filepath.Glob(filepath.Join(proc.LeafParent(), "gpuci-"+strconv.Itoa(pid)+"-*"))
	for _, dir := range found {
		_ = os.Remove(dir)
	}
}
