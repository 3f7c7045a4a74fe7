package reaper

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/reaper/proc"
)

// takers are about parents that started a process, or took it over.
var takers = []real{
	{"driver that began its session only then", func(t *testing.T, s stage) int {
		driver := orphan(t, s.lane.Root, s.compiled(t, "leaver", "build"), s.tool(t, "ld"), "100")
		until(t, driver, "leads its session", func(st proc.Stat) bool { return st.Session == driver && st.PPID == 1 })
		return apart(t, childOf(t, driver, "ld"))
	}, false, "led a session of its own only then: a build"},
	{"after that driver was killed", func(t *testing.T, s stage) int {
		driver := orphan(t, s.lane.Root, s.compiled(t, "leaver", "build"), s.tool(t, "ld"), "100")
		until(t, driver, "leads its session", func(st proc.Stat) bool { return st.Session == driver })
		pid := childOf(t, driver, "ld")
		endLater(t, pid)
		kill(t, driver)
		return pid
	}, true, "orphaned"},
	{"under a subreaper that leads an older session", func(t *testing.T, s stage) int {
		adopter := orphan(t, s.lane.Root, lookPath(t, "setsid"), s.compiled(t, "adopter", "tmux"), s.tool(t, "ld"), "100")
		pid := childOf(t, adopter, "ld")
		until(t, pid, "is handed to the subreaper", func(st proc.Stat) bool { return st.PPID == adopter })
		if st, err := proc.Real.Stat(adopter); err != nil || st.Session != adopter {
			t.Fatalf("%+v, %v: nothing to test", st, err)
		}
		if _, err := proc.Real.Autogroup(adopter); err != nil {
			t.Skipf("needs a kernel with autogroups: %v", err) // nothing that could be installed
		}
		return apart(t, pid)
	}, true, "handed to tmux"},
}

// apart waits until a process runs its program, and makes sure that it is in
// another session than its parent.
func apart(t *testing.T, pid int) int {
	t.Helper()
	st, err := proc.Real.Stat(pid)
	up, uerr := proc.Real.Stat(st.PPID)
	if err != nil || uerr != nil || st.Session == up.Session || st.Session == pid {
		t.Fatalf("%+v below %+v, %v, %v: nothing to test", st, up, err, uerr)
	}
	return pid
}

// cheats look leaked, and something speaks against it that only shows on a
// second look.
var cheats = []real{
	{"traced by one that lets it run", func(t *testing.T, s stage) int {
		pid := orphan(t, s.lane.Root, s.tool(t, "ld"), "100")
		tracer := exec.Command(s.compiled(t, "tracer", "tracer"), fmt.Sprint(pid))
		out, err := tracer.StdoutPipe()
		if err == nil {
			err = tracer.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tracer.Process.Kill(); _ = tracer.Wait() })
		var word string
		if _, err := fmt.Fscan(out, &word); err != nil {
			needs(t, "the right to trace: "+err.Error())
		}
		return pid
	}, false, "traces it"},
	{"an interpreter that calls itself cc", func(t *testing.T, s stage) int {
		pid := orphan(t, s.lane.Root, s.compiled(t, "renamer", "perl"), "build.pl", s.tool(t, "ld"), "100")
		childOf(t, pid, "ld")
		return renamed(t, pid, "cc")
	}, false, "runs no script of such a name"},
	{"in a clone inside the lane", func(t *testing.T, s stage) int {
		clone := mkdir(t, filepath.Join(s.lane.Root, "vendor/x"))
		mkdir(t, filepath.Join(clone, ".git"))
		return orphan(t, mkdir(t, filepath.Join(clone, "src")), s.tool(t, "ld"), "100")
	}, false, "vendor/x, which is no lane of this repository"},
	{"in another repository that builds into the same directory", func(t *testing.T, s stage) int {
		other := mkdir(t, filepath.Join(s.tools, "other"))
		if err := os.WriteFile(filepath.Join(other, ".git"), []byte("gitdir: /nowhere\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return orphan(t, other, sleeper(t, filepath.Join(s.lane.Target, "bin/mold")), "100")
	}, false, "which is no lane of this repository"},
}

// What has started a run that lives is a gpuci, whatever it is called and
// whichever file it is: what it took over is no orphan until the run is over.
func TestSweepBesideTheGpuciOfARun(t *testing.T) {
	s := newStage(t)
	runner := orphan(t, s.lane.Root, s.compiled(t, "adopter", "check"), s.tool(t, "ld"), "100")
	pid := childOf(t, runner, "ld")
	until(t, pid, "is handed to the runner", func(st proc.Stat) bool { return st.PPID == runner })
	ripe(t, pid)
	id, err := proc.Real.Identity(runner)
	if err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Runs = map[string]Run{"r": {Lane: "kda", Lives: true, Gpuci: id}}
	if r := sweep(t, o); len(r.Swept) != 0 || !lives(t, pid) {
		t.Fatalf("while the run lives: %s", r)
	}
	o.Runs = map[string]Run{"r": {Lane: "kda", Gpuci: id}}
	if r := sweep(t, o); len(r.Swept) != 1 || r.Swept[0].PID != pid {
		t.Errorf("when it is over: %s", r)
	}
}

// A gpuci that somebody runs below what is leaked goes on.
func TestSweepSparesAGateBelow(t *testing.T) {
	s := newStage(t)
	top := orphan(t, s.lane.Root, s.compiled(t, "spawner", "rustc"), s.tool(t, "gpuci"), "100")
	gate := childOf(t, top, "gpuci")
	endLater(t, gate)
	ripe(t, gate)
	if r := sweep(t, s.options()); len(r.Swept) != 1 || r.Swept[0].PID != top || !lives(t, gate) {
		t.Errorf("%s", r)
	}
}

// Where the file system of a lane does not answer, who is in it is nobody's.
func TestSweepWithoutAnswer(t *testing.T) {
	s := newStage(t)
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld"), "100"))
	e := newEye("", nil)
	p, err := e.look(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	e.hung = hungMost
	o := s.options()
	j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
	if said := find(j, pid); err != nil || said.Leaked || !strings.Contains(said.Why, "is not known") {
		t.Errorf("%+v, %v", said, err)
	}
}
