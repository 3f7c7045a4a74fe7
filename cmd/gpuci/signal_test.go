package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/gates"
)

const polite = `
[[gate]]
name = "polite"
run = '''
trap 'echo cleaned up >&2; exit 7' TERM
echo $$ > pid; echo ready >&2
while true; do sleep 0.05; done
'''
reader = "none"

[[gate]]
name = "stubborn"
run = '''
trap '' TERM
echo $$ > pid; echo ready >&2
while true; do sleep 0.05; done
'''
grace = "1h"
reader = "none"
`

// One signal: the gate is asked to end, gpuci says so, records it, exits with
// the signal's code, and nothing is left.
func TestSignalOnce(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 143} {
		t.Run(sig.String(), func(t *testing.T) {
			w := newWorkspace(t, polite)
			r := w.start(t, "ready", "gate", "polite", "stubborn")
			if err := r.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			code, stderr := r.wait(t)
			if code != want || !strings.Contains(stderr, "cleaned up") || !strings.Contains(stderr, "not run: stubborn") {
				t.Errorf("exit %d, want %d; stderr %q", code, want, stderr)
			}
			if !strings.HasPrefix(r.out.String(), "interrupted: polite") {
				t.Errorf("stdout %q", r.out.String())
			}
			if v := w.verdict(t); v.Outcome != gates.Interrupted || v.Exit != want || v.Command == nil {
				t.Errorf("recorded %s, exit %d, command %v", v.Outcome, v.Exit, v.Command)
			}
			if processRuns(w.pid(t, "pid")) {
				t.Error("the gate's process is still alive")
			}
		})
	}
}

// Two: at once, though the gate ignores TERM and has an hour of grace.
func TestSignalTwice(t *testing.T) {
	w := newWorkspace(t, polite)
	r := w.start(t, "ready", "gate", "stubborn")
	for range 2 {
		if err := r.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // two signals of a kind at once are one
	}
	if code, _ := r.wait(t); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
	if v := w.verdict(t); v.Outcome != gates.Interrupted {
		t.Errorf("recorded %s", v.Outcome)
	}
	if processRuns(w.pid(t, "pid")) {
		t.Error("the gate's process is still alive")
	}
}

// Whoever reads us may go away: the verdict is still reached and recorded.
func TestClosedPipes(t *testing.T) {
	w := newWorkspace(t, `
[[gate]]
name = "talks"
run = "for i in 1 2 3; do echo line $i; echo line $i >&2; sleep 0.02; done"
reader = "none"
`)
	cmd := w.command(t, "gate", "talks")
	r, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	cmd.Stdout, cmd.Stderr = pw, pw
	err = cmd.Run()
	_ = pw.Close()
	if v := w.verdict(t); v.Outcome != gates.Green {
		t.Errorf("recorded %s", v.Outcome)
	}
	// Whoever went away did not want to read it; the status is the gate's own.
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d, %v", code, err)
	}
}

// nohup means it: a hang-up that was ignored when we started stays ignored.
func TestNohup(t *testing.T) {
	w := newWorkspace(t, `
[[gate]]
name = "short"
run = "echo ready >&2; while [ ! -e go ]; do sleep 0.02; done"
reader = "none"
`)
	w.wrap = []string{"sh", "-c", `trap '' HUP; exec "$@"`, "sh"}
	r := w.start(t, "ready", "gate", "short")
	if err := r.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _ := r.wait(t); code != 0 {
		t.Errorf("exit %d, want 0", code)
	}
}
