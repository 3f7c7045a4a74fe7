package gates

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"gpuci/reaper/proc"
)

// The dead of a gate are its own, also those that were seen in its cgroup alone.
func TestMineBrief(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte("3999999\n0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := newMine(false)
	if m.is(3999999) {
		t.Error("nobody is ours")
	}
	if m.glimpse(dir); !m.is(3999999) || m.is(0) || m.is(3999998) || m.is(1) {
		t.Error("who was in the cgroup, and he alone, is ours")
	}
}

// A number that was one of the gate's own, and that a process has which is not, is that
// one's: while it lives, and when both are dead. So it is where that one had it first.
func TestMineReused(t *testing.T) {
	other := exec.Command("cat") // before the command: none of its orphans
	in, err := other.StdinPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end := func() { _ = in.Close(); _ = other.Wait() }
	t.Cleanup(end)
	pid := other.Process.Pid
	s, err := proc.Real.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	child, err := proc.Start(context.Background(), proc.Command{Argv: []string{"sleep", "600"}, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.End(proc.Limits{}, nil) })
	own := child.Identity

	sets := map[string]*mine{"listed": newMine(false), "seen in the cgroup": newMine(false), "listed by a command that is over": newMine(false), "had before": newMine(false)}
	sets["listed"].own[pid] = s.Start - 1
	sets["seen in the cgroup"].brief[pid] = true
	sets["listed by a command that is over"].own[pid] = s.Start - 1
	for name, m := range sets {
		if name != "listed by a command that is over" {
			m.follow(child)
			defer m.leaveOff(child)
			if !m.is(own.PID) {
				t.Errorf("%s: the command is not ours", name)
			}
		}
		if m.is(pid) {
			t.Errorf("%s: a living stranger with the number of one of ours is ours", name)
		}
	}
	unasked := newMine(false)
	unasked.own[pid] = s.Start
	if !unasked.is(pid) {
		t.Error("one of ours that lives is not")
	}
	end()
	m := sets["had before"]
	m.mu.Lock()
	m.own[pid] = s.Start + 1
	m.mu.Unlock()
	for name, m := range sets {
		if m.is(pid) {
			t.Errorf("%s: when it was dead the stranger was ours", name)
		}
	}
	if !unasked.is(pid) {
		t.Error("one of ours that is dead is not")
	}
}
