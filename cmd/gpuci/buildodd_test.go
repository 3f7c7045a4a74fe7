package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
	"gpuci/gates"
)

// A lock directory that is removed under a build cannot keep links apart any
// more; the end says so, whether a link waited in it or not.
func TestBuildLocksRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.makefile(t, 2)
	code, _, stderr := s.run(t, "build", "--", "sh", "-ec", "make m0; sleep 0.4; rm -rf $GPUCI_LOCK_DIR; sleep 0.4; make m1")
	if code != 0 || !strings.Contains(stderr, "2 links under tickets, none seen without; "+links.RemovedText) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	s.hold(t, buildlock.Who{})
	for _, name := range []string{"m0", "m1"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r := s.start(t, "waiting for the link lock", "build", "--", "make")
	if err := os.RemoveAll(s.locks); err != nil {
		t.Fatal(err)
	}
	if code := r.end(); code != 0 || !strings.Contains(r.stderr.String(), links.RemovedText) {
		t.Errorf("exit %d, %s", code, r.stderr.String())
	}
	s.write(t, "gpuci.toml", `
[[gate]]
name = "g"
run = "sleep 0.4; rm -rf $GPUCI_LOCK_DIR; sleep 0.4"
reader = "none"
`)
	if _, v, _ := s.verdict(t); !strings.Contains(strings.Join(v.Marks, "\n"), links.RemovedText) {
		t.Errorf("marks: %q", v.Marks)
	}
}

// What links past shims that are gone is not called no link at all.
func TestBuildShimsRemoved(t *testing.T) {
	s := newStage(t)
	s.makefile(t, 1)
	data := filepath.Join(s.dir, "data")
	s.env = append(s.env, "XDG_DATA_HOME="+data)
	code, _, stderr := s.run(t, "build", "--", "sh", "-ec", "rm -rf "+data+"; make")
	if code != 0 || !strings.Contains(stderr, shim.BrokenText+data) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = ['rm', '-rf', '"+data+"']\nreader = 'none'\n")
	if code, v, _ := s.verdict(t); code != 0 || !strings.Contains(strings.Join(v.Marks, "\n"), shim.BrokenText) {
		t.Errorf("exit %d, marks: %q", code, v.Marks)
	}
}

// The journal is named by the environment, which anybody can set: nothing hangs
// on it.
func TestBuildJournalFIFO(t *testing.T) {
	s := newStage(t)
	s.makefile(t, 1)
	fifo := filepath.Join(s.dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, shim.LogVar+"="+fifo)
	if code, _, stderr := s.run(t, "build", "--", "make"); code != 0 || !strings.Contains(stderr, "1 link under a ticket") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cc", "m0.c", "-o", "again")
	cmd.Path = filepath.Join(d.Path, "cc")
	cmd.Dir, cmd.Env = s.dir, d.Environ(s.env, shim.Values{})
	if code, _, stderr := runCommand(t, cmd); code != 0 {
		t.Errorf("the shim: exit %d, %s", code, stderr)
	}
}

// In a directory that was removed a command runs all the same, and what needs to
// know where it is says what to do.
func TestRemovedDirectory(t *testing.T) {
	s := newStage(t)
	for want, args := range map[string]string{
		"0 ran\n": "build -- echo ran", "0  ran\n": "lock run -- echo '' ran", "64 ": "gate x", "64  ": "config",
	} {
		dir := t.TempDir()
		cmd := exec.Command("sh", "-c", "rmdir \"$PWD\"; exec "+s.command(t).Path+" "+args)
		cmd.Dir, cmd.Env = dir, s.env
		code, stdout, stderr := runCommand(t, cmd)
		if got := fmt.Sprintf("%d %s", code, stdout); strings.TrimSpace(got) != strings.TrimSpace(want) || code == 64 && !strings.Contains(stderr, "-C") {
			t.Errorf("%s: %q, %s", args, got, stderr)
		}
	}
}

// A build waits for the build lock no longer than the configuration says.
func TestBuildSerializeWait(t *testing.T) {
	s := newStage(t)
	s.write(t, "gpuci.toml", "build = { serialize = 'build', wait = '200ms' }\n")
	s.holdBuild(t)
	code, stdout, stderr := s.run(t, "build", "--", "echo", "ran")
	if code != gates.Refused.ExitCode() || stdout != "" || !strings.Contains(stderr, "of 200ms") || !strings.Contains(stderr, "[build] wait") {
		t.Errorf("exit %d, %q, %s", code, stdout, stderr)
	}
}

// What a build that was killed leaves in TMPDIR is taken away by the next one;
// what a living one uses is not.
func TestBuildJournals(t *testing.T) {
	s := newStage(t)
	s.write(t, "file", "") // so that no build can be written down, and its journal is a temporary one
	s.env = append(s.env, "TMPDIR="+s.dir, "XDG_STATE_HOME="+filepath.Join(s.dir, "file"))
	journals := func() []string {
		found, err := filepath.Glob(filepath.Join(s.dir, "gpuci-links-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	living := s.start(t, "at work", "build", "--", "sh", "-c", blocking)
	killed := s.start(t, "ready", "build", "--", "sh", "-c", "echo $$ > pid; echo ready >&2; exec sleep 3600 2> log")
	sleeper := s.pid(t, "pid")
	defer func() { _ = syscall.Kill(sleeper, syscall.SIGKILL) }()
	defer removeLeaf(killed.Process.Pid)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if found := journals(); len(found) != 2 {
		t.Fatalf("there are %q; want one of each", found)
	}
	if code, _, stderr := s.run(t, "build", "--", "true"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if found := journals(); len(found) != 1 || !strings.Contains(found[0], fmt.Sprintf("-%d-", living.Process.Pid)) {
		t.Errorf("there are %q; want that of pid %d", found, living.Process.Pid)
	}
	if code := living.end(); code != 5 || len(journals()) != 0 {
		t.Errorf("exit %d, left: %q", code, journals())
	}
}

// A shim that waits ends at Ctrl-\\ as the tool would: by the signal, quietly.
func TestShimQuit(t *testing.T) {
	s := newStage(t)
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	if !d.Whole() || len(d.Names) == 0 {
		t.Fatalf("no shims: %+v", d)
	}
	if _, err := exec.LookPath("ld"); err != nil {
		needsTool(t, "ld")
	}
	s.hold(t, buildlock.Who{})
	cmd := exec.Command(filepath.Join(d.Path, "ld"), "x.o")
	said := newListener()
	cmd.Dir, cmd.Stderr, cmd.Env = s.dir, said, d.Environ(s.env, shim.Values{})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(time.Minute); len(s.tickets(t)) < 2; {
		if time.Now().After(late) {
			t.Fatal("it does not wait")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGQUIT || said.String() != "" {
		t.Errorf("%v, %q", cmd.ProcessState, said.String())
	}
}

// No ticket writes a line of its own into what people read.
func TestStatusOneLine(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.makefile(t, 1)
	ticket := s.hold(t, buildlock.Who{Lane: "x\nlink lock: free", Root: "\x1b[31mred", Command: "make\rlink lock: free"})
	r := s.start(t, "waiting for the link lock", "build", "--", "make")
	_, stdout, _ := s.run(t, "lock", "status")
	if code, _, stderr := s.run(t, "lock", "void", ticket.ID, "--why", "a\nb\x1b[0m"); code != 0 {
		t.Errorf("void: exit %d, %s", code, stderr)
	}
	r.end()
	_, after, _ := s.run(t, "lock", "status")
	for _, text := range []string{stdout, after, r.stderr.String()} {
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\r") || strings.Contains(text, "\nlink lock: free") || strings.Contains(text, "\ngpuci: link lock") || strings.Contains(text, "\nb") {
			t.Errorf("%q", text)
		}
	}
	if !strings.Contains(stdout, `lane x\nlink lock: free of \x1b[31mred`) || !strings.Contains(after, `: a\nb\x1b[0m`) {
		t.Errorf("%s%s", stdout, after)
	}
}
