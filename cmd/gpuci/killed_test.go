package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// nobody is a uid that owns nothing.
const nobody = 65534

// asNobody is a command line that runs another as another uid.
func asNobody(t *testing.T) []string {
	t.Helper()
	if _, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		if strict() {
			t.Fatal("needs root and setpriv")
		}
		return nil
	}
	id := strconv.Itoa(nobody)
	return []string{"setpriv", "--reuid", id, "--regid", id, "--clear-groups"}
}

// handOver makes the workspace that user's.
func (w workspace) handOver(t *testing.T) {
	t.Helper()
	for _, dir := range []string{w.dir, w.state} {
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
}

// pid reads a process id that a gate wrote down.
func (w workspace) pid(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// processRuns says whether a process does; a zombie does not.
func processRuns(pid int) bool {
	s, err := proc.Real.Stat(pid)
	return err == nil && !s.Zombie()
}

// outcomes counts the recorded verdicts by outcome.
func (w workspace) outcomes(t *testing.T) map[gates.Outcome]int {
	t.Helper()
	out := make(map[gates.Outcome]int)
	found, _ := filepath.Glob(filepath.Join(w.state, "gpuci", "*", "runs", "*", "verdict.json"))
	for _, path := range found {
		out[readVerdict(t, path).Outcome]++
	}
	return out
}

const leaving = `
[[gate]]
name = "leaves"
run = '''
setsid sleep 3600 &
echo $! > bg
echo $$ > pid; echo ready >&2
sleep 3600
'''
reader = "none"

[[gate]]
name = "next"
run = ["true"]
reader = "none"
`

// After gpuci itself was killed, the next one ends what it left, closes its
// record, and says so. Once as it comes, and once where no leaf can be made.
func TestKilledGpuci(t *testing.T) {
	for name, wrap := range map[string][]string{"as it comes": nil, "another uid": asNobody(t)} {
		t.Run(name, func(t *testing.T) {
			if name == "another uid" && wrap == nil {
				t.Skip("needs root and setpriv")
			}
			w := newWorkspace(t, leaving)
			w.wrap = wrap
			if wrap != nil {
				w.handOver(t)
			}
			r := w.start(t, "ready", "gate", "leaves")
			if err := r.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_, _ = r.wait(t)
			if !processRuns(w.pid(t, "pid")) {
				t.Fatal("the gate ended with its gpuci: there is nothing to test")
			}
			cmd := w.command(t, "gate", "next")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if !strings.Contains(string(out), "of gate leaves left when gpuci was killed") {
				t.Errorf("it says nothing of what it ended: %s", out)
			}
			for _, file := range []string{"pid", "bg"} {
				if pid := w.pid(t, file); processRuns(pid) {
					t.Errorf("%s: pid %d is alive", file, pid)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(w.state, "gpuci", "*", "live", "*")); len(left) > 0 {
				t.Errorf("still said to go on: %q", left)
			}
			if n := w.outcomes(t)[gates.Interrupted]; n != 1 {
				t.Errorf("%d interrupted runs are recorded, want 1", n)
			}
		})
	}
}
