package reaper

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Field case 12: a process that SIGKILL does not end. The wait ends at the
// deadline and says so, and it is gone once it can run.
func TestSweepOfAFrozenProcess(t *testing.T) {
	s := newStage(t)
	pid := orphan(t, s.lane.Root, s.tool(t, "ld"), "100")
	other := orphan(t, s.lane.Root, s.tool(t, "rustc"), "100")
	thaw := freeze(t, pid)
	ripe(t, other)
	o := s.options()
	o.Deadline = time.Second
	r := sweep(t, o)
	if len(r.Swept) != 1 || r.Swept[0].PID != other || len(r.Survivors) != 1 || r.Passes < 3 {
		t.Fatalf("%+v", r)
	}
	left := r.Survivors[0]
	if left.PID != pid || !left.Pending || !left.Sent || left.State != 'D' || left.Age <= 0 || left.Err != nil {
		t.Errorf("%+v", left)
	}
	if len(r.Left) != 1 || r.Left[0].PID != pid || r.Left[0].Took <= 0 || r.Quiet || r.CutShort() != "" {
		t.Errorf("%+v; want the kill that was sent", r.Left)
	}
	if text := r.String(); !strings.Contains(text, "SIGKILL pending") || !strings.Contains(text, "state D") || !strings.HasPrefix(text, "swept 1 leaked") {
		t.Errorf("%q", text)
	}
	thaw()
	for ctx := soon(t); lives(t, pid) && ctx.Err() == nil; {
		time.Sleep(time.Millisecond)
	}
	o.Deadline = 20 * time.Second // it is over as soon as nothing is found
	if r := sweep(t, o); len(r.Swept)+len(r.Survivors) != 0 || r.String() != "nothing leaked" || r.Passes != 2 {
		t.Errorf("after the thaw: %+v", r)
	}
}

// One that is thawed while the sweep goes on is counted when it is gone, and
// what it was below does not matter by then.
func TestSweepGoesOnUntilTheThaw(t *testing.T) {
	s := newStage(t)
	top := orphan(t, s.lane.Root, s.compiled(t, "spawner", "rustc"), "/bin/sleep", "100")
	pid := childOf(t, top, "sleep")
	endLater(t, pid)
	thaw := freeze(t, pid)
	o := s.options()
	o.Deadline = 20 * time.Second
	o.Killed = func(k Kill) {
		if k.PID == top { // then the other one is nobody's child, and no tool
			thaw()
		}
	}
	ripe(t, top)
	r := sweep(t, o)
	if swept := pids(r.Swept); len(swept) != 2 || swept[pid].Kind != Below || len(r.Survivors) != 0 {
		t.Errorf("%+v", r)
	}
}

// freeze puts a process into a v1 freezer of the test's own, and returns what
// lets it out again.
func freeze(t *testing.T, pid int) (thaw func()) {
	t.Helper()
	group := filepath.Join("/sys/fs/cgroup/freezer", fmt.Sprintf("reapertest-%d-%d", os.Getpid(), pid))
	if err := os.Mkdir(group, 0o755); err != nil {
		needs(t, "the v1 freezer: "+err.Error())
	}
	put := func(file, text string) {
		if err := os.WriteFile(filepath.Join(group, file), []byte(text), 0); err != nil {
			t.Error(err)
		}
	}
	thaw = func() { put("freezer.state", "THAWED") }
	t.Cleanup(func() {
		if thaw(); lives(t, pid) {
			kill(t, pid)
		}
		for ctx := soon(t); os.Remove(group) != nil && ctx.Err() == nil; {
			time.Sleep(time.Millisecond)
		}
	})
	put("cgroup.procs", strconv.Itoa(pid))
	put("freezer.state", "FROZEN")
	inState(t, pid, 'D')
	return thaw
}
