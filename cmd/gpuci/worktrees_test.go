package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/gates/history"
	"gpuci/reaper/proc"
	"gpuci/worktrees"

	"golang.org/x/sys/unix"
)

// lanesSaid are the lines of `gpuci worktrees --json`, by lane.
func (s stage) lanesSaid(t *testing.T) map[string]laneLine {
	t.Helper()
	code, stdout, stderr := s.run(t, "worktrees", "--json")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	out := make(map[string]laneLine)
	for text := range strings.Lines(stdout) {
		var l laneLine
		if err := json.Unmarshal([]byte(text), &l); err != nil || l.Type != "lane" {
			t.Fatalf("%v: %s", err, text)
		}
		out[l.Lane] = l
	}
	return out
}

// What is leaked in a lane and which locks it has and waits for stand in its line,
// and in no other one.
func TestWorktreesLeaksAndTickets(t *testing.T) {
	s := newStage(t)
	main, kda := s.lanes(t)
	lost := s.makeIn(t, kda)
	lost.orphan()
	holder := s.in(kda).start(t, "at work", "lock", "run", "--", "sh", "-c", blocking)
	waiter := s.in(main).start(t, "waiting for the build lock", "lock", "run", "--", "sh", "-c", "true")
	said := s.in(main).lanesSaid(t)
	for lane, want := range map[string]struct {
		leaked int
		state  string
		place  int
	}{"kda": {len(lost.below), "holds", 0}, "main": {0, "waits", 1}} {
		got := said[lane]
		if got.Leaked == nil || *got.Leaked != want.leaked || len(got.Tickets) != 1 || got.Tickets[0].State != want.state || got.Tickets[0].Place != want.place {
			t.Errorf("lane %s: want %+v, got %+v", lane, want, got)
		}
	}
	code, stdout, stderr := s.in(main).run(t, "worktrees")
	for _, text := range []string{
		"build holds", "build waits", fmt.Sprintf("kda: %d leaked processes: gpuci reaper sweep --lane kda ends them\n", len(lost.below)),
	} {
		if code != 0 || !strings.Contains(stdout, text) {
			t.Errorf("exit %d, no %q in\n%s%s", code, text, stdout, stderr)
		}
	}
	holder.end()
	if code := waiter.end(); code != 0 {
		t.Errorf("the one that waited: exit %d", code)
	}
}

// A lock directory that cannot be used leaves one column unknown, and the rest is
// told.
func TestWorktreesWithoutLocks(t *testing.T) {
	s := newStage(t)
	main, _ := s.lanes(t)
	s.env = append(s.env, "GPUCI_LOCK_DIR=/proc/nowhere")
	code, stdout, stderr := s.in(main).run(t, "worktrees")
	if code != 0 || !strings.Contains(stderr, "who waits for the locks is not known") || !strings.Contains(stdout, "kda") || !strings.Contains(stdout, "  ?  ") {
		t.Errorf("exit %d:\n%s%s", code, stdout, stderr)
	}
}

// Scratch lanes stand apart, with what they are for; that of a gpuci that is gone
// is said to be abandoned.
func TestWorktreesScratch(t *testing.T) {
	s := newStage(t)
	main, kda := s.lanes(t)
	ctx := context.Background()
	from, err := worktrees.Find(ctx, kda)
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := worktrees.NewScratch(ctx, from, worktrees.ScratchOptions{Dir: filepath.Join(t.TempDir(), "scratch"), For: "the night of\n2026-12-01"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scratch.Remove(context.Background()) })
	id, ok := worktrees.ScratchID(scratch.Tree)
	if !ok {
		t.Fatalf("%+v is no scratch lane", scratch.Tree)
	}
	code, stdout, stderr := s.in(main).run(t, "worktrees")
	table, apart, found := strings.Cut(stdout, "\nscratch lanes:\n")
	if code != 0 || !found || strings.Contains(table, id) || !strings.HasPrefix(apart, "  "+id+" of lane kda at ") || strings.Count(apart, "\n") != 1 {
		t.Fatalf("exit %d:\n%s%s", code, stdout, stderr)
	}
	if want := fmt.Sprintf(`, for the night of\n2026-12-01 (pid %d `, os.Getpid()); !strings.Contains(apart, want) || strings.Contains(apart, "killed") {
		t.Errorf("no %q in %s", want, apart)
	}
	for name, l := range s.in(main).lanesSaid(t) {
		if (l.Scratch != nil) != (name != "main" && name != "kda") || l.Scratch != nil && (l.Scratch.ID != id || l.Scratch.Of != "kda" || l.Scratch.Abandoned) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// A scratch lane whose gpuci was killed is not told as one that somebody works in,
// also while nobody has asked for what became of the process; and what removes it is.
func TestWorktreesScratchOfTheDead(t *testing.T) {
	s := newStage(t)
	main, kda := s.lanes(t)
	from, err := worktrees.Find(t.Context(), kda)
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := worktrees.NewScratch(t.Context(), from, worktrees.ScratchOptions{Dir: filepath.Join(t.TempDir(), "scratch"), For: "faults of gate unit"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scratch.Remove(context.Background()) })
	dead := exec.Command("sleep", "600")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dead.Wait() }) // only then is it no zombie any more
	now, err := proc.Real.Stat(dead.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(filepath.Dir(scratch.Root), "lock")
	record := make(map[string]any)
	data, err := os.ReadFile(lock)
	if err == nil {
		err = json.Unmarshal(data, &record)
	}
	if err != nil {
		t.Fatal(err)
	}
	record["pid"], record["start"] = dead.Process.Pid, fmt.Sprint(now.Start)
	if data, err = json.Marshal(record); err == nil {
		err = os.WriteFile(lock, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, stdout, _ := s.in(main).run(t, "worktrees")
	if !strings.Contains(stdout, fmt.Sprintf("(pid %d ", dead.Process.Pid)) || strings.Contains(stdout, "is gone") {
		t.Errorf("while it lives:\n%s", stdout)
	}
	if err := dead.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Waitid(unix.P_PID, dead.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	_, stdout, _ = s.in(main).run(t, "worktrees")
	if !strings.Contains(stdout, fmt.Sprintf("its gpuci (pid %d ", dead.Process.Pid)) || !strings.Contains(stdout, "is gone") || !strings.Contains(stdout, "The next gpuci falsify") {
		t.Errorf("once it is dead:\n%s", stdout)
	}
}

// A lane that does not answer any more when its outcomes are to be held against it
// is told as one, and nobody waits for it.
func TestWorktreesHungGates(t *testing.T) {
	s := newStage(t)
	_, kda := s.lanes(t)
	lane, err := worktrees.Find(context.Background(), kda)
	if err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(lane.GitDir, "index")
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(index, 0o600); err != nil { // whoever opens it waits
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	got := laneLook{Standing: worktrees.Standing{Tree: worktrees.Tree{Lane: lane}}}
	green := []history.Result{{Run: "r", Gate: "unit", Lane: "kda", Outcome: "green"}}
	got = got.within(ctx, meant{at: "."}, lanesPast{map[string][]history.Result{"kda": green}, map[string][]history.Result{"unit": green}})
	if !errors.Is(got.Err, context.DeadlineExceeded) || got.gates != nil {
		t.Errorf("%+v", got)
	}
	f, err := os.OpenFile(index, os.O_RDWR, 0) // lets go of who waits
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

func TestGatesText(t *testing.T) {
	lane := laneLook{}
	for i, word := range []string{"green", "red", "green", "green", "stale", "green", "gone", "elsewhere", "elsewhere"} {
		g := laneOutcome{}
		g.Gate, g.Outcome = fmt.Sprint("g", i), word
		switch word {
		case "stale":
			g.Outcome, g.Stale = "green", "x changed"
		case "gone":
			g.Gone = true
		case "elsewhere":
			g.Outcome, g.in = "green", "okl"
		}
		lane.gates = append(lane.gates, g)
	}
	if got, want := lane.gatesText(), "4 green, red g1, stale (green) g4, green g7 g8 (judged in lane okl)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
