package buildlock

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// gateHolder starts a program that takes the flock of a file and then sleeps, is
// stopped, or waits for a disk.
func gateHolder(t *testing.T, path, how string) int {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	needs(t, err == nil, "gcc")
	program := filepath.Join(t.TempDir(), "gateholder")
	if out, err := exec.Command(cc, "-pthread", "-o", program, "testdata/gateholder.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, path, how)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("it said %q, %v", line, err)
	}
	pid := cmd.Process.Pid
	soon(t, "it is as it should be", func() bool {
		s, err := proc.Real.Stat(pid)
		return err == nil && s.State == map[string]byte{"asleep": 'S', "stopped": 'T', "disk": 'S'}[how] && (busy(pid) == 'D') == (how == "disk")
	})
	return pid
}

// Whoever has the gate and waits for a slow disk there is waited for as long as
// the wait allows; who was stopped, or hangs, for a while.
func TestGateOnASlowDisk(t *testing.T) {
	for how, c := range map[string]struct {
		patience, limit time.Duration
		want            string
	}{
		"asleep":  {100 * time.Millisecond, time.Hour, "stopped or hangs"},
		"stopped": {100 * time.Millisecond, time.Hour, "state T), which is stopped or hangs"},
		"disk":    {10 * time.Millisecond, time.Second, "state D), and was not let go in 1s"},
	} {
		t.Run(how, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), gateFile)
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			pid := gateHolder(t, path, how)
			err := lockGate(t.Context(), flock.New(path, flock.SetFlag(os.O_RDWR)), c.patience, c.limit)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "gateholder (pid ") {
				t.Errorf("behind pid %d: %v, want %q", pid, err, c.want)
			}
		})
	}
}

// The wait in line is the wait at the gate.
func TestGateWithin(t *testing.T) {
	dir := lockDir(t, 1)
	_ = take(t, Options{Dir: dir}).Release()
	q, err := openQueue(dir, Link)
	if err != nil {
		t.Fatal(err)
	}
	defer q.close()
	pid := gateHolder(t, filepath.Join(q.path, gateFile), "disk")
	got := make(chan error, 1)
	go func() {
		leave, err := q.enterWithin(t.Context(), -1)
		if err == nil {
			leave()
		}
		got <- err
	}()
	soon(t, "we are seen to wait at the gate", func() bool {
		g := GateOf(dir, Link)
		return slices.Contains(g.Waiters, os.Getpid()) && strings.HasPrefix(g.Holder, "gateholder (pid ")
	})
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
	if g := GateOf(dir, Link); len(g.Waiters) != 0 {
		t.Errorf("nobody waits: %+v", g)
	}
}

// What /proc/locks says, also of locks of other kinds and other files.
func TestParseLocks(t *testing.T) {
	text := "1: POSIX  ADVISORY  WRITE 11 00:2a:7 0 EOF\n" +
		"2: FLOCK  ADVISORY  WRITE 12 00:2a:70 0 EOF\n" +
		"3: FLOCK  ADVISORY  WRITE 13 00:2a:7 0 EOF\n" +
		"3: -> FLOCK  ADVISORY  WRITE 14 00:2a:7 0 EOF\n" +
		"3: -> FLOCK  ADVISORY  READ 0 00:2a:7 0 EOF\n" +
		"3: -> FLOCK  ADVISORY  READ 15 00:2a:7 0 EOF\n"
	if holder, waiters := parseLocks(text, "00:2a:7"); holder != 13 || !slices.Equal(waiters, []int{14, 15}) {
		t.Errorf("%d, %v", holder, waiters)
	}
}

func FuzzParseLocks(f *testing.F) {
	f.Add("3: FLOCK  ADVISORY  WRITE 13 00:2a:7 0 EOF\n3: -> FLOCK  ADVISORY  WRITE 14 00:2a:7 0 EOF\n")
	f.Add("->\n: ->\n3: -> -> FLOCK")
	f.Fuzz(func(t *testing.T, text string) {
		holder, waiters := parseLocks(text, "00:2a:7")
		if holder < 0 || slices.ContainsFunc(waiters, func(pid int) bool { return pid <= 0 }) {
			t.Errorf("%q: %d, %v", text, holder, waiters)
		}
	})
}
