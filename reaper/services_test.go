package reaper

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// What leads its session below process 1 may be a service that it started, a
// compiler by systemd-run: while it is in such a unit it is no orphan, and it is
// one in no unit.
func TestSweepSparesAService(t *testing.T) {
	for _, dir := range []string{"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		if _, err := os.Stat(filepath.Join(dir, "cgroup.procs")); err != nil {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) { sweepService(t, dir) })
		return
	}
	needs(t, "a cgroup hierarchy of systemd's")
}

func sweepService(t *testing.T, hierarchy string) {
	s := newStage(t)
	setsid := lookPath(t, "setsid")
	led := renamed(t, orphan(t, s.lane.Root, setsid, s.tool(t, "ld"), "100"), "ld")
	plain := orphan(t, s.lane.Root, s.tool(t, "rustc"), "100")
	unit := fmt.Sprintf("gpuci-nightly.%d.service", os.Getpid())
	leave := enter(t, hierarchy, unit, led, plain)
	ripe(t, plain)
	p, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := s.options()
	p.Systemd = true // whatever is process 1 here
	j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
	if said := find(j, led); err != nil || said.Leaked || said.Young || said.Why != "process 1 may have started it: unit "+unit {
		t.Errorf("%+v, %v", said, err)
	}
	if r := sweep(t, o); len(r.Swept) != 1 || r.Swept[0].PID != plain || !lives(t, led) {
		t.Fatalf("in a unit: %s", r)
	}
	leave()
	for _, systemd := range []bool{true, false} {
		if p, err = Look(soon(t), "", nil); err != nil {
			t.Fatal(err)
		}
		p.Systemd = systemd
		j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
		if said := find(j, led); err != nil || said.Leaked != systemd || said.Served == systemd {
			t.Errorf("in no unit, systemd %t: %+v, %v", systemd, said, err)
		}
	}
}

// enter puts processes into a cgroup of the test's own. leave takes those that
// live out again.
func enter(t *testing.T, hierarchy, name string, list ...int) (leave func()) {
	t.Helper()
	group := filepath.Join(hierarchy, name)
	if err := os.Mkdir(group, 0o755); err != nil {
		needs(t, "the right to make a cgroup: "+err.Error())
	}
	put := func(dir string, pid int) {
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			t.Error(err)
		}
	}
	leave = func() {
		for _, pid := range list {
			if lives(t, pid) {
				put(hierarchy, pid)
			}
		}
	}
	t.Cleanup(func() {
		leave()
		for ctx := soon(t); os.Remove(group) != nil && ctx.Err() == nil; {
			time.Sleep(time.Millisecond)
		}
	})
	for _, pid := range list {
		put(group, pid)
	}
	return leave
}
