package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gpuci/buildlock/shim"
	"gpuci/pressure"

	"golang.org/x/sys/unix"
)

// needsPSI skips a test on a kernel that tells nothing.
func needsPSI(t *testing.T) {
	t.Helper()
	if r := pressure.Read(pressure.Real); r.IO.Unknown != nil || r.CPU.Unknown != nil {
		needsTool(t, "PSI: "+whyUnknown(r))
	}
}

// busyLoops keep all processors busy, and some more waiting, until the test
// ends or stop is called.
func busyLoops(t *testing.T) (stop func()) {
	t.Helper()
	var list []*exec.Cmd
	stop = func() {
		for _, c := range list {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
		list = nil
	}
	t.Cleanup(func() { stop() })
	for range max(4, runtime.NumCPU()+2) {
		c := exec.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return stop
}

// inD is the source of a process that waits in D, as one with a slow disk does,
// for as long as it is let: for a child that shares its memory, vfork(2). It
// says so on stdout; the child waits for the end of stdin.
const inD = `#include <unistd.h>
int main(void) {
	char c;
	if (vfork() == 0) {
		write(1, "ready\n", 6);
		while (read(0, &c, 1) > 0)
			;
		_exit(0);
	}
	return 0;
}
`

// compileInD makes that program under a name.
func compileInD(t *testing.T, path string) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		needsTool(t, "cc")
	}
	cmd := exec.Command("cc", "-w", "-x", "c", "-", "-o", path)
	cmd.Stdin = strings.NewReader(inD)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cc: %v: %s", err, out)
	}
}

// startInD starts the program in a directory, with files open, and returns its
// pid once it is in D.
func startInD(t *testing.T, program, dir string, files ...*os.File) int {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Dir, cmd.ExtraFiles = dir, files
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
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("it never was ready: %v", err)
	}
	return cmd.Process.Pid
}

// lanes makes a repository with a linked worktree called kda in a stage.
//
// From there on orphans go to process 1 again, and not to the tests: whoever
// started a supervised command before has made them inherit orphans.
func (s stage) lanes(t *testing.T) (main, kda string) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		needsTool(t, "git")
	}
	main, kda = filepath.Join(s.dir, "repo"), filepath.Join(s.dir, "kda")
	for _, args := range [][]string{
		{"init", "-q", main},
		{"-C", main, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "first"},
		{"-C", main, "worktree", "add", "-q", kda},
	} {
		cmd := exec.Command("git", args...)
		cmd.Env = s.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	return main, kda
}

// processes are those of a `gpuci pressure --json`, by pid, and its diagnosis.
func processes(t *testing.T, stdout string) (out map[int]processLine, d diagnosisLine) {
	t.Helper()
	out = make(map[int]processLine)
	for line := range strings.Lines(stdout) {
		var l processLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch l.Type {
		case "process":
			out[l.PID] = l
		case "diagnosis":
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				t.Fatal(err)
			}
		case "":
			t.Errorf("a line without a type: %s", line)
		}
	}
	return out, d
}

// realStage is a stage under the pressure that this machine really is under.
func realStage(t *testing.T) stage {
	t.Helper()
	s := newStage(t)
	s.env = append(s.env, shim.PressureVar+"=")
	return s
}
