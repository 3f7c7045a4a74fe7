package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gpuci/kernels/trace/tracetest"
)

// withGraph has a program that launches a graph, and the second time does something else.
func withGraph(t *testing.T, second string) (s stage, script string) {
	t.Helper()
	s = traced(t)
	box := tracetest.Start(t, tracetest.Options{})
	s.env = append(s.env, box.Env()...)
	play := box.Program() + " " + box.Script("init", "device 0", "begin s", "launch k 1 1 s", "finish s g", "instantiate g e", "replay e s")
	return s, "if [ -e first ]; then " + second + "; fi; : > first; " + play
}

// Ctrl-C in the second run ends it as it says itself, and gpuci as one that was interrupted.
func TestTraceABInterrupted(t *testing.T) {
	s, script := withGraph(t, `trap 'echo stopped >&2; exit 5' INT; echo ready >&2; while :; do sleep 0.05; done`)
	r := s.start(t, "ready", "trace", "-o", "rec", "--ab", "eager", "--", "sh", "-c", script)
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := r.end(); code != 130 || !strings.Contains(r.stderr.String(), "stopped") || !strings.Contains(r.stderr.String(), "the two are not compared") {
		t.Errorf("exit %d, want 130: %s", code, r.stderr.String())
	}
}

// In the first run it is that one's to answer, and there is no second.
func TestTraceABInterruptedFirst(t *testing.T) {
	s := traced(t)
	r := s.start(t, "ready", "trace", "-o", "rec", "--ab", "eager", "--", "sh", "-c", `echo run >> runs; `+saving)
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	r.stderr.hear(t, "saving")
	if code := r.end(); code != 5 || !strings.Contains(r.stderr.String(), "the first one was interrupted") {
		t.Errorf("exit %d, want 5: %s", code, r.stderr.String())
	}
	if runs, err := os.ReadFile(filepath.Join(s.dir, "runs")); err != nil || string(runs) != "run\n" {
		t.Errorf("it ran so often: %q, %v", runs, err)
	}
}

// TERM in the second run ends all that it started.
func TestTraceABTerminated(t *testing.T) {
	s, script := withGraph(t, `echo $$ > pid; echo ready >&2; exec sleep 3600`)
	r := s.start(t, "ready", "trace", "-o", "rec", "--ab", "eager", "--", "sh", "-c", script)
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _ = r.Wait(); r.ProcessState.ExitCode() != 143 {
		t.Errorf("exit %d, want 143: %s", r.ProcessState.ExitCode(), r.stderr.String())
	}
	if processRuns(s.pid(t, "pid")) {
		t.Error("the program is still alive")
	}
}
