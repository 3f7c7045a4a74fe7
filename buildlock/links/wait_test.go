package links

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
)

// Links of ours cannot get in line: whoever has the gate is named, and the time
// is not ours.
func TestWaitAtTheGate(t *testing.T) {
	flock, err := exec.LookPath("flock")
	needs(t, err == nil, "flock")
	dir := filepath.Join(t.TempDir(), "locks")
	_ = ours(t, dir).Release()
	var pids []int
	for range 2 {
		cmd := exec.Command(flock, filepath.Join(dir, "link", "gate"), "sleep", "600")
		cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL); _ = cmd.Wait() })
		pids = append(pids, cmd.Process.Pid)
	}
	for late := time.Now().Add(time.Minute); len(buildlock.GateOf(dir, buildlock.Link).Waiters) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("nobody waits at the gate")
		}
	}
	waiter := buildlock.GateOf(dir, buildlock.Link).Waiters[0]
	holder := pids[1-slices.Index(pids, waiter)]
	for name, c := range map[string]struct {
		pid   int
		looks int
		want  int
	}{"ours": {waiter, 15, 1}, "another's": {os.Getpid(), 8, 0}} {
		w := &Watch{Build: "ours", LockDir: dir}
		said := w.looks(c.looks, func(int) []proc.Stat { return []proc.Stat{stat(t, c.pid)} })
		if len(said) != c.want || c.want > 0 && !strings.Contains(said[0], fmt.Sprintf("the gate of the queue is held by flock (pid %d, state S)", holder)) {
			t.Errorf("%s: said %q", name, said)
		}
		if queued := w.Queued(time.Now()) > 0; queued != (c.want > 0) {
			t.Errorf("%s: waited for others: %v", name, queued)
		}
	}
}
