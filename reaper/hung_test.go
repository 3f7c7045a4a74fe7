package reaper

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whether what works on a silent server works in a directory that was removed is
// not known: it is let be and named, and costs the others nothing.
func TestSweepBesideASilentServer(t *testing.T) {
	s := newStage(t)
	f := mountStuck(t)
	defer f.Release()
	ld := s.tool(t, "ld")
	var there []int
	for range 3 { // the child goes there by itself: our own runtime stands still until it has, and the server is in it
		pid := orphan(t, s.tools, "/bin/sh", "-c", `cd "$1" && exec "$2" 600`, "sh", f.Dir, ld)
		there = append(there, ripe(t, pid))
	}
	f.Silence()
	pid := ripe(t, orphan(t, s.lane.Root, ld, "600"))
	o := s.options()
	o.Deadline = 20 * time.Second
	o.Lanes = append(o.Lanes, Lane{Name: "hung", Root: filepath.Dir(f.Dir)})
	o.Wanted = func(string) bool { return true }
	r := sweep(t, o)
	named := slices.ContainsFunc(r.Blind, func(text string) bool {
		return strings.HasPrefix(text, "working directory of ld (pid ") && strings.Contains(text, f.Dir+" does not answer")
	})
	if len(r.Swept) != 1 || r.Swept[0].PID != pid || len(r.Survivors) != 0 || !r.Quiet || !named {
		t.Errorf("%s: %+v", r, r)
	}
	for _, pid := range there {
		if !lives(t, pid) {
			t.Error("one of which nothing is known was ended")
		}
	}
}

// The memory of a hung process does not answer. A sweep does not ask where the
// working directory tells whose it is; where nothing else does it asks once,
// for a moment, and lets the process be.
func TestSweepOfAHungProcess(t *testing.T) {
	s := newStage(t)
	mapper := s.compiled(t, "mapper", "ld")
	f := mountStuck(t)
	defer f.Release()
	f.Hold(t)
	elsewhere := inState(t, orphan(t, s.tools, mapper, f.Page), 'D')
	o := s.options()
	o.Runs = map[string]Run{"lost": {Lane: "kda"}}
	o.Deadline = 20 * time.Second
	ripe(t, elsewhere)
	began := time.Now()
	r := sweep(t, o)
	asked := slices.ContainsFunc(r.Blind, func(text string) bool { return strings.HasPrefix(text, "environment of ld (pid ") })
	if len(r.Swept)+len(r.Survivors) != 0 || !asked || !lives(t, elsewhere) || r.Passes != 2 {
		t.Errorf("%+v", r)
	}
	t.Logf("%s for two passes", time.Since(began))
	inLane := inState(t, orphan(t, s.lane.Root, mapper, f.Page), 'D')
	ripe(t, inLane)
	o.Deadline = 500 * time.Millisecond
	r = sweep(t, o)
	switch { // the kernel may let it die while it waits for the page, or not
	case len(r.Swept) == 1 && r.Swept[0].PID == inLane:
	case len(r.Survivors) == 1 && r.Survivors[0].PID == inLane && r.Survivors[0].Pending:
	default:
		t.Errorf("in the lane: %+v", r)
	}
	if !lives(t, elsewhere) {
		t.Error("the one whose is not known was ended")
	}
}
