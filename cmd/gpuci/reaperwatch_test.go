package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// What leaks is told once, and so is its end; in both ways. Nothing is ended.
func TestReaperWatch(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	_, kda := s.lanes(t)
	s.dir = kda
	first := s.leak(t, kda, ld, script)
	text, lines := s.command(t, "reaper", "watch"), s.command(t, "reaper", "watch", "--json")
	said := make(map[*exec.Cmd]*listener)
	for _, cmd := range []*exec.Cmd{text, lines} {
		said[cmd] = newListener()
		cmd.Stdout, cmd.Stderr = said[cmd], said[cmd]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	said[text].hear(t, "gpuci: watching in lane kda; nothing is ended\n")
	leaked := func(pid int) {
		t.Helper()
		said[text].hear(t, fmt.Sprintf(" leaked: ld.bfd (pid %d root), S, ", pid))
		said[lines].hear(t, fmt.Sprintf(`{"type":"event","pid":%d,`, pid))
	}
	leaked(first)
	second := s.leak(t, kda, ld, script)
	leaked(second)
	if err := unix.Kill(second, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	said[text].hear(t, fmt.Sprintf(" gone: ld.bfd (pid %d root) of lane kda, ", second))
	said[lines].hear(t, `"event":"gone"`)
	for _, cmd := range []*exec.Cmd{text, lines} {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("exit %d: %s", code, said[cmd])
		}
	}
	if out := said[text].String(); strings.Count(out, " leaked: ") != 2 || strings.Count(out, " gone: ") != 1 || !isThere(first) {
		t.Errorf("said %s", out)
	}
	var events []string
	for line := range strings.Lines(said[lines].String()) {
		if strings.HasPrefix(line, "{") {
			for _, l := range reaperLines(t, line, "event") {
				events = append(events, fmt.Sprint(l.Event, " ", l.PID, " ", l.Lane))
			}
		}
	}
	want := []string{fmt.Sprint("leaked ", first, " kda"), fmt.Sprint("leaked ", second, " kda"), fmt.Sprint("gone ", second, " kda")}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got): %s", diff)
	}
}

// What goes between two rounds is told, and what lives is not; one that is
// leaked no longer, and lives, is.
func TestReaperWatchRounds(t *testing.T) {
	t.Parallel()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	self, err := proc.Real.Stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	w := &leakWatch{app: &app{out: &out}, leaks: make(map[bearer]leak)}
	for _, stat := range []proc.Stat{self, {PID: ended.Process.Pid, Comm: "true", Start: 1, State: 'S'}} {
		w.leaks[bearer{stat.PID, stat.Start}] = leak{Judged: reaper.Judged{Process: reaper.Process{Stat: stat}, Lane: "kda"}}
	}
	w.sift()
	if text := out.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, fmt.Sprintf("gone: true (pid %d)", ended.Process.Pid)) || len(w.leaks) != 1 {
		t.Errorf("said %q", text)
	}
	out.Reset()
	if again := w.see(reaper.Judgement{}); !again || out.Len() != 0 {
		t.Errorf("after one look: again %t, said %q", again, out.String())
	}
	if again := w.see(reaper.Judgement{}); again {
		t.Error("there is nothing to look at again")
	}
	if text := out.String(); !strings.Contains(text, fmt.Sprintf("leaked no longer: %s (pid %d)", self.Comm, self.PID)) || len(w.leaks) != 0 {
		t.Errorf("said %q", text)
	}
}

// A look that falls into a sweep lets be what just ends. That is no end of a
// leak that lives on: what SIGKILL waits for is looked at until it is gone.
func TestReaperWatchOfOnesThatEnd(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	_, kda := s.lanes(t)
	pid := s.leak(t, kda, ld, script)
	thaw := freeze(t, pid)
	stat, err := proc.Real.Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	key := bearer{stat.PID, stat.Start}
	w := &leakWatch{app: &app{out: &out}, leaks: map[bearer]leak{key: {Judged: reaper.Judged{Process: reaper.Process{Stat: stat}, Lane: "kda"}}}}
	for range 3 {
		if again := w.see(reaper.Judgement{}); !again || out.Len() != 0 {
			t.Fatalf("SIGKILL is pending: again %t, said %q", again, out.String())
		}
	}
	thaw()
	eventually(t, "an end after the thaw", func() bool { return gone(key) })
	if again := w.see(reaper.Judgement{}); again || !strings.Contains(out.String(), fmt.Sprintf(" gone: ld (pid %d", pid)) || strings.Contains(out.String(), "no longer") {
		t.Errorf("again %t, said %q", again, out.String())
	}
}
