package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is another user's is let be in both directions, and that is said.
func TestReaperOtherUsers(t *testing.T) {
	t.Parallel()
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	if err := os.Chmod(script, 0o666); err != nil {
		t.Fatal(err)
	}
	main, kda := s.lanes(t)
	roots, theirs := s.leak(t, kda, ld, script), s.leak(t, kda, strings.Join(as, " ")+" "+ld, script)

	code, stdout, stderr := s.in(kda).run(t, "reaper", "sweep", "--dry-run")
	if code != 0 || strings.Count(stdout, "would end ") != 1 {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if want := fmt.Sprintf("\nlet be: ld.bfd (pid %d nobody), ", theirs); !strings.Contains(stdout, want) || !strings.Contains(stdout, ": another user's; that user can end it\n") {
		t.Errorf("no %q in %s", want, stdout)
	}

	// The same lane is that user's now.
	for _, dir := range []string{main, kda} {
		if out, err := exec.Command("chown", "-R", fmt.Sprint(nobody), dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run := func(args ...string) (int, string, string) {
		own := s.command(t, append([]string{"-C", kda, "reaper"}, args...)...)
		cmd := exec.Command(as[0], slices.Concat(as[1:], own.Args)...)
		cmd.Dir, cmd.Env = "/", s.env
		return runCommand(t, cmd)
	}
	code, stdout, stderr = run("list")
	for _, text := range []string{"lane kda (" + kda + "): 1 process, 1 leaked\n", "\nnot seen: what ", " of other users run, and in which lane; root can\n", "; root, or their user, can\n"} {
		if code != 0 || !strings.Contains(stdout, text) {
			t.Errorf("exit %d, no %q in %s%s", code, text, stdout, stderr)
		}
	}
	_, stdout, _ = run("list", "--json")
	for _, l := range reaperLines(t, stdout, "process") {
		if l.PID == roots || l.PID == theirs && (l.Read == nil || l.User != "nobody" || !l.Leaked) {
			t.Errorf("%+v", l)
		}
	}
	if unseen := reaperLines(t, stdout, "unseen"); len(unseen) == 0 || unseen[0].Who != rootCan {
		t.Errorf("%+v", unseen)
	}
	code, stdout, stderr = run("sweep")
	if code != 0 || isThere(theirs) || !isThere(roots) || !strings.HasPrefix(stdout, "swept 1 leaked (lane kda; ") {
		t.Errorf("exit %d, theirs is there: %t, root's: %t; %s%s", code, isThere(theirs), isThere(roots), stdout, stderr)
	}
	// Somebody else's build may go on beside the test, and be named before it.
	if named := strings.Contains(stdout, fmt.Sprintf("ld (pid %d root)", roots)) || strings.Contains(stdout, ", and "); !named || !strings.Contains(stdout, "not seen: whose are these, which compile or link by their names: ") {
		t.Errorf("root's is not spoken of: %s", stdout)
	}
	if history := killed(t, main); len(history) != 1 || history[0].By != nobody || history[0].PID != theirs {
		t.Errorf("in the history: %+v", history)
	}
}

// A worktree that cannot be followed may be inside of this one: nothing is ended
// then, and all that can be is listed.
func TestReaperTornLanes(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	main, kda := s.lanes(t)
	pid := s.leak(t, main, ld, script)
	if err := os.WriteFile(filepath.Join(kda, ".git"), []byte("no git file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.dir = main
	code, stdout, stderr := s.run(t, "reaper", "sweep")
	if code != 69 || stdout != "" || !isThere(pid) || !strings.Contains(stderr, "hint: git worktree repair") || !strings.Contains(stderr, kda) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	for _, args := range [][]string{{"list"}, {"sweep", "--dry-run"}} {
		if code, stdout, stderr := s.run(t, append([]string{"reaper"}, args...)...); code != 0 || !strings.Contains(stdout, fmt.Sprintf("pid %d root", pid)) || !strings.Contains(stderr, kda) {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// What works in another repository's directory is let be, and said where it would
// be this lane's but for that: in a clone inside of the lane, and with files open
// in the lane's target directory.
func TestReaperOtherRepositories(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ld, script, _ := s.slowLink(t)
	_, kda := s.lanes(t)
	inside, beside := filepath.Join(kda, "build", "dep"), filepath.Join(s.dir, "beside")
	for _, dir := range []string{inside, beside} {
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.MkdirAll(filepath.Join(kda, "target"), 0o755); err != nil {
		t.Fatal(err)
	}
	clone := s.leak(t, inside, ld, script)
	target := s.leak(t, beside, ld, script+" 7>"+filepath.Join(kda, "target", "lib.rmeta"))
	stranger := s.leak(t, beside, ld, script)

	code, stdout, stderr := s.in(kda).run(t, "reaper", "sweep")
	for pid, said := range map[int]bool{clone: true, target: true, stranger: false} {
		let := fmt.Sprintf("let be: ld.bfd (pid %d root), ", pid)
		hint := fmt.Sprintf("which is no lane of this repository; if it is to go all the same: kill %d\n", pid)
		if !isThere(pid) || strings.Contains(stdout, let) != said || strings.Contains(stdout, hint) != said {
			t.Errorf("exit %d, pid %d is there: %t; said: %s%s", code, pid, isThere(pid), stdout, stderr)
		}
	}
	_, stdout, _ = s.in(kda).run(t, "reaper", "list")
	for pid, listed := range map[int]bool{clone: true, target: true, stranger: false} {
		if strings.Contains(stdout, fmt.Sprintf("(pid %d", pid)) != listed {
			t.Errorf("pid %d in the list, want %t: %s", pid, listed, stdout)
		}
	}
}
