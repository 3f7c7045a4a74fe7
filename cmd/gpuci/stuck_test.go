package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/reaper/proc"
)

// freezer makes a cgroup of the v1 freezer, the one thing here that makes a
// process which SIGKILL does not end.
func freezer(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("/sys/fs/cgroup/freezer", "gpuci-stuck-"+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(dir, 0o755); err != nil {
		if strict() {
			t.Fatal("needs a v1 freezer that can be written: " + err.Error())
		}
		t.Skip("needs a v1 freezer that can be written: " + err.Error())
	}
	t.Cleanup(func() {
		thaw(dir)
		for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if os.Remove(dir) == nil {
				return
			}
		}
		t.Errorf("%s could not be removed", dir)
	})
	return dir
}

func thaw(dir string) { _ = os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("THAWED"), 0) }

const freezing = `
[[gate]]
name = "freezes"
grace = "50ms"
run = '''
setsid sleep 3600 >/dev/null 2>&1 &
echo $! > frozen
until grep -q sleep /proc/$!/comm; do sleep 0.01; done
echo $! > %[1]s/cgroup.procs
echo FROZEN > %[1]s/freezer.state
'''
reader = "none"

[[gate]]
name = "killed"
run = '''
setsid sleep 3601 >/dev/null 2>&1 &
echo $! > left
echo ready >&2; sleep 3602
'''
reader = "none"

[[gate]]
name = "daemon"
leave = ["tail"]
run = '''
setsid tail -f /dev/null >/dev/null 2>&1 &
echo $! > daemon
until grep -q tail /proc/$!/comm; do sleep 0.01; done
echo ready >&2; sleep 3602
'''
reader = "none"

[[gate]]
name = "nothing"
run = ["true"]
reader = "none"
`

// A process that a run could not end is named as that by the next one: nobody
// was killed, and it is not ended though SIGKILL is pending. It does not keep
// the next gate from ending what another one left, which was killed.
func TestStuckThenKilled(t *testing.T) {
	dir := freezer(t)
	w := newWorkspace(t, fmt.Sprintf(freezing, dir))
	out, err := w.command(t, "gate", "--keep-going", "freezes", "nothing").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for text, want := range map[string]int{
		"mark     could not be ended: sleep (pid ": 1, "SIGKILL pending": 2, "still there of what run": 1, "was killed": 0, "ended what": 0, "<nil>": 0,
	} {
		if got := strings.Count(string(out), text); got != want {
			t.Errorf("%q is there %d times, want %d: %s", text, got, want, out)
		}
	}
	r := w.start(t, "ready", "gate", "killed")
	_ = r.Process.Kill()
	_, _ = r.wait(t)
	out, err = w.command(t, "gate", "nothing").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "of gate killed left when gpuci was killed: ") || strings.Contains(string(out), "gate freezes left when") {
		t.Errorf("%v: %s", err, out)
	}
	if processRuns(w.pid(t, "left")) || !processRuns(w.pid(t, "frozen")) {
		t.Error("what the killed one left is alive, or the frozen one is not")
	}
	if v := w.of(t, "killed"); len(v) != 1 || v[0].Leftover == nil || len(v[0].Leftover.Ended) < 2 {
		t.Errorf("the killed one's record: %+v", v)
	}
	if v := w.of(t, "freezes"); len(v) != 1 || v[0].Outcome != gates.Green || v[0].Leftover == nil || len(v[0].Leftover.Survivors) != 1 {
		t.Errorf("the frozen one's record: %+v", v)
	}
	thaw(dir)
	for end := time.Now().Add(longest); processRuns(w.pid(t, "frozen")); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is alive, and thawed")
		}
	}
	if out, err := w.command(t, "gate", "nothing").CombinedOutput(); err != nil || strings.Contains(string(out), "still there") {
		t.Errorf("%v: %s", err, out)
	}
	if l := w.of(t, "freezes")[0].Leftover; l == nil || len(l.Survivors) != 0 {
		t.Errorf("it has ended, and its record says: %+v", l)
	}
	w.nothingLive(t)
}

// Ctrl-C ends also the wait for what a killed one left.
func TestInterruptedWhileEnding(t *testing.T) {
	dir := freezer(t)
	w := newWorkspace(t, fmt.Sprintf(freezing, dir))
	r := w.start(t, "ready", "gate", "killed")
	_ = os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(w.pid(t, "left"))), 0)
	_ = os.WriteFile(filepath.Join(dir, "freezer.state"), []byte("FROZEN"), 0)
	_ = r.Process.Kill()
	_, _ = r.wait(t)
	cmd := w.command(t, "gate", "nothing")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // it waits by now; if it does not yet, the signal comes even earlier
	began := time.Now()
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	t.Logf("it took %s more", time.Since(began))
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
	if v := w.of(t, "nothing"); len(v) != 1 || v[0].Outcome != gates.Interrupted || len(v[0].Commands) != 0 {
		t.Errorf("%+v", v)
	}
	thaw(dir)
	if out, err := w.command(t, "gate", "nothing").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	w.nothingLive(t)
}

// A daemon that may stay stays also when gpuci was killed, and is told.
func TestKilledAndSpared(t *testing.T) {
	w := newWorkspace(t, fmt.Sprintf(freezing, "/nowhere"))
	r := w.start(t, "ready", "gate", "daemon")
	_ = r.Process.Kill()
	_, _ = r.wait(t)
	out, err := w.command(t, "gate", "nothing").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "left running, as gpuci.toml says, of what run") {
		t.Errorf("%v: %s", err, out)
	}
	pid := w.pid(t, "daemon")
	s, err := proc.Real.Identity(pid)
	if err != nil || !processRuns(pid) {
		t.Fatalf("the daemon is gone: %v", err)
	}
	if v := w.of(t, "daemon"); len(v) != 1 || v[0].Leftover == nil || len(v[0].Leftover.Left) != 1 {
		t.Errorf("%+v", v)
	}
	if err := proc.Real.Signal(s, 9); err != nil {
		t.Error(err)
	}
	w.nothingLive(t)
}

// A gpuci that was killed before its run had a directory, or its file a name.
func TestKilledEarly(t *testing.T) {
	w := newWorkspace(t, fmt.Sprintf(freezing, "/nowhere"))
	if err := w.command(t, "gate", "nothing").Run(); err != nil {
		t.Fatal(err)
	}
	started, err := os.ReadFile(w.stored(t, "runs/*/started.json")[0])
	if err != nil {
		t.Fatal(err)
	}
	const run = "20260101T000000Z-00000001"
	text := strings.ReplaceAll(string(started), w.of(t, "nothing")[0].Run, run)
	live := w.stored(t, "live")[0]
	old := time.Now().Add(-time.Hour)
	for name, at := range map[string]time.Time{run + ".json": old, "20260101T000000Z-00000002.json.part": old, "20260101T000000Z-00000003.json.part": time.Now()} {
		path := filepath.Join(live, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := w.command(t, "gate", "nothing").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	left := w.stored(t, "live/*")
	if len(left) != 1 || !strings.Contains(left[0], "00000003") {
		t.Errorf("in live are %q; want the file that may be in the making alone", left)
	}
	if found := w.stored(t, "runs/"+run+"/verdict.json"); len(found) != 1 || readVerdict(t, found[0]).Outcome != gates.Interrupted {
		t.Errorf("the run is not closed: %q", found)
	}
}
