package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/gates"
	"gpuci/reaper/proc/stuckfs"
)

// writePressure makes a directory of pressure files in which everything stands
// at a level, in percent.
func writePressure(dir string, level float64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	line := fmt.Sprintf(" avg10=%.2f avg60=%.2f avg300=%.2f total=1000000\n", level, level, level)
	for _, name := range []string{"cpu", "io", "memory"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("some"+line+"full"+line), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pressureAt is $GPUCI_PRESSURE for a machine with that IO full.
func pressureAt(t *testing.T, dir string, level float64, more ...string) string {
	t.Helper()
	if err := writePressure(dir, level); err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(more, "root="+dir), " ")
}

// under is the stage on a machine with that IO full.
func (s stage) under(t *testing.T, level float64, more ...string) stage {
	t.Helper()
	s.env = append(s.env[:len(s.env):len(s.env)], "GPUCI_PRESSURE="+pressureAt(t, t.TempDir(), level, more...))
	return s
}

// stranger keeps a process of a session of its own waiting for a disk that does
// not answer: another one each second, since one that never moves counts as hung.
func (s stage) stranger(t *testing.T) {
	t.Helper()
	fs, err := stuckfs.Mount(t)
	if err != nil {
		needsTool(t, err.Error())
	}
	dir := t.TempDir()
	reader := fs.Reader(t, dir, true)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Second):
			}
			next := exec.Command("cat", fs.Data)
			next.Dir, next.SysProcAttr = dir, &syscall.SysProcAttr{Setsid: true}
			if err := next.Start(); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(200 * time.Millisecond) // both wait: there is always one
			_ = reader.Process.Kill()
			_ = reader.Wait()
			reader = next
		}
	}()
	t.Cleanup(func() {
		close(over)
		<-done
		_ = reader.Process.Kill()
		fs.Release()
		_ = reader.Wait()
	})
}

// builds reads the records of builds.
func (s stage) builds(t *testing.T) (out []gates.Build) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(s.dir, "..", "home", ".local", "state", "gpuci", "*", "builds", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		b, err := gates.ReadBuild(dir)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// Somebody else keeps the disk busy: the build spends its budget once, says why
// and how long at most, and goes on, one link at a time and marked.
func TestBuildUnderPressure(t *testing.T) {
	t.Parallel()
	s := newStage(t).under(t, 95, "budget=8s")
	s.makefile(t, 4)
	s.stranger(t) // others of this machine may be in D, too
	code, _, stderr := s.run(t, "build", "--", "make", "-j4")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	for want, times := range map[string]int{
		"the next link is held back for ": 1, "): io full 95% over 10 s": 1, "; waiting for the disk: ": 2, "of a budget of 8s": 1,
		"gpuci: links ran under pressure, one at a time, the budget for waiting being spent: io full 95%": 1,
		"gpuci: 4 links under tickets": 1, "held back by the pressure": 1,
	} {
		if n := strings.Count(stderr, want); n != times {
			t.Errorf("%d times %q, want %d, in\n%s", n, want, times, stderr)
		}
	}
	list := s.builds(t)
	if len(list) != 1 || list[0].Held < 8 || list[0].Held >= 16 || // once
		list[0].Under == "" || list[0].Stall == nil {
		t.Errorf("recorded %+v", list)
	}
}

// The stall is of nobody's making but our own: no link is held back.
func TestBuildOwnStall(t *testing.T) {
	s := newStage(t).under(t, 95, "budget=10m")
	s.makefile(t, 3)
	unshare, err := exec.LookPath("unshare")
	if err != nil || os.Getuid() != 0 {
		needsTool(t, "root and unshare")
	}
	// Alone with its own processes: of others on this machine any may be in D.
	cmd := s.command(t, "build", "--", "make")
	cmd.Path, cmd.Args = unshare, append([]string{unshare, "-fp", "--mount-proc", "--kill-child"}, cmd.Args...)
	if code, _, stderr := runCommand(t, cmd); code != 0 || strings.Contains(stderr, "is held back") || strings.Contains(stderr, "under pressure") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A gate waits before it builds; what that takes from its budget its links have
// no more.
func TestGateUnderPressure(t *testing.T) {
	t.Parallel()
	s := newStage(t).under(t, 95, "budget=20s")
	s.gate(t, 3, "", "timeout = '15s'\nbuild-timeout = '15s'\n") // room for a busy machine, and less than is waited
	s.stranger(t)
	code, v, stderr := s.verdict(t)
	if code != 0 || v.Outcome != gates.Green || v.Held < 20 || v.Held >= 40 { // once
		t.Errorf("exit %d, held %v, links %+v: %s", code, v.Held, v.Links, stderr)
	}
	if !strings.Contains(stderr, "gate g is held back for ") {
		t.Errorf("not said: %s", stderr)
	}
	marks := strings.Join(v.Marks, "\n")
	if !strings.Contains(marks, "under pressure: io full 95% over 10 s") || !strings.Contains(marks, "links ran under pressure, one at a time: ") {
		t.Errorf("marks %q", marks)
	}
	code, stdout, _ := s.run(t, "gate", "g", "--no-pressure", "--strict")
	if code != 103 || !strings.Contains(stdout, "pressure: not looked at (--no-pressure)") {
		t.Errorf("--no-pressure: exit %d, %s", code, stdout)
	}
	s.env = append(s.env[:len(s.env):len(s.env)], "GPUCI_PRESSURE=off")
	const off = "pressure: not looked at (GPUCI_PRESSURE=off)"
	if code, stdout, _ = s.run(t, "gate", "g", "--strict"); code != 103 || !strings.Contains(stdout, off) {
		t.Errorf("GPUCI_PRESSURE=off: exit %d, %s", code, stdout)
	}
	if code, _, stderr = s.run(t, "build", "--", "true"); code != 0 || !strings.Contains(stderr, off) {
		t.Errorf("build with GPUCI_PRESSURE=off: exit %d, %s", code, stderr)
	}
}

// What is asked to stop while it is held back stops, and leaves no lock.
func TestHeldBackAndStopped(t *testing.T) {
	t.Parallel()
	s := newStage(t).under(t, 95, "budget=10m")
	s.gate(t, 1, "", "")
	s.stranger(t)
	for ready, args := range map[string][]string{
		"gate g is held back":        {"gate", "g"},
		"the next link is held back": {"build", "--", "make"},
	} {
		r := s.start(t, ready, args...)
		_ = r.Process.Signal(syscall.SIGTERM)
		if code := r.end(); code != 143 {
			t.Errorf("%q: exit %d, %s", args, code, r.stderr.String())
		}
		if left := s.tickets(t); len(left) != 0 {
			t.Errorf("%q: left in the queue: %+v", args, left)
		}
	}
}

// A machine that tells no pressure is loud: as configured, work goes on marked
// or is refused.
func TestPressureUnknown(t *testing.T) {
	s := newStage(t)
	s.gate(t, 1, "", "")
	s.env = append(s.env, "GPUCI_PRESSURE=root="+s.dir+"/none")
	code, v, stderr := s.verdict(t)
	if code != 0 || v.StallUnknown == "" || strings.Count(strings.Join(v.Marks, "\n"), "no such directory of pressure files") != 2 {
		t.Errorf("exit %d, marks %q, %s", code, v.Marks, stderr)
	}
	if code, _, stderr := s.run(t, "build", "--", "make", "-B"); code != 0 || strings.Count(stderr, "no link was held back by the pressure, which cannot be told: ") != 1 || !strings.Contains(stderr, "io full unknown") {
		t.Errorf("build: exit %d, %s", code, stderr)
	}
	s.env = append(s.env, "GPUCI_PRESSURE=unknown=refuse root="+s.dir+"/none")
	if code, v, _ = s.verdict(t); code != 75 || len(v.Findings) == 0 || !strings.Contains(v.Findings[0].Text, "the pressure of this machine cannot be told") || len(v.Next) == 0 {
		t.Errorf("exit %d, %+v", code, v)
	}
	if code, _, stderr := s.run(t, "build", "--", "make", "-B"); code == 0 || !strings.Contains(stderr, "not linked") || !strings.Contains(stderr, "psi=1") {
		t.Errorf("build: exit %d, %s", code, stderr)
	}
	s.env = append(s.env, "GPUCI_PRESSURE=nonsense=1")
	for _, args := range [][]string{{"gate", "g"}, {"build", "--", "make", "-B"}} {
		if code, _, stderr := s.run(t, args...); code != 78 || !strings.Contains(stderr, "GPUCI_PRESSURE") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
}

// load keeps every processor busy.
func load(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
}

// A gate that wants a quiet machine is refused on one that is not, or marked.
func TestQuietBox(t *testing.T) {
	s := newStage(t)
	load(t)
	s.gate(t, 1, "", "quiet-box = true\n")
	code, v, _ := s.verdict(t)
	if code != 75 || len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Text, "the machine is not quiet: processors busy ") || v.Command != nil {
		t.Errorf("exit %d, %+v", code, v)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'sleep 0.5'\nreader = 'none'\nquiet-box = 'mark'\n")
	if code, v, _ = s.verdict(t); code != 0 || v.Outcome != gates.Green || !strings.Contains(strings.Join(v.Marks, "\n"), "the machine is not quiet") {
		t.Errorf("exit %d, %+v", code, v)
	}
	if !strings.Contains(strings.Join(v.Marks, "\n"), "the machine did not stay quiet: others used ") {
		t.Errorf("marks %q", v.Marks)
	}
}

// Somebody stalls the disk during the run, and the run itself waits for nothing:
// its numbers do not stand, however short it is.
func TestQuietBoxBesideAWriter(t *testing.T) {
	s := newStage(t)
	s.write(t, "gpuci.toml", "[[gate]]\nname = 'g'\nrun = 'sleep 0.7'\nreader = 'none'\nquiet-box = 'mark'\n")
	stop := stallFile(t, &s)
	defer stop()
	_, v, stderr := s.verdict(t)
	if marks := strings.Join(v.Marks, "\n"); !strings.Contains(marks, "the machine did not stay quiet: ") || !strings.Contains(marks, "% in the run itself") {
		t.Errorf("marks %q, %s", v.Marks, stderr)
	}
}

// What a run does itself is not somebody else's work.
func TestQuietBoxOwnWork(t *testing.T) {
	s := newStage(t)
	s.write(t, "gpuci.toml", `
[[gate]]
name = "g"
run = "for i in 1 2; do timeout 1 sh -c 'while :; do :; done' & done; wait"
reader = "none"
quiet-box = "mark"
`)
	_, v, stderr := s.verdict(t)
	for _, m := range v.Marks { // other tests may be at work beside this one
		if strings.Contains(m, "not known") {
			t.Errorf("mark %q: %s", m, stderr)
		}
	}
	if v.Stall == nil || v.Stall.OthersCPU == nil {
		t.Errorf("stall %+v", v.Stall)
	}
	data, err := os.ReadFile(filepath.Join(v.Dir, "pressure.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		var p struct {
			Own *float64 `json:"own-cpu"`
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if p.Own != nil && *p.Own > 0 {
			n++
		}
	}
	if n == 0 {
		t.Errorf("no second in which the run was at work:\n%s", data)
	}
}
