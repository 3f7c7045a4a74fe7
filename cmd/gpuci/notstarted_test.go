package main

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// A command that is none, because it is written for a shell, says how it is
// written here.
func TestNotStarted(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct {
		argv []string
		hint string
	}{
		{[]string{"nonesuch", "a"}, "look at its name and at PATH"},
		{[]string{"nonesuch build --tests"}, "leave out the quotes"},
		{[]string{"nonesuch a && nonesuch b"}, "sh -c 'nonesuch a && nonesuch b'"},
		{[]string{"NONE_1=1", "make", "-j4"}, "env NONE_1=1 make -j4"},
		{[]string{"1=1", "make"}, "look at its name and at PATH"},
		{[]string{"export", "A=b"}, "sh -c 'export A=b'"},
		{[]string{""}, "not set"},
	} {
		for _, cmd := range [][]string{{"build", "--"}, {"lock", "run", "--"}} {
			code, _, stderr := s.run(t, append(cmd, c.argv...)...)
			_, hint, _ := strings.Cut(stderr, "gpuci: hint: ")
			if code != 127 || !strings.Contains(hint, c.hint) || strings.Contains(stderr, "links") {
				t.Errorf("%q %q: exit %d, %s", cmd, c.argv, code, stderr)
			}
		}
	}
}

// What ends in a moment is not named as left behind; what stays is.
func TestLasting(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo ready; read -r line")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	stat, err := proc.Real.Stat(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	left := []proc.Stat{stat}
	if got := lasting(left, time.Millisecond); len(got) != 1 || got[0].PID != stat.PID {
		t.Errorf("one that stays: %+v", got)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if got := lasting(left, time.Minute); len(got) != 0 { // a zombie by now
		t.Errorf("one that ends: %+v", got)
	}
	if left[0].PID != stat.PID {
		t.Error("the caller's own list was changed")
	}
}
