package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// withinGate is a gate that is held against what was measured before.
const withinGate = `[[gate]]
name = "speed"
run = ["cat", "steps"]
reader = "none"

  [[gate.bar]]
  metric = "step-ms"
  within = "5%"
  better = "lower"
`

// In another user's repository a run is held against its owner's greens, stands
// in its history at once, and is the owner's to see later; the runs' own
// directories are elsewhere.
func TestHistoryOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	s := newStage(t)
	s.env = append(s.env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	s.write(t, "gpuci.toml", withinGate)
	s.write(t, "steps", "gpuci:metric name=step-ms value=10\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "one"}} {
		git := exec.Command("git", args...)
		git.Dir, git.Env = s.dir, s.env
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	if code, out, errs := s.run(t, "gate", "speed"); code != 0 || !strings.Contains(out, "first: what later") {
		t.Fatalf("%d: %s%s", code, out, errs)
	}
	home := filepath.Join(filepath.Dir(s.dir), "other")
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	as := func(args ...string) (int, string) {
		cmd := s.command(t, args...)
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home,
			"GPUCI_LOCK_DIR="+filepath.Join(home, "locks"), "TMPDIR="+home)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		code, out, errs := runCommand(t, cmd)
		return code, out + errs
	}
	if code, said := as("gate", "speed"); code != 0 || !strings.Contains(said, "the same as 10 at") || strings.Contains(said, "first: ") || !strings.Contains(said, "runs are recorded in "+home) {
		t.Fatalf("%d: %s", code, said)
	}
	if code, said := as("history", "speed"); code != 0 || !strings.Contains(said, "speed: 2 results: 2 green") || strings.Contains(said, "stale") {
		t.Errorf("%d: %s", code, said)
	}
	code, out, errs := s.run(t, "history", "speed")
	if code != 0 || !strings.Contains(out, "2 results: 2 green") || !strings.Contains(out, "uid 65534") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	if code, out, _ := s.run(t, "history"); code != 0 || !strings.Contains(out, "set aside: 1 result of uid 65534") {
		t.Errorf("%d: %s", code, out)
	}
	if found, _ := filepath.Glob(filepath.Join(s.dir, ".git/gpuci/journal/*-65534.jsonl")); len(found) != 1 {
		t.Errorf("journals %q", found)
	}
}
