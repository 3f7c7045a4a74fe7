package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hanging is a gpuci that writes to a pipe which nobody reads: it hangs where no
// context reaches it.
func hanging(t *testing.T, w workspace) (cmd *exec.Cmd, stderr *bufio.Scanner) {
	t.Helper()
	r, pw, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	size, err := unix.FcntlInt(pw.Fd(), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Fatal(err)
	}
	cmd = w.command(t, "config", "--reference")
	cmd.Stdout = pw
	pipe, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	_ = pw.Close()
	for end := time.Now().Add(longest); ; time.Sleep(time.Millisecond) {
		if n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ); err == nil && n >= size {
			return cmd, bufio.NewScanner(pipe)
		}
		if time.Now().After(end) {
			t.Fatal("it did not fill the pipe")
		}
	}
}

// The second signal ends also a gpuci that hangs, with the status of the first
// one, and a third does so at once.
func TestSignalWhileHanging(t *testing.T) {
	t.Parallel()
	for name, signals := range map[string][]os.Signal{
		"two":   {syscall.SIGTERM, os.Interrupt},
		"three": {os.Interrupt, os.Interrupt, syscall.SIGTERM},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, stderr := hanging(t, newWorkspace(t, polite))
			for i, s := range signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
				if i == 0 && (!stderr.Scan() || !strings.Contains(stderr.Text(), "stopping")) {
					t.Fatalf("it said %q", stderr.Text())
				}
			}
			_ = cmd.Wait()
			want := map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143}[signals[0]]
			if code := cmd.ProcessState.ExitCode(); code != want {
				t.Errorf("%v, want exit %d", cmd.ProcessState, want)
			}
		})
	}
}

// What ends by itself in time is not ended from outside.
func TestSecondSignalWaits(t *testing.T) {
	left := make(chan int, 1)
	ctx, hurry, stop := signalled{func(string) {}, time.Hour, func(code int) { left <- code }}.watch(t.Context())
	for range 2 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done() // two signals of a kind at once are one
	}
	<-hurry
	stop()
	if len(left) > 0 {
		t.Errorf("it left with %d", <-left)
	}
}
