package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/buildlock/links"
	"gpuci/buildlock/shim"
)

// A wrapper that lets no file through to its linker holds the ticket itself: the
// linker is not past the shims, whatever its own files show.
func TestLinkersBelowPython(t *testing.T) {
	s := newStage(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		needsTool(t, "python3")
	}
	ld, script, _ := s.slowLink(t)
	d, err := shim.Install{Program: s.linkProgram(t), Env: s.env}.Make()
	if err != nil {
		t.Fatal(err)
	}
	wrapper := "#!" + python + "\nimport subprocess, sys\nsys.exit(subprocess.call(['" + ld + "'] + sys.argv[1:]))\n"
	if err := os.MkdirAll(filepath.Join(s.dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write(t, "bin/ld", wrapper)
	if err := os.Chmod(filepath.Join(s.dir, "bin", "ld"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, _ := shim.Lookup(s.env, "PATH")
	env := d.Environ(shim.With(s.env, "PATH", filepath.Join(s.dir, "bin")+":"+path), shim.Values{LockDir: s.locks, Build: "ours"})
	p := linking(t, s, script, env, "ld", "-T", script)
	list, err := buildlock.Tickets(context.Background(), s.locks, buildlock.Link)
	if err != nil || len(list) != 1 || list[0].PID == linkerOf(t, p) {
		t.Fatalf("the wrapper has no ticket: %+v, %v", list, err)
	}
	if sum := lookThrice(s, p); len(sum.Past) != 0 {
		t.Errorf("the end says %s", sum)
	}
	code, stdout, stderr := s.run(t, "lock", "status") // others of this machine may link, too
	if _, open, _ := strings.Cut(stdout, "linkers without a ticket: "); code != 0 || strings.Contains(open, fmt.Sprintf("pid %d", linkerOf(t, p))) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// The ticket of a link at work is removed by its file: the next one does not
// wait, and the end says so.
func TestBuildTicketRemoved(t *testing.T) {
	s := newStage(t)
	_, script, let := s.slowLink(t)
	r := s.start(t, "ready", "build", "--", "sh", "-c", "echo ready >&2; exec ld -T "+script)
	for late := time.Now().Add(longest); ; time.Sleep(5 * time.Millisecond) {
		list, err := buildlock.Tickets(context.Background(), s.locks, buildlock.Link)
		if err != nil || time.Now().After(late) {
			t.Fatalf("there is no link: %v", err)
		}
		if len(list) == 1 && list[0].State == buildlock.StateHolds {
			break
		}
	}
	found, err := filepath.Glob(filepath.Join(s.locks, string(buildlock.Link), "0*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("tickets: %q, %v", found, err)
	}
	if err := os.Remove(found[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := buildlock.Acquire(context.Background(), buildlock.Options{Dir: s.locks}); err != nil {
		t.Fatalf("the next one waits: this proves nothing: %v", err)
	}
	time.Sleep(time.Second) // room for a few looks
	let()
	_ = r.end()
	if text := r.stderr.String(); !strings.Contains(text, links.RemovedText) {
		t.Errorf("said %q, want %q", text, links.RemovedText)
	}
}

// A build of root's counts the links that it makes as another user.
func TestBuildLinksOfAnother(t *testing.T) {
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := newStage(t)
	if _, err := exec.LookPath("ld"); err != nil {
		needsTool(t, "ld")
	}
	s.write(t, "x.o", "") // which is no object: the link fails
	s.write(t, "file", "")
	cmd := s.command(t, slices.Concat([]string{"build", "--"}, as, []string{"ld", "x.o"})...)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+filepath.Join(s.dir, "file"), "TMPDIR="+s.dir) // a temporary journal
	if _, _, stderr := runCommand(t, cmd); !strings.Contains(stderr, "gpuci: 1 link under a ticket, none seen without; ") {
		t.Errorf("%s", stderr)
	}
}
