package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper"
	"gpuci/reaper/proc"
)

// orphanOf starts a program in a session that its parent leaves, and returns its
// pid once it is old enough.
func orphanOf(t *testing.T, dir, program string) int {
	t.Helper()
	cmd := exec.Command("sh", "-c", program+" 3600 >/dev/null 2>&1 & echo $!")
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	endAndAge(t, pid)
	return pid
}

// endAndAge waits until a process is old enough, and ends it with the test.
func endAndAge(t *testing.T, pid int) {
	t.Helper()
	id, err := proc.Real.Identity(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proc.Real.Signal(id, unix.SIGKILL) })
	eventually(t, "one of 2 s", func() bool { return proc.Real.Age(proc.Stat{Start: id.Start}) > 2*time.Second })
}

// Orphaned test binaries are listed, and end only where that is asked for; what
// is not named as one is a training run for all that anybody knows.
func TestReaperTestBinaries(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, kda := s.lanes(t)
	s.dir = kda
	sleep, err := os.ReadFile("/bin/sleep")
	if err != nil {
		needsTool(t, "/bin/sleep")
	}
	var pids []int
	for _, name := range []string{"debug/deps/fused-0123456789abcdef", "release/trainer"} {
		path := filepath.Join(kda, "target", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, sleep, 0o755); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, orphanOf(t, kda, path))
	}
	_, stdout, stderr := s.run(t, "reaper", "list")
	for _, text := range []string{"): 2 processes, 0 leaked\n  not leaked: an orphan in the target directory is only listed\n", fmt.Sprintf("    fused-0123456789abcdef (in the target directory)  pid %d ", pids[0]), "    trainer (in the target directory)  ", fmt.Sprintf("  pid %d ", pids[1]), "next: gpuci reaper sweep --test-binaries ends orphaned test binaries too"} {
		if !strings.Contains(stdout, text) {
			t.Errorf("no %q in %s%s", text, stdout, stderr)
		}
	}
	if code, _, _ := s.run(t, "reaper", "sweep"); code != 0 || !isThere(pids[0]) {
		t.Errorf("exit %d, the test binary is there: %t", code, isThere(pids[0]))
	}
	_, stdout, _ = s.run(t, "reaper", "sweep", "--test-binaries", "--dry-run")
	for _, text := range []string{"would end fused-0123456789abcdef (pid ", ": 1 fused-0123456789abcdef\n", fmt.Sprintf("let be: trainer (pid %d ", pids[1]), fmt.Sprintf(": not named as a test binary is; if it is to go all the same: kill %d\n", pids[1])} {
		if !strings.Contains(stdout, text) {
			t.Errorf("no %q in %s", text, stdout)
		}
	}
	if code, report, _, _ := s.sweptJSON(t, "--test-binaries"); code != 0 || report.Swept != 1 || isThere(pids[0]) || !isThere(pids[1]) {
		t.Errorf("exit %d, %+v; the test binary is there: %t, the other one: %t", code, report, isThere(pids[0]), isThere(pids[1]))
	}
	if _, stdout, _ = s.run(t, "reaper", "list"); !strings.Contains(stdout, "    trainer (in the target directory)  ") || strings.Contains(stdout, "next: ") {
		t.Errorf("what the flag would not end is no reason to name it: %s", stdout)
	}
}

// What a gate left whose gpuci was killed is leaked, whatever its name.
func TestReaperStarted(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, kda := s.lanes(t)
	s.dir = kda
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'echo $$ > pid; echo ready >&2; exec sleep 3600'\nreader = 'none'\n")
	r := s.start(t, "ready", "gate", "g")
	pid := s.pid(t, "pid")
	endAndAge(t, pid)
	if _, report, stdout, _ := s.sweptJSON(t); report.Swept != 0 || !isThere(pid) {
		t.Fatalf("its gpuci lives: %s", stdout)
	}
	_ = r.Process.Kill()
	_ = r.Wait()
	_, stdout, _ := s.run(t, "reaper", "list", "--json")
	var found []anyLine
	for _, l := range reaperLines(t, stdout, "process") {
		if l.PID == pid {
			found = append(found, l)
		}
	}
	if len(found) != 1 || found[0].Kind != reaper.Started || !found[0].Leaked || found[0].Lane != "kda" || found[0].Tool != "" {
		t.Errorf("listed %+v; it is there: %t", found, isThere(pid))
	}
	if code, report, stdout, _ := s.sweptJSON(t); code != 0 || report.Swept != 1 || isThere(pid) {
		t.Errorf("exit %d, %s", code, stdout)
	}
}
