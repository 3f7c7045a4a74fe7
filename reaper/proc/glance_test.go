package proc

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A glance brings what a child would bring, and of the process that is meant alone.
func TestGlance(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "read x", "", "two words", "new\nline", "")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	s, err := Real.Stat(settled(t, launch(t, cmd)))
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	ok := false
	for ctx := soon(t); !ok && ctx.Err() == nil; { // it may take longer on a busy machine
		args, ok = Real.Glance(ctx, s)
	}
	if !ok || !slices.Equal(args, cmd.Args) {
		t.Errorf("got %q, %t; want %q", args, ok, cmd.Args)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if args, ok := Real.Glance(over, s); ok {
		t.Errorf("a glance that was called off: got %q", args)
	}
	other, inD := s, s
	other.Start++
	inD.State = 'D'
	dead, err := Real.Stat(zombie(t))
	if err != nil {
		t.Fatal(err)
	}
	for what, s := range map[string]Stat{"an earlier bearer of the pid": other, "one in D": inD, "a zombie": dead} {
		if args, ok := Real.Glance(t.Context(), s); ok {
			t.Errorf("%s: got %q", what, args)
		}
	}
}

// One that does not answer costs a thread, and not a second one; whoever answers in
// the end is asked again. The /proc is of files, for no test can put a process into D.
func TestGlanceHangs(t *testing.T) {
	root := fixtureRoot(t, map[string]fixture{"4711": {files: map[string]string{"stat": line(4711, "x")}}})
	fifo := filepath.Join(string(root), "4711", "cmdline")
	if err := unix.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := root.Stat(4711)
	if err != nil {
		t.Fatal(err)
	}
	if args, ok := root.Glance(t.Context(), s); ok {
		t.Errorf("got %q", args)
	}
	if beginGlance(s.key()) {
		t.Error("a second thread would read of it")
	}
	for ctx := soon(t); !beginGlance(s.key()); time.Sleep(time.Millisecond) { // it is opened twice
		if fd, err := unix.Open(fifo, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
			_ = unix.Close(fd)
		}
		if ctx.Err() != nil {
			t.Fatal("the thread still waits")
		}
	}
	endGlance(s.key())
}
