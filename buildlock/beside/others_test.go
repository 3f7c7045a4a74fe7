package beside

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// inD starts a process in state D: one that has called vfork(2), which does not
// return before the child executes something or ends.
func inD(t *testing.T, bin string, attr *unix.SysProcAttr, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(bin)
	cmd.Dir = dir
	cmd.SysProcAttr = attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "in D\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for {
		s, err := proc.Real.Stat(cmd.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		if s.State == 'D' {
			return cmd
		}
	}
}

const source = `
#include <stdio.h>
#include <unistd.h>
int main(void) {
	char c;
	if (vfork() == 0) { write(1, "in D\n", 5); while (read(0, &c, 1) > 0) ; _exit(0); }
	return 0;
}
`

func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir() + "/waiter"
	cc := exec.Command("cc", "-x", "c", "-o", bin, "-")
	cc.Stdin = strings.NewReader(source)
	cc.Stderr = os.Stderr
	if err := cc.Run(); err != nil {
		t.Fatalf("needs cc: %v", err)
	}
	return bin
}

func TestWaiting(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	child := inD(t, bin, nil, dir)
	stranger := inD(t, bin, &unix.SysProcAttr{Setsid: true}, dir)
	has := func(pid int, of *exec.Cmd) bool {
		list, err := Waiting(proc.Real, pid)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(list, func(s proc.Stat) bool { return s.PID == of.Process.Pid })
	}
	if self := os.Getpid(); has(self, child) || !has(self, stranger) {
		t.Error("what is in our session is not told from what has left it")
	}
	if pid := stranger.Process.Pid; has(pid, stranger) || !has(pid, child) {
		t.Error("the stranger's own job is not told from ours")
	}
	s, _ := proc.Real.Stat(child.Process.Pid)
	if text := Text(proc.Real, []proc.Stat{s, s, s}); !strings.Contains(text, fmt.Sprintf("waiter (pid %d) in %s", s.PID, dir)) || !strings.HasSuffix(text, ", 1 other") {
		t.Errorf("text %q", text)
	}
}

// A job of a shell in a terminal is one process group; what another job of the
// same terminal does is not its own.
func TestJob(t *testing.T) {
	dir := t.TempDir()
	stat := func(pid, ppid, pgrp, session, tty int, comm string) {
		if err := os.MkdirAll(fmt.Sprintf("%s/%d", dir, pid), 0o755); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d (%s) S %d %d %d %d 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 100 0 0 0", pid, comm, ppid, pgrp, session, tty) + strings.Repeat(" 0", 27) + "\n"
		if err := os.WriteFile(fmt.Sprintf("%s/%d/stat", dir, pid), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const tty = 34816
	stat(1, 0, 1, 1, 0, "init")
	stat(10, 1, 10, 10, tty, "bash") // a terminal
	stat(11, 10, 11, 10, tty, "cargo")
	stat(12, 11, 11, 10, tty, "rustc")
	stat(13, 10, 13, 10, tty, "dd")
	stat(20, 1, 20, 20, 0, "sh") // a job of cron, or of a CI
	stat(21, 20, 20, 20, 0, "ninja")
	stat(22, 21, 22, 20, 0, "cc")    // ninja gives each a group of its own
	stat(30, 1, 30, 30, tty, "make") // ssh -t host make
	stat(31, 30, 30, 30, tty, "cc")
	for pid, want := range map[int]int{12: 11, 11: 11, 13: 13, 22: 20, 21: 20, 31: 30, 30: 30} {
		if got := Job(proc.Root(dir), pid); got.PID != want {
			t.Errorf("job of %d is %d (%s), want %d", pid, got.PID, got.Comm, want)
		}
	}
}

// An unreadable process list is no empty one.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if list, err := Waiting(proc.Root(dir+"/none"), 1); err == nil {
		t.Errorf("%v", list)
	}
	if _, err := Waiting(proc.Root(dir), 1); err == nil {
		t.Error("an empty /proc shows all processes")
	}
}
