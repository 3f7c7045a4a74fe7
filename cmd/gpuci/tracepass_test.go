package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"gpuci/buildlock/shim"
	"gpuci/kernels/trace"
)

// traced is a stage whose recordings are in it.
func traced(t *testing.T) stage {
	t.Helper()
	s := newStage(t)
	if signal.Ignored(os.Interrupt) { // in the background of a script; gpuci would ignore it as well
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, os.Interrupt)
		t.Cleanup(func() { signal.Stop(heard) })
	}
	top := filepath.Dir(s.dir)
	for _, name := range []string{"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "PYTHONUNBUFFERED"} {
		s.env = shim.Without(s.env, name)
	}
	s.env = shim.With(s.env, "XDG_STATE_HOME", filepath.Join(top, "state"))
	s.env = shim.With(s.env, "XDG_CACHE_HOME", filepath.Join(os.TempDir(), "gpuci-trace-test-"+strconv.Itoa(os.Getuid()))) // the library is compiled once
	return s
}

// A terminal stays one, and two streams that are one terminal keep their order; the size
// is that of ours, and Python is told to keep nothing back.
func TestTraceTerminal(t *testing.T) {
	s := traced(t)
	script := `test -t 1 && test -t 2 && stty size <&1; echo "step 1"; echo "step 2" >&2; printf 'step 3\rstep 4'; echo " $PYTHONUNBUFFERED"`
	cmd := s.command(t, "trace", "-o", "rec", "--step", `step (\d+)`, "--", "sh", "-c", script)
	cmd.Env = append(cmd.Env, "TERM=xterm")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 31, Cols: 97})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	heard := newListener()
	go copyTo(heard, terminal)
	if err := cmd.Wait(); err != nil {
		t.Error(err, heard.String())
	}
	heard.hear(t, "nothing was counted")
	if text := heard.String(); !strings.Contains(text, "31 97\r\nstep 1\r\nstep 2\r\nstep 3\rstep 4 1\r\n") {
		t.Errorf("the terminal has %q", text)
	}
	s.wantSteps(t, 1, 2, 3, 4)
}

// wantSteps holds what was noted in the recording "rec" against numbers.
func (s stage) wantSteps(t *testing.T, want ...int) {
	t.Helper()
	lines, err := trace.ReadSteps(filepath.Join(s.dir, "rec"))
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, l := range lines {
		got = append(got, l.Step)
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps %d, want %d", got, want)
	}
}

func copyTo(l *listener, f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		_, _ = l.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

// All that a program has written arrives, byte for byte and to its own stream, and does so
// while it runs.
func TestTracePipes(t *testing.T) {
	s := traced(t)
	r := s.start(t, "no newline", "trace", "-o", "rec1", "--step", `step (\d+)`, "--", "sh", "-c", `printf 'no newline' >&2; read line`)
	_ = r.end()
	code, stdout, _ := s.run(t, "trace", "-o", "rec", "--step", `step (\d+)`, "--", "sh", "-c", `head -c 3000000 /dev/zero | tr '\0' x; printf '\nstep 7\nend'; exit 3`)
	if want := strings.Repeat("x", 3000000) + "\nstep 7\nend"; code != 3 || stdout != want {
		t.Errorf("exit %d, %d bytes that end in %q", code, len(stdout), stdout[max(0, len(stdout)-20):])
	}
	s.wantSteps(t, 7)
}

// Two streams that are one pipe stay one: what is written first arrives first.
func TestTraceOnePipe(t *testing.T) {
	s := traced(t)
	cmd := s.command(t, "trace", "-o", "rec", "--step", `step (\d+)`, "--", "sh", "-c", `for i in 1 2 3 4 5 6 7 8 9; do echo "step $i"; echo "loss $i" >&2; done`)
	out, err := cmd.CombinedOutput()
	want := ""
	for i := 1; i < 10; i++ {
		want += fmt.Sprintf("step %d\nloss %d\n", i, i)
	}
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s", err, out)
	}
	s.wantSteps(t, 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

// A reader that closes ends the program as it does without us.
func TestTraceReaderGone(t *testing.T) {
	s := traced(t)
	cmd := s.command(t, "trace", "-o", "rec", "--step", `step (\d+)`, "--", "yes")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs := newListener()
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	_, _ = stdout.Read(make([]byte, 100))
	_ = stdout.Close()
	errs.hear(t, "nothing was counted")
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGPIPE) {
		t.Errorf("exit %d, want that of SIGPIPE; %s", cmd.ProcessState.ExitCode(), errs.String())
	}
}

// What runs on in the background has a stream open for ever: the program has ended all the
// same, and all that it wrote is there.
func TestTraceBackground(t *testing.T) {
	s := traced(t)
	code, stdout, stderr := s.run(t, "trace", "-o", "rec", "--step", `step (\d+)`, "--", "sh", "-c", `sleep 3600 & echo $! > pid; echo step 5; exit 4`)
	pid := s.pid(t, "pid")
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	if code != 4 || stdout != "step 5\n" || !strings.Contains(stderr, "left running in the background: ") {
		t.Errorf("exit %d, %q, %s", code, stdout, stderr)
	}
	if !processRuns(pid) {
		t.Error("it was ended")
	}
	s.wantSteps(t, 5)
}
