package reaper

import (
	"slices"
	"strings"
	"testing"
	"time"
)

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
