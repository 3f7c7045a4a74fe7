package reaper

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// Field case 8: processes that are forked while the sweep goes on. A chain,
// whose members live for 5 ms, and a brood, whose mother stays; each new one in
// a session of its own, and once with nothing in its environment. In a pid
// namespace, so that nothing of it can outlive the test.
func TestSweepOfForkers(t *testing.T) {
	const inside = "REAPER_TEST_FORKERS"
	if os.Getenv(inside) == "" {
		if os.Geteuid() != 0 {
			needs(t, "root")
		}
		again(t, inside+"=1", lookPath(t, "unshare"), "-fp", "--mount-proc", "--kill-child", systemd(t), "-c", `"$@"; exit $?`, "sh")
		return
	}
	for _, way := range []string{"chain", "brood"} {
		for name, env := range map[string][]string{"": os.Environ(), " without environment": {}} {
			t.Run(way+name, func(t *testing.T) { sweepForkers(t, way, env) })
		}
	}
}

func sweepForkers(t *testing.T, way string, env []string) {
	s := newStage(t)
	o := s.options()
	// The shell between us and it is gone at once, so that pid 1 has it.
	start := exec.Command("/bin/sh", "-c", `"$@" &`, "sh", s.compiled(t, "forker", "ld.mold"), way)
	start.Dir, start.Env = s.lane.Root, env
	detach(start)
	if err := start.Run(); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(named(t, "ld.mold")) > 0 })
	if way == "brood" {
		o.Rules.Floor = 300 * time.Millisecond
		await(t, func() bool {
			list := named(t, "ld.mold")
			return len(list) > 20 && proc.Real.Age(oldest(list)) > o.Rules.Floor
		})
	}
	r := sweep(t, o)
	for ctx := soon(t); len(r.Chains) > 0 && ctx.Err() == nil; { // none of which was a tick old by chance
		r = sweep(t, o)
	}
	if list := named(t, "ld.mold"); len(list) > 0 || len(r.Swept) == 0 || len(r.Survivors) > 0 {
		t.Errorf("%d are left; %s", len(list), r)
	}
	t.Logf("%d passes; %s", r.Passes, r)
	for _, k := range r.Swept {
		if k.Tool != "ld.mold" || k.Evidence != "cwd" {
			t.Errorf("%+v", k)
		}
	}
}

// systemd is a shell that is systemd by its program: as process 1 it has what
// leads a session without a unit.
func systemd(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("/bin/sh")
	path := filepath.Join(t.TempDir(), "systemd")
	if err == nil {
		err = os.WriteFile(path, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Field case 8 without evidence: a chain that is younger than the floor for
// ever. It is found out and named, with what it runs and whose it is, nothing of
// it is ended, and the deadline is not waited for.
func TestSweepOfAChain(t *testing.T) {
	const inside = "REAPER_TEST_CHAIN"
	if os.Getenv(inside) == "" {
		if os.Geteuid() != 0 {
			needs(t, "root")
		}
		again(t, inside+"=1", lookPath(t, "unshare"), "-fp", "--mount-proc", "--kill-child", systemd(t), "-c", `"$@"; exit $?`, "sh")
		return
	}
	s := newStage(t)
	start := exec.Command("/bin/sh", "-c", `"$@" &`, "sh", s.compiled(t, "forker", "ld.mold"), "chain")
	start.Dir = s.lane.Root
	detach(start)
	if err := start.Run(); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return len(named(t, "ld.mold")) > 0 })
	single := orphan(t, s.lane.Root, s.tool(t, "ld"), "100") // who is old enough goes all the same
	for _, patient := range []bool{true, false} {
		o := s.options()
		o.Rules.Floor, o.Patient, o.Deadline = 500*time.Millisecond, patient, time.Hour
		r := sweep(t, o)
		swept := r.Swept
		for ctx := soon(t); len(r.Chains) == 0 && ctx.Err() == nil; { // its looks fell between two of them, as they do on a busy machine
			r = sweep(t, o)
			swept = append(swept, r.Swept...)
		}
		if len(r.Chains) != 1 || len(r.Survivors) > 0 {
			t.Fatalf("patient %t: %s", patient, r)
		}
		await(t, func() bool { return len(named(t, "ld.mold")) > 0 }) // it goes on
		c := r.Chains[0]
		if c.Program() != "ld.mold" || c.Lane != "kda" || c.Evidence != "cwd" || c.Seen < 2 || !c.Has(c.Judged) || c.For < chainTime {
			t.Errorf("%+v", c)
		}
		for _, k := range swept {
			if k.PID != single {
				t.Errorf("ended %+v", k)
			}
		}
		t.Logf("%d passes; %s", r.Passes, r)
	}
	if lives(t, single) {
		t.Error("the one that is old enough is there")
	}
}

// oldest is the one that was started first.
func oldest(list []proc.Stat) proc.Stat {
	first := list[0]
	for _, s := range list {
		if s.Start < first.Start {
			first = s
		}
	}
	return first
}

// named are the living processes of a name, in our pid namespace.
func named(t *testing.T, comm string) (out []proc.Stat) {
	t.Helper()
	table, err := proc.Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range table {
		if s.Comm == comm && !s.Zombie() {
			out = append(out, s)
		}
	}
	return out
}

// A build in a container: its driver is pid 1, or was started by it, in the
// session of pid 1 or in one of its own. What is below is nobody's orphan.
func TestBuildUnderProcessOne(t *testing.T) {
	const inside = "REAPER_TEST_CONTAINER"
	if os.Getenv(inside) == "" {
		if os.Geteuid() != 0 {
			needs(t, "root")
		}
		s := newStage(t)
		rustc, ld := s.tool(t, "rustc"), s.tool(t, "ld")
		lookPath(t, "setsid")
		again(t, inside+"="+s.lane.Root, lookPath(t, "unshare"), "-fp", "--mount-proc", "--kill-child", "/bin/sh", "-c",
			`cd "$REAPER_TEST_CONTAINER"; "$1" 100 & setsid "$2" 100 & shift 2; "$@"; exit $?`, "sh", rustc, ld)
		return
	}
	o := Options{Lanes: []Lane{{Name: "kda", Root: os.Getenv(inside)}}, Wanted: only("kda"), Rules: Rules{Floor: 1}}
	await(t, func() bool { return len(named(t, "rustc")) == 1 && len(named(t, "ld")) == 1 })
	pid, led := ripe(t, named(t, "rustc")[0].PID), ripe(t, named(t, "ld")[0].PID)
	p, err := Look(soon(t), proc.Real, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Processes[pid].PPID != 1 {
		t.Fatalf("%+v: nothing to test", p.Processes[pid])
	}
	j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
	if said := find(j, pid); err != nil || said.Leaked || said.Why != "its parent is process 1 in its own session: a build in a container" {
		t.Errorf("%+v, %v", said, err)
	}
	if said := find(j, led); said.PPID != 1 || said.Leaked || !said.Served || !strings.HasSuffix(said.Why, "process 1 is not known to be systemd") {
		t.Errorf("%+v", said)
	}
	if r := sweep(t, o); len(r.Swept) > 0 || !lives(t, pid) || !lives(t, led) {
		t.Errorf("%s", r)
	}
}
