package main

import (
	"os"
	"syscall"
	"testing"
	"time"

	"gpuci/gates"
)

const flooding = `
[[gate]]
name = "flood"
run = "yes | head -c 300000000"
reader = "none"

[[gate]]
name = "limit"
run = "head -c 2000000 /dev/zero; sleep 3600"
timeout = "1s"
grace = "1s"
reader = "none"
`

// heldStderr starts a gate whose stderr nobody reads, as behind a stopped
// pager.
func heldStderr(t *testing.T, gate string) (workspace, *os.Process, <-chan int) {
	t.Helper()
	w := newWorkspace(t, flooding)
	cmd := w.command(t, "gate", gate)
	r, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	cmd.Stderr = pw
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = pw.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	code := make(chan int, 1)
	go func() {
		_ = cmd.Wait()
		code <- cmd.ProcessState.ExitCode()
	}()
	return w, cmd.Process, code
}

func wantExit(t *testing.T, code <-chan int, want int) {
	t.Helper()
	select {
	case got := <-code:
		if got != want {
			t.Errorf("exit %d, want %d", got, want)
		}
	case <-time.After(longest):
		t.Fatal("gpuci did not end: it waits for a reader that does not read")
	}
}

// Ctrl-C twice ends gpuci though its stderr is held.
func TestHeldStderrSignals(t *testing.T) {
	t.Parallel()
	w, p, code := heldStderr(t, "flood")
	time.Sleep(300 * time.Millisecond) // until the pipe is full; if it is not yet, nothing is held
	for range 2 {
		if err := p.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	wantExit(t, code, 130)
	if v := w.verdict(t); v.Outcome != gates.Interrupted {
		t.Errorf("recorded %s", v.Outcome)
	}
}

// A time limit holds though nobody reads what it is said about.
func TestHeldStderrTimeLimit(t *testing.T) {
	t.Parallel()
	w, _, code := heldStderr(t, "limit")
	wantExit(t, code, 124)
	v := w.verdict(t)
	if v.Outcome != gates.OutOfTime {
		t.Errorf("recorded %s", v.Outcome)
	}
	// What the child could write before it was held is in the log: more than
	// a pipe of a mebibyte, which would be lost if nobody emptied it.
	if info, err := os.Stat(v.Log); err != nil || info.Size() <= 1<<20 {
		t.Errorf("the log is %v, %v", info.Size(), err)
	}
}
