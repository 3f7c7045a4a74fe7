package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/gates"
)

// Field case 12: one that SIGKILL does not end is named with its state at the
// deadline, and is gone once it can run. The others are swept all the same.
func TestReaperFrozen(t *testing.T) {
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, kda := s.lanes(t)
	pid, other := s.leak(t, kda, ld, script), s.leak(t, kda, ld, script)
	thaw := freeze(t, pid)
	s.dir = kda
	code, stdout, stderr := s.run(t, "reaper", "sweep", "--deadline", "1s")
	line := fmt.Sprintf("\n1 not ended:\n  ld.bfd (pid %d, state D, SIGKILL pending, ", pid)
	if code != 75 || !strings.HasPrefix(stdout, "swept 1 leaked (lane kda; ") || !strings.Contains(stdout, line) || !strings.Contains(stdout, " old, waits in ") || !strings.Contains(stdout, "), of lane kda by cwd\n") {
		t.Errorf("exit %d, want %q in %s%s", code, line, stdout, stderr)
	}
	if isThere(other) || !isThere(pid) || !strings.Contains(stderr, "gpuci: 1 leaked process is left\n") || !strings.Contains(stderr, "hint: one that SIGKILL is pending for goes when the kernel lets it") {
		t.Errorf("the other one is there: %t, the frozen one: %t; %s", isThere(other), isThere(pid), stderr)
	}
	code, _, stdout, _ = s.sweptJSON(t, "--deadline", "1s")
	if left := reaperLines(t, stdout, "survivor"); code != 75 || len(left) != 1 || left[0].PID != pid || !left[0].Pending || left[0].State != "D" || left[0].Lane != "kda" || left[0].Age < 2 {
		t.Errorf("exit %d: %+v", code, left)
	}
	history := killed(t, main)
	if len(history) != 2 || history[0].PID != other || history[0].Left || history[1].PID != pid || !history[1].Left || history[1].Took < 0.2 {
		t.Errorf("%+v; want each SIGKILL once, that of the frozen one as left", history)
	}
	code, stdout, _ = s.run(t, "reaper", "list")
	if want := fmt.Sprintf("pid %d ", pid); code != 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, "  D, SIGKILL pending (since unknown)  ") {
		t.Errorf("list: exit %d, %s", code, stdout)
	}
	code, stdout, _ = s.run(t, "reaper", "list", "--json")
	found := slices.DeleteFunc(reaperLines(t, stdout, "process"), func(p anyLine) bool { return p.Lane != "kda" }) // others build, too
	if code != 0 || len(found) != 1 || !found[0].Pending {
		t.Errorf("list: exit %d, %s", code, stdout)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n")
	if code, stdout, _ = s.run(t, "history", "--swept"); code != 0 || !strings.Contains(stdout, " old, still there after ") || !strings.Contains(stdout, " old, gone after ") {
		t.Errorf("history: exit %d, %s", code, stdout)
	}
	thaw()
	eventually(t, "an end after the thaw", func() bool { return !isThere(pid) })
	if code, report, _, _ := s.sweptJSON(t); code != 0 || report.Survivors != 0 {
		t.Errorf("after the thaw: exit %d, %+v", code, report)
	}
}

// Ctrl-C ends a sweep that goes on, and what it did is told.
func TestReaperInterrupted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	_, kda := s.lanes(t)
	frozen := s.leak(t, kda, ld, script)
	freeze(t, frozen)
	s.dir = kda
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		for _, args := range [][]string{nil, {"--json"}} {
			pid := s.leak(t, kda, ld, script)
			cmd := s.command(t, append([]string{"reaper", "sweep", "--deadline", "1h"}, args...)...)
			var out bytes.Buffer
			stderr := newListener()
			cmd.Stdout, cmd.Stderr = &out, stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stderr.hear(t, fmt.Sprintf("gpuci: ended ld.bfd (pid %d)", pid))
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != want {
				t.Errorf("%v: exit %d, want %d: %s", sig, code, want, stderr)
			}
			if args == nil {
				if text := out.String(); !strings.HasPrefix(text, "swept 1 leaked (") || !strings.Contains(text, "; not to its end\n1 not ended:\n  ld.bfd (pid ") {
					t.Errorf("%v: said %q", sig, text)
				}
				continue
			}
			report := reaperLines(t, out.String(), "report")
			if len(report) != 1 || report[0].Exit != want || report[0].Swept != 1 || report[0].Survivors != 1 || len(reaperLines(t, out.String(), "error")) != 0 {
				t.Errorf("%v: said %s", sig, out.String())
			}
		}
	}
}

// A history that cannot be written is said, and stops no sweep.
func TestReaperHistoryUnwritable(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, kda := s.lanes(t)
	pid := s.leak(t, kda, ld, script)
	if err := os.MkdirAll(filepath.Join(main, ".git", "gpuci", "reaper.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := s.in(kda).run(t, "reaper", "sweep")
	if code != 0 || isThere(pid) || !strings.HasPrefix(stdout, "swept 1 leaked") || !strings.Contains(stderr, "gpuci: write down what was swept: ") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

// A FIFO in its place, which would take a line when somebody reads it, is none.
func TestReaperHistoryFIFO(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "reaper.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := &killHistory{state: dir}
	h.add(gates.KillRecord{Type: "kill"})
	if err := h.end(nil); err == nil || !strings.Contains(err.Error(), "write down what was swept") {
		t.Errorf("said %v", err)
	}
	if err := (&killHistory{state: dir}).end(nil); err != nil {
		t.Errorf("with nothing swept: %v", err)
	}
}

// A history that does not come back is not waited for, and that is said.
func TestReaperHistoryHangs(t *testing.T) {
	t.Parallel()
	h := &killHistory{state: t.TempDir(), lines: make(chan gates.KillRecord, 1), done: make(chan error)} // nobody writes
	h.add(gates.KillRecord{Type: "kill"})
	h.add(gates.KillRecord{Type: "kill"})
	hurry := make(chan struct{})
	close(hurry)
	if err := h.end(hurry); h.lost != 1 || err == nil || !strings.Contains(err.Error(), "is its disk stalled?") {
		t.Errorf("%d lost, said %v", h.lost, err)
	}
}

// A process table that is not there, or not whole, ends nothing: 69.
func TestReaperNoTable(t *testing.T) {
	t.Parallel()
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.Command(unshare, "-m", "true").Run()
	}
	if err != nil || os.Getuid() != 0 {
		needsTool(t, "root and unshare")
	}
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	_, kda := s.lanes(t)
	pid := s.leak(t, kda, ld, script)
	s.dir = kda
	for name, fill := range map[string]string{
		"empty": "true",
		"torn":  "mkdir -p /proc/sys/kernel/random && echo 7d5b0c9e-1111-4222-8333-444455556666 > /proc/sys/kernel/random/boot_id && echo 1000.00 1 > /proc/uptime",
	} {
		for _, args := range [][]string{{"list"}, {"sweep"}, {"sweep", "--json"}, {"watch"}} {
			look := s.command(t, append([]string{"reaper"}, args...)...)
			cmd := s.command(t)
			cmd.Path = unshare
			cmd.Args = append([]string{"unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && " + fill + ` && exec "$@"`, "sh"}, look.Args...)
			code, stdout, stderr := runCommand(t, cmd)
			said := strings.Contains(stderr, "hint: nothing was ended") || strings.Contains(stderr, "hint: nothing is ended")
			if code != 69 || !said || !isThere(pid) {
				t.Errorf("%s, %q: exit %d, %s%s", name, args, code, stdout, stderr)
			}
			if len(args) == 2 {
				if report := reaperLines(t, stdout, "report"); len(report) != 1 || report[0].Exit != 69 || report[0].Swept != 0 {
					t.Errorf("%s: said %s", name, stdout)
				}
			} else if stdout != "" {
				t.Errorf("%s, %q: said %s", name, args, stdout)
			}
		}
	}
}
