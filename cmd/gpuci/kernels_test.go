package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// needNVCC gives the compiler of the tests.
func needNVCC(t *testing.T) string {
	t.Helper()
	c, err := toolNVCC()
	if err != nil && strict() {
		t.Fatalf("needs nvcc: %v", err)
	}
	if err != nil {
		t.Skip("needs nvcc")
	}
	return c.Path
}

// stuckHost is a host compiler that says its process id to whoever listens, once it is
// asked to compile, and then stands still.
const stuckHost = `#!/bin/sh
case " $* " in
*" -E "*scan.cu*) echo $$ > "$STUCK"; exec sleep 1000 ;;
esac
exec g++ "$@"
`

// A gpuci that is ended takes the compilers with it, and what they started, and leaves
// no scratch lane behind.
func TestKernelsEnded(t *testing.T) {
	nvcc := needNVCC(t)
	for _, args := range [][]string{{"kernels", "build"}, {"kernels", "diff", "HEAD"}} {
		t.Run(args[1], func(t *testing.T) {
			w := newWorkspace(t, "[[kernels]]\nname = 'scan'\nsources = ['scan.cu']\narch = ['sm_90']\nflags = ['-ccbin', './host']\n")
			fifo := filepath.Join(w.state, "stuck")
			if err := errors.Join(os.WriteFile(filepath.Join(w.dir, "host"), []byte(stuckHost), 0o755),
				os.WriteFile(filepath.Join(w.dir, "scan.cu"), []byte("__global__ void f() {}\n"), 0o644), unix.Mkfifo(fifo, 0o600)); err != nil {
				t.Fatal(err)
			}
			for _, git := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "one"}} {
				cmd := exec.Command("git", append([]string{"-C", w.dir, "-c", "user.name=t", "-c", "user.email=t@t"}, git...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v: %s", git, err, out)
				}
			}
			cmd := w.command(t, args...)
			cmd.Env = append(cmd.Env, "GPUCI_NVCC="+nvcc, "STUCK="+fifo, "XDG_CACHE_HOME="+w.state)
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			pid := stuckPID(t, fifo, cmd.Process)
			if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 143 {
				t.Errorf("it ended with %d: %s", code, said.String())
			}
			if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
				t.Errorf("the host compiler is still there: %v", err)
			}
			out, err := exec.Command("git", "-C", w.dir, "worktree", "list").Output()
			if err != nil || strings.Count(string(out), "\n") != 1 {
				t.Errorf("%v, left: %s", err, out)
			}
			if left, _ := filepath.Glob(filepath.Join(w.state, "gpuci", "scratch", "*", "*")); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// stuckPID waits for the host compiler to say that it stands still.
func stuckPID(t *testing.T, fifo string, gpuci *os.Process) int {
	t.Helper()
	late := time.AfterFunc(longest, func() { _ = gpuci.Kill(); unblock(fifo) })
	defer late.Stop()
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the host compiler was not called: %q", line)
	}
	return pid
}

// unblock lets whoever opens a fifo to read go on.
func unblock(fifo string) {
	if f, err := os.OpenFile(fifo, os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
		_ = f.Close()
	}
}
