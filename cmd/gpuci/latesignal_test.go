package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/buildlock/shim"
)

// A Ctrl-C after the last command has ended, while the lane is looked at once more,
// stops no verdict and loses none; but the exit is that of the signal, for a script
// that called gpuci goes no further then.
func TestLateSignal(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	real, err := exec.LookPath("git")
	if err != nil {
		needsTool(t, "git")
	}
	s.write(t, "gpuci.toml", `
[[gate]]
name = "ends"
run = "echo 'gpuci:metric name=x value=1'; touch over"
reader = "none"
  [[gate.bar]]
  metric = "x"
  max = 2
`)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"}} {
		git := exec.Command(real, args...)
		git.Dir = s.dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	// The first git after the run sends the signal to who asked it.
	bin := filepath.Join(filepath.Dir(s.dir), "bin")
	script := fmt.Sprintf("#!/bin/sh\nif [ -e %[1]s/over ] && mkdir %[2]s/sent 2>/dev/null; then kill -INT $PPID; fi\nexec %[3]s \"$@\"\n", s.dir, bin, real)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = shim.With(s.env, "PATH", bin+":"+os.Getenv("PATH"))
	cmd := s.command(t, "gate", "ends")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	_ = cmd.Run()
	if _, err := os.Stat(filepath.Join(bin, "sent")); err != nil {
		t.Fatalf("no git ran after the command: nothing was tested:\n%s", &said)
	}
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d, want 130:\n%s", code, &said)
	}
	for _, want := range []string{"green: ends", "the outcome stands"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &said)
		}
	}
	if strings.Contains(said.String(), "canceled") {
		t.Errorf("something was given up on:\n%s", &said)
	}
	history := s.command(t, "history", "ends")
	if out, err := history.Output(); err != nil || !strings.Contains(string(out), "green") {
		t.Errorf("it is not in the history: %v\n%s", err, out)
	}
}
