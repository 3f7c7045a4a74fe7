package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/buildlock"
)

// A link from a shell says where it was made; in the repository that somebody
// stands in, that is a lane.
func TestLockStatusShell(t *testing.T) {
	s := newStage(t)
	if _, err := exec.LookPath("git"); err != nil {
		needsTool(t, "git")
	}
	for _, args := range [][]string{{"init", "-q", "-b", "trunk"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.dir, append(s.env, "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	sub := filepath.Join(s.dir, "kernels")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	s.hold(t, buildlock.Who{Dir: sub, Command: "cc -o fused"})
	if _, stdout, _ := s.run(t, "lock", "status"); !strings.Contains(stdout, "holds  lane main of "+s.dir+" (pid ") || !strings.Contains(stdout, ", cc -o fused) since ") {
		t.Errorf("in the repository: %s", stdout)
	}
	if list := s.tickets(t); len(list) != 1 || list[0].Lane != "main" || list[0].Root != s.dir || list[0].Dir != sub {
		t.Errorf("in JSON: %+v", list)
	}
	if _, stdout, _ := s.run(t, "-C", filepath.Dir(s.dir), "lock", "status"); !strings.Contains(stdout, "holds  "+sub+" (pid ") {
		t.Errorf("elsewhere: %s", stdout)
	}
}

// A lock directory that nobody can make is not free, for whoever asks; the
// variable that names it is named.
func TestLockStatusNowhere(t *testing.T) {
	s := newStage(t)
	s.env = append(s.env, "GPUCI_LOCK_DIR=/proc/nope")
	for _, args := range [][]string{{"lock", "status"}, {"lock", "run", "--", "true"}, {"build", "--", "true"}, {"env", "--shell", "sh"}} {
		if code, _, stderr := s.run(t, args...); code != exitUnfit || !strings.Contains(stderr, "GPUCI_LOCK_DIR, which names it") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
	s.env = append(s.env, "GPUCI_LOCK_DIR="+filepath.Join(s.dir, "new"))
	if code, stdout, _ := s.run(t, "lock", "status"); code != 0 || !strings.HasPrefix(stdout, "link lock: 1 at a time, free\n") {
		t.Errorf("one that can be made: exit %d, %s", code, stdout)
	}
}
