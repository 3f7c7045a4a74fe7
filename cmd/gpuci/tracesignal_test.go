package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gpuci/kernels/trace/tracetest"
)

// saving is a program that has a checkpoint to write when it is interrupted: it does so when its
// stdin ends.
const saving = `trap 'echo saving >&2; while read line; do :; done; echo saved >&2; exit 5' INT TERM; echo ready >&2; while :; do sleep 0.05; done`

// One Ctrl-C is the program's to answer, for as long as it takes, and so is how it ends.
func TestTraceInterrupted(t *testing.T) {
	s := traced(t)
	r := s.start(t, "ready", "trace", "-o", "rec", "--", "sh", "-c", saving)
	if err := r.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	r.stderr.hear(t, "saving")
	if code := r.end(); code != 5 || !strings.Contains(r.stderr.String(), "saved") {
		t.Errorf("exit %d, want 5: %s", code, r.stderr.String())
	}
	if m := s.run1(t); m.Code != 5 || m.Ended.IsZero() {
		t.Errorf("it was written down as %+v", m)
	}
}

// At a terminal the program gets a Ctrl-C from there, and none from us.
func TestTraceInterruptedTerminal(t *testing.T) {
	s := traced(t)
	cmd := s.command(t, "trace", "-o", "rec", "--", "sh", "-c", `n=0; trap 'n=$((n+1)); echo "got $n"' INT; echo ready; until [ -e go ]; do sleep 0.05; done; exit $n`)
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	defer func() { _ = cmd.Process.Kill() }()
	heard := newListener()
	go copyTo(heard, terminal)
	heard.hear(t, "ready")
	_, _ = terminal.WriteString("\x03")
	heard.hear(t, "got 1")
	heard.hear(t, "once more ends it at once")
	s.write(t, "go", "")
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit %d, want 1, for one signal: %q", cmd.ProcessState.ExitCode(), heard.String())
	}
}

// A second one ends a program that does not.
func TestTraceInterruptedTwice(t *testing.T) {
	s := traced(t)
	r := s.start(t, "ready", "trace", "-o", "rec", "--", "sh", "-c", `trap 'echo no >&2' INT TERM; echo $$ > pid; echo ready >&2; while :; do sleep 0.05; done`)
	for range 2 {
		if err := r.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		r.stderr.hear(t, "no")
	}
	_ = r.Wait()
	if code := r.ProcessState.ExitCode(); code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit %d, want 137: %s", code, r.stderr.String())
	}
	if processRuns(s.pid(t, "pid")) {
		t.Error("the program is still alive")
	}
	if m := s.run1(t); m.Signal != "SIGKILL" {
		t.Errorf("it was written down as %+v", m)
	}
}

// TERM asks the program to end, with all that it started.
func TestTraceTerminated(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   int
	}{
		"answers": {`trap 'exit 6' TERM; echo ready >&2; while :; do sleep 0.05; done`, 6},
		"plain":   {`echo ready >&2; exec sleep 3600`, 143},
	} {
		t.Run(name, func(t *testing.T) {
			s := traced(t)
			r := s.start(t, "ready", "trace", "-o", "rec", "--", "sh", "-c", c.script)
			if err := r.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if _ = r.Wait(); r.ProcessState.ExitCode() != c.want {
				t.Errorf("exit %d, want %d: %s", r.ProcessState.ExitCode(), c.want, r.stderr.String())
			}
		})
	}
}

// A recording can be read while the program runs, and when gpuci was killed and could not
// say how it ended.
func TestTraceUnfinished(t *testing.T) {
	s := traced(t)
	box := tracetest.Start(t, tracetest.Options{})
	s.env = append(s.env, box.Env()...)
	script := box.Program() + " " + box.Script("init", "launch gemm 1 32", "launch gemm 1 32") + "; echo $$ > pid; echo ready >&2; read line"
	r := s.start(t, "ready", "trace", "--", "sh", "-c", script)
	s.wantState(t, "it runs", "2 launches")
	if err := r.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.Wait()
	defer removeLeaf(r.Process.Pid)
	defer func() { _ = syscall.Kill(s.pid(t, "pid"), syscall.SIGKILL) }()
	s.wantState(t, "gpuci was killed", "its end was not seen")
}

// wantState holds the list, and the report of the newest recording, against texts.
func (s stage) wantState(t *testing.T, state, report string) {
	t.Helper()
	if code, out, errs := s.run(t, "trace", "list"); code != 0 || !strings.Contains(out, state) {
		t.Errorf("list: exit %d, %s%s, want %q", code, out, errs, state)
	}
	if code, out, errs := s.run(t, "trace", "report"); code != 0 || !strings.Contains(out, report) {
		t.Errorf("report: exit %d, %s%s, want %q", code, out, errs, report)
	}
}
