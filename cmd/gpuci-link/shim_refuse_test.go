//go:build linux

package main_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gpuci/buildlock"
)

// hold takes the rig's only ticket for the length of the test.
func (r rig) hold(t *testing.T) *buildlock.Ticket {
	t.Helper()
	ticket, err := buildlock.Acquire(context.Background(), buildlock.Options{Dir: r.locks, Lock: buildlock.Link, Who: buildlock.Who{Lane: "other", Command: "cargo build"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ticket.Release() })
	return ticket
}

// TestShimRefuses: without a ticket nothing is linked, and what is said tells
// what to do.
func TestShimRefuses(t *testing.T) {
	dir := t.TempDir()
	shimFile(t, dir+"/gcc", "#!/bin/sh\necho linked\n")
	shimFile(t, dir+"/odd-clang", "#!/bin/sh\n")
	r := rigOver(t, dir+":/usr/bin:/bin")
	r.hold(t)
	if err := os.Remove(dir + "/odd-clang"); err != nil {
		t.Fatal(err)
	}
	file := shimFile(t, r.dir+"/file", "")
	for _, c := range []struct {
		line, env string
		status    int
		says      string
		links     string
	}{
		{"gcc a.o", "GPUCI_WAIT=0", 75, "gpuci lock status", "gcc timeout"},
		{"gcc a.o", "GPUCI_WAIT=30ms", 75, "lane other", "gcc timeout"},
		{"gcc a.o", "GPUCI_LOCK_DIR=" + file, 69, "lock-dir in /etc/gpuci.toml", "gcc failed"},
		{"gcc a.o", "GPUCI_WAIT=soon", 78, "GPUCI_WAIT", "gcc failed"},
		{"gcc a.o", "GPUCI_LINKS=0", 78, "GPUCI_LINKS", "gcc failed"},
		{"odd-clang -c a.c", "", 127, "real odd-clang", ""},
	} {
		status, out := r.run(t, c.line, c.env)
		if status != c.status || !strings.Contains(out, c.says) || strings.Contains(out, "linked\n") || !strings.HasPrefix(out, "gpuci-link: ") {
			t.Errorf("%s %s: exit status %d, want %d: %s", c.env, c.line, status, c.status, out)
		}
		if got := r.links(t); got != c.links {
			t.Errorf("%s %s: noted %q, want %q", c.env, c.line, got, c.links)
		}
	}
}

// TestShimPassesStatus: the exit status and the streams are the tool's own.
func TestShimPassesStatus(t *testing.T) {
	dir := t.TempDir()
	shimFile(t, dir+"/gcc", "echo no first line; echo err >&2; exit 42\n")
	shimFile(t, dir+"/ld", "#!/bin/sh\nkill -9 $$\n")
	r := rigOver(t, dir+":/usr/bin:/bin")
	if status, out := r.run(t, "gcc a.o"); status != 42 || out != "no first line\nerr\n" {
		t.Errorf("exit status %d: %q", status, out)
	}
	if status, _ := r.run(t, "ld a.o; echo $?; exit 3"); status != 3 {
		t.Errorf("exit status %d", status)
	}
	nextTicket(t, r) // the killed linker's is free
}

// TestShimSaysWait: a wait is spoken of on a terminal, and nowhere else.
func TestShimSaysWait(t *testing.T) {
	dir := t.TempDir()
	shimFile(t, dir+"/gcc", "#!/bin/sh\necho linked\n")
	r := rigOver(t, dir+":/usr/bin:/bin")
	ticket := r.hold(t)
	const line = "waiting for the link lock"
	for _, c := range []struct {
		name, line string
		env        string
		says       bool
	}{
		{"stderr is a terminal", "exec gcc a.o", "GPUCI_LINK_LOG=", true},
		{"stderr is a pipe, in the foreground", "exec gcc a.o 2>&- 2>piped", "GPUCI_LINK_LOG=", true},
		{"somebody watches", "exec gcc a.o", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := r.onTerminal(t, c.line, c.env)
			if strings.Contains(out, line) != c.says {
				t.Errorf("it says %q", out)
			}
			if piped, _ := os.ReadFile(r.dir + "/piped"); bytes.HasPrefix(piped, []byte("gpuci-link: "+line)) {
				t.Errorf("the pipe got %q", piped)
			}
		})
	}
	t.Run("no terminal", func(t *testing.T) {
		cmd := exec.Command(r.shims.Path+"/gcc", "a.o")
		cmd.Env = append(r.env[:len(r.env):len(r.env)], "GPUCI_LINK_LOG=", "GPUCI_WAIT=100ms")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, _ := cmd.CombinedOutput()
		if bytes.HasPrefix(out, []byte("gpuci-link: "+line)) || !bytes.Contains(out, []byte("not linked")) {
			t.Errorf("it says %q", out)
		}
	})
	if err := ticket.Release(); err != nil {
		t.Fatal(err)
	}
}

// onTerminal runs a line of sh on a terminal until its wait runs out.
func (r rig) onTerminal(t *testing.T, line, env string) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Dir = r.dir
	cmd.Env = append(r.env[:len(r.env):len(r.env)], "GPUCI_WAIT=100ms")
	if env != "" {
		cmd.Env = append(cmd.Env, env)
	}
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	out, err := io.ReadAll(tty) // EIO is the end of a terminal
	if err != nil && !errors.As(err, new(*os.PathError)) {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 75 {
		t.Fatalf("%v: %s", err, out)
	}
	// What tells that it gave up says it too; only what came before counts.
	text, _, _ := strings.Cut(string(out), "not linked")
	return text
}
