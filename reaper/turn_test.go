package reaper

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// One that may not be signalled has had its turn: who is not of the family goes
// all the same, and the other is named.
func TestSweepBesideARefusal(t *testing.T) {
	if os.Geteuid() != 0 {
		needs(t, "root")
	}
	s := newStage(t)
	refused := orphan(t, s.lane.Root, s.compiled(t, "halfuser", "ld"))
	await(t, func() bool {
		st, err := proc.Real.Status(refused)
		return err == nil && st.UID != st.EUID
	})
	ripe(t, refused)
	lost := orphanOf(t, &exec.Cmd{Dir: s.tools, Env: []string{cookieVariable + "=lost.1"}}, "/bin/sleep", "600")
	ripe(t, lost)
	o := s.options()
	o.Runs = map[string]Run{"lost": {Lane: "kda"}}
	o.Deadline = 2 * time.Second
	r := sweep(t, o)
	if len(r.Swept) != 1 || r.Swept[0].PID != lost || r.Swept[0].Kind != Started {
		t.Errorf("%s: %+v; want what the lost run left", r, r.Swept)
	}
	if len(r.Survivors) != 1 || r.Survivors[0].PID != refused || !errors.Is(r.Survivors[0].Err, errUser) || len(r.Left) != 0 || !lives(t, refused) {
		t.Errorf("%s: %+v; want the one of two users", r, r.Survivors)
	}
}

// A deadline that is over after a kill, and before two looks found nothing, is
// no clean bill.
func TestSweepCutShort(t *testing.T) {
	s := newStage(t)
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld"), "600"))
	o := s.options()
	o.Deadline = time.Second
	o.Killed = func(Kill) { time.Sleep(o.Deadline) } // and with that it is over
	r := sweep(t, o)
	if len(r.Swept) != 1 || r.Swept[0].PID != pid || len(r.Survivors) != 0 || r.Quiet {
		t.Fatalf("%+v", r)
	}
	if want := "the time was over before two looks in a row found nothing; 1 ended"; r.CutShort() != want {
		t.Errorf("%q; want %q", r.CutShort(), want)
	}
	o.Killed = nil
	if r = sweep(t, o); !r.Quiet || r.CutShort() != "" {
		t.Errorf("with nothing left: %+v", r)
	}
}

// One that had its SIGKILL before the sweep is waited for, and no kill of ours.
func TestSweepOfOneThatHasItsKill(t *testing.T) {
	s := newStage(t)
	pid := orphan(t, s.lane.Root, s.tool(t, "ld"), "100")
	thaw := freeze(t, pid)
	ripe(t, pid)
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	o := s.options()
	o.Deadline = time.Second
	r := sweep(t, o)
	if len(r.Survivors) != 1 || !r.Survivors[0].Pending || r.Survivors[0].Sent || len(r.Left) != 0 {
		t.Errorf("%+v; want one that is waited for, and nothing sent", r)
	}
	other := ripe(t, orphan(t, s.lane.Root, s.tool(t, "rustc"), "100"))
	o.Deadline = 20 * time.Second
	o.Killed = func(k Kill) {
		if k.PID == other {
			thaw()
		}
	}
	swept := pids(sweep(t, o).Swept)
	if len(swept) != 2 || !swept[pid].Earlier || swept[other].Earlier {
		t.Errorf("%+v; want both, one as told earlier", swept)
	}
}

// Where /proc is another pid namespace's, nothing is looked at, and that is said
// at once.
func TestSweepByAForeignProc(t *testing.T) {
	const env = "REAPER_TEST_FOREIGN"
	if os.Getenv(env) == "" {
		if err := exec.Command("unshare", "-fp", "true").Run(); err != nil {
			needs(t, "root and unshare: "+err.Error())
		}
		again(t, env+"=1", "unshare", "-fp")
		return
	}
	r, err := Sweep(soon(t), newStage(t).options())
	if !errors.Is(err, proc.ErrForeign) || r.Passes != 0 || !strings.Contains(err.Error(), "and pid ") {
		t.Errorf("sweep: %+v, %v", r, err)
	}
	if err := Watch(soon(t), newStage(t).options(), 0, func(Judgement) bool { return false }); !errors.Is(err, proc.ErrForeign) {
		t.Errorf("watch: %v", err)
	}
}
