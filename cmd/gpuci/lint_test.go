package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// linted makes a workspace with a commit of what is in it.
func linted(t *testing.T, config string, files map[string]string) workspace {
	t.Helper()
	w := newWorkspace(t, config)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o755); err != nil {
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
	return w
}

// answer runs a command and gives what it says and ends with.
func answer(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestLintProof: a proof has the command run as ever, and then fail: what comes after it
// finds its output and its products. What a gate never removes a proof does not either,
// and a gate that notices does not speak for one that does not.
func TestLintProof(t *testing.T) {
	w := linted(t, `
[[gate]]
name = "output"
run = ["bash", "-c", "./step 2>&1 | tee step.log; grep -q 'test result' step.log"]
reader = "none"
[[gate]]
name = "product"
run = "./step > out || true; test -s out"
reader = "none"
[[gate]]
name = "notices"
run = "./swallows; test -s step.log; ! grep -q x step.log || exit 1; [ ! -e failed ]"
reader = "none"
[[gate]]
name = "both"
run = ["./swallows"]
reader = "none"
[[gate]]
name = "removes"
run = ["bash", "removes"]
reader = "none"
`, map[string]string{
		"step":     "#!/bin/sh\necho test result\n",
		"swallows": "#!/bin/sh\n./step > step.log || touch failed\nexit 0\n",
		"tmpdir":   "#!/bin/sh\nmktemp -d\n",
		"removes":  "dir=$(./tmpdir)\n: ${VICTIM:?}\nrm -rf \"$dir\"$VICTIM/*\n",
	})
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.Mkdir(victim, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(victim, "weights"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	prove := func(names ...string) (string, int) {
		cmd := w.command(t, append([]string{"lint", "--prove"}, names...)...)
		cmd.Env = append(cmd.Env, "VICTIM="+victim)
		return answer(t, cmd)
	}
	for _, tt := range []struct {
		gates string
		exit  int
		says  string
	}{
		{"output", 100, "1 proven"}, {"product", 100, "1 proven"},
		{"removes", 100, "1 proven"},
	} {
		if out, exit := prove(strings.Fields(tt.gates)...); exit != tt.exit || !strings.Contains(out, tt.says) {
			t.Errorf("%s: exit %d, want %d and %q: %s", tt.gates, exit, tt.exit, tt.says, out)
		}
	}
	if _, err := os.Stat(filepath.Join(victim, "weights")); err != nil {
		t.Errorf("a proof removed what the gate never does: %v", err)
	}
}

// TestLintProofOfSeveral: a finding that two gates come by is proven where one of them
// does not notice, in whatever order they stand.
func TestLintProofOfSeveral(t *testing.T) {
	w := linted(t, `
[[gate]]
name = "notices"
run = "./swallows; [ ! -e failed ]"
reader = "none"
[[gate]]
name = "does-not"
run = ["./swallows"]
reader = "none"
`, map[string]string{
		".gitignore": "failed\n",
		"step":       "#!/bin/sh\n",
		"swallows":   "#!/bin/sh\n./step || echo no > failed\n",
	})
	for names, want := range map[string]string{"notices": "1 withdrawn", "notices does-not": "1 proven", "does-not notices": "1 proven"} {
		if out, _ := answer(t, w.command(t, append([]string{"lint", "--prove"}, strings.Fields(names)...)...)); !strings.Contains(out, want) {
			t.Errorf("%s: want %s: %s", names, want, out)
		}
	}
}

// TestLintShellcheck: what shellcheck says is added, and one that hangs, floods or does
// not know its options holds nothing up and changes no exit code.
func TestLintShellcheck(t *testing.T) {
	w := linted(t, "[[gate]]\nname = \"g\"\nrun = [\"./run.sh\"]\nreader = \"none\"\n", map[string]string{
		"run.sh": "#!/bin/bash\nset -e\nexport V=$(git describe)\nif [ -e x ]; then rc=$?; exit $rc; fi\nfiglet \"$V\"\n",
	})
	under := func(script string) *exec.Cmd {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "shellcheck"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := w.command(t, "lint", "--json")
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		return cmd
	}
	for _, tt := range []struct {
		name, script string
		exit         int
		says         string
	}{
		{"finds", `echo '[{"line":4,"code":2319,"message":"This refers to a condition"},{"line":3,"code":2155,"message":"Declare"}]'; exit 1`, 103, `"kind":"shellcheck","gates":["g"],"file":"run.sh","line":4`},
		{"finds nothing that matters", `echo '[{"line":3,"code":2155,"message":"Declare"},{"line":4,"code":2086,"message":"quote"}]'; exit 1`, 0, `"findings":0`},
		{"is old", `case "$*" in *--norc*) exit 4 ;; esac; echo '[]'`, 0, `"findings":0`},
		{"cannot", "exit 3", 0, "run.sh was not read by shellcheck, only by gpuci"},
		{"says something else", "echo hello", 0, "it does not answer in JSON"},
		{"is killed", "kill -9 $$", 0, "it could not look"},
		{"floods", "cat /dev/zero", 0, "MiB"},
	} {
		if out, exit := answer(t, under(tt.script)); exit != tt.exit || !strings.Contains(out, tt.says) {
			t.Errorf("%s: exit %d, want %d and %s: %.600s", tt.name, exit, tt.exit, tt.says, out)
		}
	}
}

// TestLintShellcheckHangs: it is ended in ten seconds, with what it started; and at once by
// Ctrl-C.
func TestLintShellcheckHangs(t *testing.T) {
	w := linted(t, "[[gate]]\nname = \"g\"\nrun = [\"./run.sh\"]\nreader = \"none\"\n", map[string]string{"run.sh": "#!/bin/bash\nexit 0\n"})
	dir := t.TempDir()
	pipe := filepath.Join(dir, "ready")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	hangs := "#!/bin/sh\ntrap '' TERM INT\nsleep 1000 & echo $! > " + pipe + "\nwait; sleep 1000\n"
	if err := os.WriteFile(filepath.Join(dir, "shellcheck"), []byte(hangs), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{0, syscall.SIGINT, syscall.SIGTERM} {
		cmd := w.command(t, "lint")
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(pipe) // the shellcheck is there
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if signal != 0 {
			want = 128 + int(signal)
			_ = cmd.Process.Signal(signal)
		}
		_ = cmd.Wait()
		if exit := cmd.ProcessState.ExitCode(); exit != want || signal == 0 && !strings.Contains(out.String(), "no answer within 10s") {
			t.Errorf("signal %d: exit %d, want %d: %s", signal, exit, want, &out)
		}
		var pid int
		if _, err := fmt.Sscan(string(text), &pid); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err == nil && !isZombie(pid) {
			t.Errorf("signal %d: what shellcheck started goes on", signal)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// TestLintInterrupted: by Ctrl-C, politely, or killed in the middle of a proof: the lane is
// as it was, nothing goes on, and nothing is left, at the latest after the next start.
func TestLintInterrupted(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "ready")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	w := linted(t, "[[gate]]\nname = \"g\"\nrun = [\"./run.sh\"]\nreader = \"none\"\n[[gate]]\nname = \"quick\"\nrun = \"./check || true\"\nreader = \"none\"\n", map[string]string{
		"run.sh": "#!/bin/bash\n./check || true\nif [ -n \"$READY\" ]; then echo $$ > $READY; sleep 1000; fi\n",
		"check":  "#!/bin/sh\n",
	})
	if err := os.WriteFile(filepath.Join(w.dir, "untracked"), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache, tmp := filepath.Join(t.TempDir(), "cache"), t.TempDir()
	lint := func(gate, ready string) *exec.Cmd {
		cmd := w.command(t, "lint", "--prove", gate)
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache, "TMPDIR="+tmp, "READY="+ready)
		return cmd
	}
	before := seenOf(t, w.dir)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		cmd := lint("g", pipe)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(pipe); err != nil { // the gate runs in the scratch lane
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(signal)
		_ = cmd.Wait()
		if signal != syscall.SIGKILL {
			if exit := cmd.ProcessState.ExitCode(); exit != 128+int(signal) {
				t.Errorf("%v: exit %d: %s", signal, exit, &out)
			}
			nothingLeft(t, w.dir, cache, tmp)
		}
		if d := cmp.Diff(before, seenOf(t, w.dir)); d != "" {
			t.Errorf("%v: the lane is otherwise: %s", signal, d)
		}
	}
	if out, exit := answer(t, lint("quick", "")); exit != 100 {
		t.Errorf("exit %d: %s", exit, out)
	}
	nothingLeft(t, w.dir, cache, tmp)
	for _, pid := range sleepersIn(t, cache) {
		t.Errorf("pid %d goes on in a scratch lane", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// nothingLeft looks for scratch lanes, their books, and files of ours elsewhere.
func nothingLeft(t *testing.T, lane, cache, tmp string) {
	t.Helper()
	var left []string
	for _, glob := range []string{filepath.Join(cache, "gpuci", "scratch", "*", "*"), filepath.Join(lane, ".git", "worktrees", "*"), filepath.Join(tmp, "gpuci*")} {
		found, _ := filepath.Glob(glob)
		left = append(left, found...)
	}
	if len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestLintLongLine: a script of one line of megabytes is not printed whole.
func TestLintLongLine(t *testing.T) {
	w := linted(t, "[[gate]]\nname = \"g\"\nrun = [\"./run.sh\"]\nreader = \"none\"\n", map[string]string{
		"run.sh": "#!/bin/sh\n./check " + strings.Repeat("x", 3<<20) + " || true\n",
	})
	began := time.Now()
	for _, args := range [][]string{{"lint"}, {"lint", "--json"}} {
		if out, exit := answer(t, w.command(t, args...)); exit != 103 || len(out) > 4000 {
			t.Errorf("%q: exit %d, %d bytes: %.300s", args, exit, len(out), out)
		}
	}
	t.Logf("%s", time.Since(began))
}
