package reaper

import (
	"errors"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// What is said of one that was not ended is what became of its SIGKILL; what it
// waits in, only of one that waits.
func TestSurvivorText(t *testing.T) {
	one := Judged{Process: Process{Stat: proc.Stat{PID: 7, Comm: "c++", State: 'D'}, Age: 3 * time.Second}, Tool: "g++"}
	young, running := one, one
	young.Young, young.State, running.State = true, 'S', 'R'
	for want, s := range map[string]Survivor{
		"g++ (pid 7, state D, SIGKILL pending, 3s old, waits in io_schedule)":                  {Judged: one, Sent: true, Pending: true, Waits: "io_schedule"},
		"g++ (pid 7, state R, SIGKILL sent, about to end, 3s old)":                             {Judged: running, Sent: true, Waits: "0"},
		"g++ (pid 7, state D, its turn had not come: nothing was sent, 3s old)":                {Judged: one},
		"g++ (pid 7, state S, too young as yet: nothing was sent, 3s old, waits in pipe_read)": {Judged: young, Waits: "pipe_read"},
		"g++ (pid 7, state D, not permitted, 3s old)":                                          {Judged: one, Err: errors.New("not permitted")},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

// The kernel cuts a name after 15 characters; its program has it whole, and a
// tool of the family is called what it is there.
func TestProgram(t *testing.T) {
	cut := Judged{Process: Process{Stat: proc.Stat{Comm: "fused-012345678"}, Exe: proc.Place{Answer: proc.Known, Path: "/t/debug/deps/fused-0123456789abcdef"}}}
	if got := cut.Program(); got != "fused-0123456789abcdef" {
		t.Errorf("%q", got)
	}
	other := cut
	other.Comm = "main"
	if got := other.Program(); got != "main" {
		t.Errorf("%q", got)
	}
	cut.Tool = "ld"
	if got := cut.Program(); got != "ld" {
		t.Errorf("%q", got)
	}
}

// A dry run tells what a sweep would wait for, as the sweep itself would.
func TestDryRunOfTheYoung(t *testing.T) {
	s := newStage(t)
	pid := orphan(t, s.lane.Root, s.tool(t, "ld.mold"), "600")
	o := s.options()
	o.Rules.Floor, o.Patient, o.DryRun = time.Hour, true, true
	if r := sweep(t, o); len(r.Leaked) != 0 || len(r.Young) != 1 || r.Young[0].PID != pid || !lives(t, pid) {
		t.Errorf("%s: %+v", r, r)
	}
	o.Patient = false
	ripe(t, pid) // one of before the sweep, which an impatient one does not wait for
	if r := sweep(t, o); len(r.Leaked)+len(r.Young) != 0 || r.String() != "nothing leaked" {
		t.Errorf("%s: %+v", r, r)
	}
}

// A deadline that is over before anything could be judged is no clean bill, and
// ends nothing.
func TestSweepWithoutALook(t *testing.T) {
	s := newStage(t)
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld.mold"), "600"))
	o := s.options()
	o.Deadline = 1
	for _, o.DryRun = range []bool{false, true} {
		r, err := Sweep(soon(t), o)
		if !errors.Is(err, ErrNoLook) || r.Passes != 0 || len(r.Swept)+len(r.Leaked)+len(r.Survivors) != 0 || !lives(t, pid) {
			t.Errorf("dry %t: %+v, %v", o.DryRun, r, err)
		}
	}
}

// What a deadline left no time for was sent nothing, and that is said.
func TestSweepOutOfTime(t *testing.T) {
	s := newStage(t)
	orphan(t, s.lane.Root, s.tool(t, "ld.mold"), "600")
	o := s.options()
	o.Rules.Floor, o.Patient, o.Deadline = time.Hour, true, 100*time.Millisecond
	r := sweep(t, o)
	if len(r.Survivors) != 1 || len(r.Left) != 0 || r.Survivors[0].Sent || r.Survivors[0].Pending || !r.Survivors[0].Young {
		t.Errorf("%+v", r)
	}
}
