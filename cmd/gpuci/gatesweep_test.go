package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// leak leaves a linker in a directory whose build has gone, old enough to be
// swept.
func (s stage) leak(t *testing.T, dir, ld, script string) (pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", ld+" -T "+script+" >/dev/null 2>&1 & echo $!")
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(out))); err != nil {
		t.Fatal(err)
	}
	id, err := proc.Real.Identity(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proc.Real.Signal(id, unix.SIGKILL) })
	for {
		st, err := proc.Real.Stat(pid)
		if err != nil {
			t.Fatal(err)
		}
		if exe, _ := proc.Real.Exe(pid); exe.Known() && strings.Contains(filepath.Base(exe.Path), "ld") && proc.Real.Age(st) > 2*time.Second {
			return pid
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func isThere(pid int) bool {
	st, err := proc.Real.Stat(pid)
	return err == nil && !st.Zombie()
}

// A gate sweeps its lane before it begins, and no other one; it says what went,
// and the workspace's history has it.
func TestGateSweeps(t *testing.T) {
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, kda := s.lanes(t)
	ours, theirs := s.leak(t, main, ld, script), s.leak(t, kda, ld, script)
	s.dir = main
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n")
	code, v, stderr := s.verdict(t)
	if code != 0 || v.Sweep == nil || len(v.Sweep.Swept) != 1 || v.Sweep.Swept[0].PID != ours || v.Sweep.Swept[0].Evidence != "cwd" || isThere(ours) {
		t.Errorf("exit %d, sweep %+v, %s", code, v.Sweep, stderr)
	}
	if !strings.Contains(stderr, "gpuci: swept 1 leaked (lane main; oldest ") || !strings.Contains(stderr, "; IO full of the machine 0% before, 0% after") {
		t.Errorf("said %q", stderr)
	}
	if !isThere(theirs) {
		t.Error("another lane's linker was ended")
	}
	data, err := os.ReadFile(filepath.Join(main, ".git", "gpuci", "reaper.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var line gates.KillRecord
	if err := json.Unmarshal(data, &line); err != nil || line.PID != ours || line.Lane != "main" || line.Run != v.Run || line.Why == "" {
		t.Errorf("%s, %v", data, err)
	}
	if _, v, _ = s.verdict(t); v.Sweep != nil || v.Steps[0].State != gates.StepDone {
		t.Errorf("with nothing leaked: %+v, %+v", v.Sweep, v.Steps[0])
	}
}

// One that does not end: a gate goes on and is marked; one that builds is
// refused while the disk is saturated.
func TestGateSweepSurvivor(t *testing.T) {
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, _ := s.lanes(t)
	pid := s.leak(t, main, ld, script)
	thaw := freeze(t, pid)
	s.dir = main
	s.gate(t, 1, "", "")
	code, v, stderr := s.verdict(t)
	marked := func(m string) bool {
		return strings.HasPrefix(m, "leaked and not ended: ") && strings.Contains(m, fmt.Sprint(pid)) && strings.Contains(m, "SIGKILL")
	}
	if code != 0 || len(v.Sweep.Survivors) != 1 || !slices.ContainsFunc(v.Marks, marked) {
		t.Errorf("exit %d, sweep %+v, marks %q, %s", code, v.Sweep, v.Marks, stderr)
	}
	stop := stallFile(t, &s)
	defer stop()
	code, v, _ = s.verdict(t)
	if code != 75 || len(v.Findings) == 0 || !strings.Contains(v.Findings[0].Text, "the disk is saturated") || len(v.Commands) != 0 {
		t.Errorf("exit %d, %+v", code, v)
	}
	thaw()
	for late := time.Now().Add(longest); isThere(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("it is there after the thaw")
		}
	}
}

// freeze puts a process into a v1 freezer of its own: SIGKILL waits until it is
// thawed.
func freeze(t *testing.T, pid int) (thaw func()) {
	t.Helper()
	group := filepath.Join("/sys/fs/cgroup/freezer", fmt.Sprintf("gpuci-test-%d", pid))
	if err := os.Mkdir(group, 0o755); err != nil {
		needsTool(t, "the v1 freezer: "+err.Error())
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(group, name), []byte(text), 0); err != nil {
			t.Error(err)
		}
	}
	thaw = func() { put("freezer.state", "THAWED") }
	t.Cleanup(func() {
		thaw()
		for late := time.Now().Add(longest); os.Remove(group) != nil && time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		}
	})
	put("cgroup.procs", strconv.Itoa(pid))
	put("freezer.state", "FROZEN")
	for late := time.Now().Add(longest); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		if state, _ := os.ReadFile(filepath.Join(group, "freezer.state")); strings.TrimSpace(string(state)) == "FROZEN" {
			return thaw
		}
	}
	t.Fatal("it does not freeze")
	return nil
}

// stallFile gives the stage pressure files in which IO full goes on, at once.
func stallFile(t *testing.T, s *stage) (stop func()) {
	t.Helper()
	dir := t.TempDir()
	began := time.Now()
	put := func() {
		line := fmt.Sprintf(" avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n", time.Since(began).Microseconds())
		for _, name := range []string{"cpu", "io", "memory"} {
			if err := os.WriteFile(filepath.Join(dir, name+".new"), []byte("some"+line+"full"+line), 0o644); err != nil {
				t.Error(err)
			}
			if err := os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	put()
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
				put()
			}
		}
	}()
	s.env = append(s.env[:len(s.env):len(s.env)], "GPUCI_PRESSURE=root="+dir)
	return func() { close(over); <-done }
}
