package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/reaper/proc"
	"gpuci/reaper/proc/stuckfs"
)

// silentLane puts a worktree on a dead server into the books of a repository, and
// returns its directory.
func silentLane(t *testing.T, repo string) string {
	t.Helper()
	f, err := stuckfs.Mount(t)
	if err != nil {
		needsTool(t, err.Error())
	}
	books := filepath.Join(repo, ".git", "worktrees", "hung")
	if err := os.MkdirAll(books, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"gitdir": f.Dir + "/.git\n", "commondir": "../..\n", "HEAD": "ref: refs/heads/hung\n"} {
		if err := os.WriteFile(filepath.Join(books, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f.Silence()
	return f.Dir
}

// A worktree on a server that does not answer: 69 with its directory, and not
// for ever. Nothing is ended, for it may be inside of another one.
func TestReaperSilentLane(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, _ := s.lanes(t)
	pid := s.leak(t, main, ld, script)
	dir := silentLane(t, main)
	s.dir = main
	said := "the file system of " + dir + " does not answer"
	for _, args := range [][]string{{"sweep"}, {"sweep", "--json"}, {"sweep", "--dry-run"}, {"watch"}, {"list", "--every-lane"}} {
		code, stdout, stderr := s.run(t, append([]string{"reaper"}, args...)...)
		if code != 69 || !strings.Contains(stderr, said) || !strings.Contains(stderr, "hint: nothing was ended; once it answers, or is unmounted") || !isThere(pid) {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	if code, stdout, stderr := s.run(t, "reaper", "list"); code != 0 || !strings.Contains(stderr, said) || !strings.Contains(stdout, "which lanes there are cannot be told") {
		t.Errorf("list: exit %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := s.run(t, "-C", dir, "reaper", "sweep"); code != 69 || !strings.Contains(stderr, said) {
		t.Errorf("from in there: exit %d, %s%s", code, stdout, stderr)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'true'\nreader = 'none'\n")
	code, v, stderr := s.verdict(t)
	marked := strings.Contains(strings.Join(v.Marks, "\n"), "nothing was swept: ") && strings.Contains(strings.Join(v.Marks, "\n"), said)
	if code != 0 || !marked || !isThere(pid) {
		t.Errorf("a gate: exit %d, marks %q, %s", code, v.Marks, stderr)
	}
}

// Where /proc is another pid namespace's, that is said at once, and is 69.
func TestReaperForeignProc(t *testing.T) {
	t.Parallel()
	unshare, err := exec.LookPath("unshare")
	if err == nil {
		err = exec.Command(unshare, "-fp", "true").Run()
	}
	if err != nil {
		needsTool(t, "root and unshare")
	}
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	_, kda := s.lanes(t)
	pid := s.leak(t, kda, ld, script)
	s.dir = kda
	for _, args := range [][]string{{"list"}, {"sweep"}, {"watch"}} {
		look := s.command(t, append([]string{"reaper"}, args...)...)
		cmd := s.command(t)
		cmd.Path, cmd.Args = unshare, append([]string{"unshare", "-fp"}, look.Args...)
		code, stdout, stderr := runCommand(t, cmd)
		if code != 69 || !strings.Contains(stderr, "the pids there are those of another pid namespace") || !strings.Contains(stderr, "hint: nothing was ended; mount the /proc of this one") || !isThere(pid) {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// A service, as far as anybody can tell, has a way to its end.
func TestServiceEnd(t *testing.T) {
	want := fmt.Sprintf("kill %d", os.Getpid())
	if unit, err := proc.Real.Unit(os.Getpid()); err == nil && unit != "" {
		want = " stop " + unit
	}
	if got := serviceEnd(os.Getpid()); !strings.HasSuffix(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}

// Most are gone before a clock of milliseconds has moved.
func TestTookText(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 300 * time.Microsecond: "less than 1ms", 1400 * time.Microsecond: "1ms", 2340 * time.Millisecond: "2.3s"} {
		if got := tookText(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

// Who has read enough ends the command that he reads from, and that is no error:
// the one that would print more, and the one that waits for something to tell.
func TestReaperUnread(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	main, _ := s.lanes(t)
	s.dir = main
	for _, args := range [][]string{{"reaper", "watch"}, {"reaper", "list"}, {"reaper", "list", "--json"}, {"reaper", "sweep"}, {"lock", "status"}, {"gate", "--list"}} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		cmd := s.command(t, args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &stderr
		err = cmd.Start()
		_ = w.Close()
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		code, want := cmd.ProcessState.ExitCode(), 0
		if args[0] == "gate" {
			want = 78 // there is no gpuci.toml, which comes first
		}
		if code != want || strings.Contains(stderr.String(), "broken pipe") {
			t.Errorf("%q: exit %d, %s", args, code, stderr.String())
		}
	}
}

// A gate whose outcome nobody reads ends as it would.
func TestGateUnread(t *testing.T) {
	s := newStage(t)
	main, _ := s.lanes(t)
	s.dir = main
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'false'\nreader = 'none'\n")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	cmd := s.command(t, "gate", "g")
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &stderr
	_ = cmd.Run()
	_ = w.Close()
	if code := cmd.ProcessState.ExitCode(); code != 100 || strings.Contains(stderr.String(), "broken pipe") {
		t.Errorf("exit %d, %s", code, stderr.String())
	}
}
