package reaper

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// until looks at a process until it is as wanted.
func until(t testing.TB, pid int, what string, ok func(proc.Stat) bool) {
	t.Helper()
	for ctx := soon(t); ; time.Sleep(time.Millisecond) {
		s, err := proc.Real.Stat(pid)
		if err != nil {
			t.Fatalf("wait until pid %d %s: %v", pid, what, err)
		}
		if ok(s) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("pid %d never %s: %+v", pid, what, s)
		}
	}
}

// inState waits for a state.
func inState(t testing.TB, pid int, state byte) int {
	t.Helper()
	until(t, pid, "is in state "+string(state), func(s proc.Stat) bool { return s.State == state })
	return pid
}

// await waits until something is so.
func await(t testing.TB, ok func() bool) {
	t.Helper()
	for ctx := soon(t); !ok(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatal("what was waited for does not come")
		}
	}
}

// detach gives a command a session of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// ripe waits until a process is one tick old: younger ones have no age at all.
func ripe(t testing.TB, pid int) int {
	t.Helper()
	until(t, pid, "has an age", func(s proc.Stat) bool { return proc.Real.Age(s) > 0 })
	return pid
}

// lives says whether a process is there, and more than its exit status.
func lives(t testing.TB, pid int) bool {
	t.Helper()
	s, err := proc.Real.Stat(pid)
	if err != nil && !errors.Is(err, proc.ErrGone) {
		t.Fatal(err)
	}
	return err == nil && !s.Zombie()
}

// childOf is the one child of a process, once it runs a program of a name.
func childOf(t testing.TB, pid int, comm string) (child int) {
	t.Helper()
	until(t, pid, "has a child "+comm, func(proc.Stat) bool {
		table, err := proc.Real.Table()
		for _, s := range table.Below(pid) {
			if s.Comm == comm {
				child = s.PID
			}
		}
		return err == nil && child != 0
	})
	return child
}
