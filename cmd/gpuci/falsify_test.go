package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// toFalsify is a gate with a fault of every kind, and a process that would go on.
const toFalsify = `
[[gate]]
name = "sum"
build = "mkdir -p out && cp values out/values"
run = "sleep 300 & . out/values; echo gpuci:metric name=worst-rel value=$rel; exit $code"
reader = "none"

  [[gate.bar]]
  metric = "worst-rel"
  max = 1e-6

  [[gate.fault]]
  name = "big"
  replace = { file = "values", from = "rel=1e-9", to = "rel=1" }
  must-move = "worst-rel"

  [[gate.fault]]
  name = "code"
  patch = "code.patch"
  must = "red"

  [[gate.fault]]
  name = "command"
  command = "sed -i s/rel=1e-9/rel=2/ values; rm other; mkdir -p new; echo x > new/file"
  must = "red"
`

// seenOf is all that there is to see of a lane: files with modes, times and content,
// git's index and its status.
func seenOf(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("bash", "-ec", `find . -path ./.git -prune -o -printf '%p %m %s %T@ %C@ %i\n' | sort
find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort
stat -c '%s %Y %Z %i' .git/index; sha256sum .git/index .git/HEAD .git/config
git --no-optional-locks status --porcelain; git for-each-ref`)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// Field case 22: gpuci is killed at random moments while faults are planted. The lane
// is as it was, to the time of every file; the next start removes the scratch lane,
// and ends what went on in it; and no outcome of the gate came of it. GPUCI_SOAK=1 takes 60 moments.
func TestFalsifyKilledAtRandom(t *testing.T) {
	w := newWorkspace(t, toFalsify)
	for name, text := range map[string]string{
		"values": "rel=1e-9\ncode=0\n", "other": "x\n", ".gitignore": "out/\n",
		"code.patch": "--- a/values\n+++ b/values\n@@ -1,2 +1,2 @@\n rel=1e-9\n-code=0\n+code=1\n",
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(w.dir, "untracked"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	falsify := func() *exec.Cmd {
		cmd := w.command(t, "falsify")
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
		return cmd
	}
	before := seenOf(t, w.dir)
	began := time.Now()
	if out, err := falsify().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(began)
	random := rand.New(rand.NewPCG(22, 9))
	moments := 5
	if os.Getenv("GPUCI_SOAK") == "1" {
		moments = 60
	}
	for moment := range moments {
		cmd := falsify()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(random.Int64N(int64(whole)))
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if now := seenOf(t, w.dir); now != before {
			t.Fatalf("moment %d, after %s: the lane was\n%s\nand is\n%s", moment, after, before, now)
		}
	}
	out, err := falsify().CombinedOutput()
	if err != nil || !strings.Contains(string(out), "3 of 3 caught") {
		t.Errorf("%v: %s", err, out)
	}
	if now := seenOf(t, w.dir); now != before {
		t.Errorf("the lane was\n%s\nand is\n%s", before, now)
	}
	left, _ := filepath.Glob(filepath.Join(cache, "gpuci", "scratch", "*", "*"))
	books, _ := filepath.Glob(filepath.Join(w.dir, ".git", "worktrees", "*"))
	if len(left)+len(books) > 0 {
		t.Errorf("left: %q, %q", left, books)
	}
	if out, err := w.command(t, "history", "sum", "--json").CombinedOutput(); strings.Contains(string(out), `"run"`) {
		t.Errorf("a trial is among the outcomes: %v: %s", err, out)
	}
	for _, pid := range sleepersIn(t, cache) {
		t.Errorf("pid %d goes on in a scratch lane", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// sleepersIn are processes whose working directory is, or was, below a directory.
func sleepersIn(t *testing.T, dir string) (pids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range list {
		at, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(at, dir+"/") {
			continue
		}
		pid := 0
		for _, c := range strings.TrimSuffix(strings.TrimPrefix(link, "/proc/"), "/cwd") {
			pid = 10*pid + int(c-'0')
		}
		pids = append(pids, pid)
	}
	return pids
}

// Somebody who presses Ctrl-C, or ends it politely, gets the exit code for that, and
// finds nothing left.
func TestFalsifySignalled(t *testing.T) {
	w := newWorkspace(t, strings.Replace(toFalsify, `run = "`, `run = "echo ready >&2; [ \"$rel\" ] || sleep 60; `, 1))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "a"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = w.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	_ = os.WriteFile(filepath.Join(w.dir, "values"), nil, 0o644)
	before := seenOf(t, w.dir)
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cache := filepath.Join(t.TempDir(), "cache")
		cmd := w.command(t, "falsify", "-v")
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
		errs, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		buf, all := make([]byte, 1024), ""
		for !strings.Contains(all, "ready") && err == nil {
			var n int
			n, err = errs.Read(buf)
			all += string(buf[:n])
		}
		_ = cmd.Process.Signal(sig)
		go func() { _, _ = errs.Read(buf) }()
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != want {
			t.Errorf("%v: %v, want %d\n%s", sig, err, want, all)
		}
		if left, _ := filepath.Glob(filepath.Join(cache, "gpuci", "scratch", "*", "*")); len(left) > 0 {
			t.Errorf("%v: left %q", sig, left)
		}
	}
	if now := seenOf(t, w.dir); now != before {
		t.Errorf("the lane was\n%s\nand is\n%s", before, now)
	}
}
