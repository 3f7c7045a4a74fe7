package reaper

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sweep is Sweep, which must not fail.
func sweep(t *testing.T, o Options) Report {
	t.Helper()
	r, err := Sweep(soon(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pids are those of a report.
func pids(list []Kill) map[int]Kill {
	out := make(map[int]Kill)
	for _, k := range list {
		out[k.PID] = k
	}
	return out
}

// A linker in D that can be killed leaves its vforked child an orphan.
func TestSweepOfAVforkParent(t *testing.T) {
	s := newStage(t)
	pid := inState(t, orphan(t, s.lane.Root, s.compiled(t, "vforker", "ld.mold")), 'D')
	child := ripe(t, childOf(t, pid, "ld.mold"))
	endLater(t, child)
	var told []Kill
	o := s.options()
	o.Killed = func(k Kill) { told = append(told, k) }
	r := sweep(t, o)
	swept := pids(r.Swept)
	if len(swept) != 2 || swept[pid].Tool != "ld.mold" || swept[child].Tool != "ld.mold" || len(told) != 2 || lives(t, pid) || lives(t, child) {
		t.Errorf("%+v; told of %d; want both", r, len(told))
	}
	if swept[pid].Lane != "kda" || swept[pid].Evidence != "cwd" || swept[pid].Took <= 0 || swept[pid].IO == nil || swept[child].Top != pid {
		t.Errorf("%+v", swept[pid])
	}
	if want := "swept 2 leaked (lane kda; oldest 0s): 2 ld.mold"; r.String() != want {
		t.Errorf("%q; want %q", r, want)
	}
	if r.Passes < 3 {
		t.Errorf("%d passes; want two after the one that found something", r.Passes)
	}
}

// Field case 11: the number means somebody else by now, or the machine was
// started anew. Nothing is sent, and that is no survivor of ours.
func TestSignalOfAReusedPid(t *testing.T) {
	s := newStage(t)
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld"), "100"))
	for name, spoil := range map[string]func(*sweeper, *Process){
		"start":  func(_ *sweeper, p *Process) { p.Start-- },
		"boot":   func(sw *sweeper, _ *Process) { sw.boot = "another" },
		"parent": func(_ *sweeper, p *Process) { p.PPID = os.Getpid() },
		"user":   func(_ *sweeper, p *Process) { p.UID++ },
	} {
		sw, err := newSweeper(s.options())
		if err != nil {
			t.Fatal(err)
		}
		picture, err := sw.eye.look(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		p := whole(picture.Facts, picture.Processes[pid])
		spoil(sw, &p)
		if fresh := sw.signal([]Judged{{Process: p}}); fresh || len(sw.sent) != 0 {
			t.Errorf("%s: taken for signalled", name)
		}
		if !lives(t, pid) {
			t.Fatalf("%s: it was ended", name)
		}
	}
	if r := sweep(t, s.options()); len(r.Swept) != 1 {
		t.Errorf("%s; and as it is it must go", r)
	}
}

// One that was there before the sweep, and is younger than the floor, is neither
// ended nor waited for.
func TestSweepOfTheYoung(t *testing.T) {
	s := newStage(t)
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld"), "100"))
	o := s.options()
	o.Rules.Floor = time.Hour
	if r := sweep(t, o); len(r.Swept)+len(r.Survivors) != 0 || r.Passes != 2 || !lives(t, pid) {
		t.Errorf("%+v", r)
	}
	p, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
	if said := find(j, pid); err != nil || said.Leaked || !said.Young || said.Why != "younger than 1h0m0s" || said.Lane != "kda" {
		t.Errorf("%+v, %v", said, err)
	}
}

// The chain of a real link, whose make was killed: gcc, collect2 and ld, which
// waits for an object that never comes.
func TestSweepOfARealLink(t *testing.T) {
	lookPath(t, "gcc")
	s := newStage(t)
	if err := unix.Mkfifo(filepath.Join(s.lane.Root, "slow.o"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.lane.Root, "Makefile"), []byte("all:\n\tgcc -o x slow.o\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	driver := orphanOf(t, &exec.Cmd{Dir: s.lane.Root, Env: append(os.Environ(), "MAKEFLAGS=")}, lookPath(t, "make"))
	linker := childOf(t, driver, "ld")
	gcc := childOf(t, driver, "gcc")
	endLater(t, gcc)
	ripe(t, linker)
	if r := sweep(t, s.options()); len(r.Swept) != 0 || !lives(t, linker) {
		t.Fatalf("a living build was swept: %s", r)
	}
	kill(t, driver)
	r := sweep(t, s.options())
	if swept := pids(r.Swept); len(swept) != 3 || swept[gcc].Tool != "gcc" || swept[linker].Top != gcc || lives(t, linker) {
		t.Errorf("%s: %+v", r, r)
	}
}

// A patient sweep ends what was orphaned a moment ago, once it is old enough.
func TestSweepIsPatient(t *testing.T) {
	s := newStage(t)
	pid := orphan(t, s.lane.Root, s.tool(t, "ld.mold"), "600")
	o := s.options()
	o.Rules.Floor, o.Patient = 500*time.Millisecond, true
	if r := sweep(t, o); len(r.Swept) != 1 || r.Swept[0].PID != pid || r.Swept[0].Age < o.Rules.Floor {
		t.Errorf("%s: %+v", r, r)
	}
}
