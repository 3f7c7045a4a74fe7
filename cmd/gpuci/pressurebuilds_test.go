package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// fakeBuild starts a real make whose recipe is a program called ld, and returns
// make and ld once both run.
func fakeBuild(t *testing.T, dir, script string) (top, ld proc.Stat) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil {
		needsTool(t, "make")
	}
	for name, text := range map[string]string{"ld": "#!/bin/sh\n" + script, "Makefile": "all:\n\t./ld\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("make", "-s")
	cmd.Dir = dir
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, 10*time.Second
	heard := newListener()
	cmd.Stdout = heard
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	heard.hear(t, "ready")
	table, err := proc.Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range table.Below(cmd.Process.Pid) {
		if s.Comm == "ld" {
			return table[cmd.Process.Pid], s
		}
	}
	t.Fatal("there is no ld below make")
	return
}

// A build that gets no CPU is named, with what it was judged by; one that works
// is not, and one that waits in line says so.
func TestIdleBuilds(t *testing.T) {
	top, ld := fakeBuild(t, t.TempDir(), "echo ready; read -r line\n")
	busyTop, _ := fakeBuild(t, t.TempDir(), "echo ready; while :; do :; done\n")
	s, err := startSampling(proc.Real)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.watch(context.Background(), 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	limits := idleLimits{old: time.Millisecond, share: 0.5, tick: 10 * time.Millisecond}
	builds := buildsIn(s.last.Table)
	holder := buildlock.Entry{PID: ld.PID, Start: ld.Start, State: buildlock.StateHolds, Lane: "kda", Command: "cargo build --tests"}
	waiter := holder
	waiter.State = buildlock.StateWaits
	held := waiter
	held.Held = "io full 86% over 10 s"
	other := holder
	other.Start++ // a pid that was used again
	for name, c := range map[string]struct {
		tickets []buildlock.Entry
		says    []string
	}{
		"no ticket": {nil, []string{"build outside any lane, in ", ", make): no CPU in ", "its oldest link has run: ld (pid "}},
		"another's": {[]buildlock.Entry{other}, []string{"build outside any lane, in ", ", make): "}},
		"a ticket":  {[]buildlock.Entry{holder}, []string{"build of lane kda (pid ", ", cargo build --tests): no CPU in ", " s in the ", ", waits in "}},
		"in line":   {[]buildlock.Entry{waiter}, []string{"; its links wait for the link lock, the oldest for ", " in place 1: gpuci lock status"}},
		"held back": {[]buildlock.Entry{held}, []string{"; its next link has waited for ", ": io full 86% over 10 s"}},
	} {
		t.Run(name, func(t *testing.T) {
			queues := []buildlock.Queue{{Lock: buildlock.Link, Slots: 1, Entries: c.tickets}}
			found := idleBuilds(context.Background(), s, builds, queues, nil, limits)
			at := slices.IndexFunc(found, func(b idleBuild) bool { return b.top.PID == top.PID })
			if at < 0 {
				t.Fatalf("make (pid %d) is not among %+v", top.PID, found)
			}
			for _, text := range c.says {
				if !strings.Contains(found[at].String(), text) {
					t.Errorf("no %q in %q", text, found[at])
				}
			}
			if slices.ContainsFunc(found, func(b idleBuild) bool { return b.top.PID == busyTop.PID }) {
				t.Errorf("the one that works, pid %d, is among them", busyTop.PID)
			}
		})
	}
	if found := idleBuilds(context.Background(), s, builds, nil, nil, defaultIdle()); slices.ContainsFunc(found, func(b idleBuild) bool { return b.top.PID == top.PID }) {
		t.Errorf("a build of a second is called idle: %+v", found)
	}
	lanes := []worktrees.Tree{{Lane: worktrees.Lane{Name: "adjoint", Root: cwdOf(t, top.PID)}}}
	for _, b := range idleBuilds(context.Background(), s, builds, nil, lanes, limits) {
		if b.top.PID == top.PID && !strings.HasPrefix(b.String(), "build of lane adjoint (pid ") {
			t.Errorf("said %q", b)
		}
	}
}

func cwdOf(t *testing.T, pid int) string {
	t.Helper()
	cwd, err := proc.Real.Cwd(pid)
	if err != nil || !cwd.Known() {
		t.Fatalf("%+v, %v", cwd, err)
	}
	return cwd.Path
}

// A build is the topmost tool above compilers, shells between them or not, and
// ends below a person's shell and below gpuci.
func TestBuildsIn(t *testing.T) {
	table := proc.Table{}
	for _, s := range []proc.Stat{
		{PID: 1, Comm: "systemd"}, {PID: 2, PPID: 1, Comm: "bash"}, {PID: 3, PPID: 2, Comm: "gpuci"},
		{PID: 4, PPID: 3, Comm: "cargo"}, {PID: 5, PPID: 4, Comm: "rustc"}, {PID: 6, PPID: 5, Comm: "cc"}, {PID: 7, PPID: 6, Comm: "ld.mold"},
		{PID: 8, PPID: 4, Comm: "rustc"},
		{PID: 10, PPID: 2, Comm: "make"}, {PID: 11, PPID: 10, Comm: "sh"}, {PID: 12, PPID: 11, Comm: "make"}, {PID: 13, PPID: 12, Comm: "gcc-12"},
		{PID: 14, PPID: 13, Comm: "cc1plus"},
		{PID: 20, PPID: 1, Comm: "rustc"}, // its cargo was killed
		{PID: 30, PPID: 1, Comm: "compile"}, {PID: 31, PPID: 1, Comm: "go"}, {PID: 32, PPID: 31, Comm: "compile"},
		{PID: 40, PPID: 2, Comm: "cc", State: 'Z', Threads: 1},
		{PID: 50, PPID: 51, Comm: "ld"}, {PID: 51, PPID: 50, Comm: "cc"}, // a loop of reused pids
	} {
		table[s.PID] = s
	}
	got := map[int][]int{}
	for _, b := range buildsIn(table) {
		got[b.top.PID] = nil
		for _, leaf := range b.leaves {
			got[b.top.PID] = append(got[b.top.PID], leaf.PID)
		}
	}
	for top, leaves := range map[int][]int{4: {7, 8}, 10: {14}, 20: {20}, 31: {32}} {
		if !slices.Equal(got[top], leaves) {
			t.Errorf("the leaves of %d are %v, want %v", top, got[top], leaves)
		}
	}
	for _, not := range []int{1, 2, 3, 11, 12, 30, 40} {
		if _, ok := got[not]; ok {
			t.Errorf("%d is called a build", not)
		}
	}
}
