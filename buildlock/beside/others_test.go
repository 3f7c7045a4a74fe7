package beside

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
	"gpuci/reaper/proc/stuckfs"
)

func TestWaiting(t *testing.T) {
	fs, err := stuckfs.Mount(t)
	if err != nil {
		needs(t, err.Error())
	}
	defer fs.Release()
	dir := t.TempDir()
	child, stranger := fs.Reader(t, dir, false), fs.Reader(t, dir, true)
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
	if text := Text(proc.Real, []proc.Stat{s, s, s}); !strings.Contains(text, fmt.Sprintf("cat (pid %d) in %s", s.PID, dir)) || !strings.HasSuffix(text, ", 1 other") {
		t.Errorf("text %q", text)
	}
}

// One that has called vfork(2) is in D for as long as its child lives, and waits
// for no disk.
func TestVfork(t *testing.T) {
	bin := t.TempDir() + "/waiter"
	cc := exec.Command("cc", "-x", "c", "-o", bin, "-")
	cc.Stdin, cc.Stderr = strings.NewReader(source), os.Stderr
	if err := cc.Run(); err != nil {
		t.Fatalf("needs cc: %v", err)
	}
	cmd := exec.Command(bin)
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
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
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "in D\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for late := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s, err := proc.Real.Stat(cmd.Process.Pid)
		switch {
		case err != nil:
			t.Fatal(err)
		case (s.State != 'D' || !NotDisk(proc.Real, s.PID)) && time.Now().Before(late):
			continue // it is on its way there
		case s.State != 'D' || !NotDisk(proc.Real, s.PID):
			channel, _ := proc.Real.WaitChannel(s.PID)
			t.Errorf("state %c in %q counts as waiting for the disk", s.State, channel)
		}
		break
	}
	list, err := Waiting(proc.Real, os.Getpid())
	if err != nil || slices.ContainsFunc(list, func(s proc.Stat) bool { return s.PID == cmd.Process.Pid }) {
		t.Errorf("%+v, %v", list, err)
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

// needs skips a test that cannot run here, and fails it where that counts.
func needs(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s", what)
	}
	t.Skipf("needs %s", what)
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
