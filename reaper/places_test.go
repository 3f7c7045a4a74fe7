package reaper

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Field case 9: a directory that was removed under its processes, beside one
// that is really called so. A lane that was removed has the first alone.
func TestSweepOfDeletedDirectories(t *testing.T) {
	s := newStage(t)
	ld := s.tool(t, "ld")
	removed := filepath.Join(filepath.Dir(s.lane.Root), "gone")
	so := removed + " (deleted)"
	inRemoved := orphan(t, mkdir(t, filepath.Join(removed, "src")), ld, "100")
	inSo := orphan(t, mkdir(t, so), ld, "100")
	inKda := orphan(t, mkdir(t, filepath.Join(s.lane.Root, "src")), ld, "100")
	for _, dir := range []string{removed, filepath.Join(s.lane.Root, "src")} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	// Somebody made the directory anew, and is no part of what was removed.
	anew := orphan(t, mkdir(t, removed), ld, "100")
	ripe(t, anew)
	o := s.options()
	o.Lanes = append(o.Lanes, Lane{Name: "gone", Root: removed, Removed: true})
	o.Wanted = func(string) bool { return true }
	r := sweep(t, o)
	swept := pids(r.Swept)
	if len(swept) != 2 || swept[inRemoved].Lane != "gone" || swept[inKda].Lane != "kda" || !lives(t, inSo) || !lives(t, anew) {
		t.Errorf("%s: %+v", r, r.Swept)
	}
	o.Lanes = append(o.Lanes, Lane{Name: "so", Root: so})
	if r := sweep(t, o); len(r.Swept) != 1 || r.Swept[0].PID != inSo || r.Swept[0].Lane != "so" {
		t.Errorf("a directory really called so: %+v", r)
	}
}

// The path of a bind mount is another path: whose that is is not known, and
// nothing is ended. By the lane's own path it is.
func TestSweepUnderABindMount(t *testing.T) {
	s := newStage(t)
	other := mkdir(t, filepath.Join(s.tools, "mounted"))
	if err := unix.Mount(s.lane.Root, other, "", unix.MS_BIND, ""); err != nil {
		needs(t, "root: "+err.Error())
	}
	t.Cleanup(func() { _ = unix.Unmount(other, unix.MNT_DETACH) })
	ld := s.tool(t, "ld")
	beside := ripe(t, orphan(t, other, ld, "100"))
	if r := sweep(t, s.options()); len(r.Swept) != 0 || !lives(t, beside) {
		t.Errorf("by a path that is no lane's: %+v", r)
	}
	o := s.options()
	o.Lanes[0].Root = other
	if r := sweep(t, o); len(r.Swept) != 1 {
		t.Errorf("by the lane's own: %+v", r)
	}
}

// Trainers that were let go on purpose look like test binaries that were lost,
// and are never touched.
func TestTrainersAreNotTouched(t *testing.T) {
	s := newStage(t)
	train := sleeper(t, filepath.Join(s.lane.Target, "release/train"))
	named := sleeper(t, filepath.Join(s.lane.Target, "release/deps/train-0123456789abcdef"))
	test := sleeper(t, filepath.Join(s.lane.Target, "x86_64-unknown-linux-gnu/debug/deps/fused-00000000000000ff"))
	nohup := lookPath(t, "nohup")
	quiet := &exec.Cmd{Dir: s.lane.Root}
	nohuped := orphanOf(t, quiet, nohup, train, "100")
	nohupedTest := orphan(t, s.lane.Root, nohup, named, "100")
	led := orphan(t, s.lane.Root, lookPath(t, "setsid"), train, "100")
	ledTest := orphan(t, s.lane.Root, lookPath(t, "setsid"), named, "100")
	plain := orphan(t, s.lane.Root, train, "100")
	lost := orphan(t, s.lane.Root, test, "100")
	protected := orphan(t, s.lane.Root, named, "100")
	for pid, name := range map[int]string{nohuped: "train", nohupedTest: "train-012345678", led: "train", ledTest: "train-012345678"} {
		renamed(t, pid, name)
	}
	ripe(t, protected)
	o := s.options()
	o.Rules.Protected = func(p Process) bool { return p.PID == protected }
	if r := sweep(t, o); len(r.Swept) != 0 {
		t.Errorf("unasked: %+v", r)
	}
	p, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Systemd = true // otherwise what leads its session is not even an orphan
	o.Rules.TestBinaries = true
	j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
	if err != nil {
		t.Fatal(err)
	}
	for pid, why := range map[int]string{
		nohuped: "not named as a test binary is", nohupedTest: "it ignores SIGHUP: let go on purpose",
		led: "not named as a test binary is", ledTest: "it leads its session: let go on purpose",
		plain: "not named as a test binary is", protected: "a protected run", lost: "orphaned (parent 1), of lane kda by its cwd",
	} {
		if said := find(j, pid); said.Kind != InTarget || said.Why != why || said.Leaked != (pid == lost) {
			t.Errorf("%s: %s, %q; want %q", said.Comm, said.Kind, said.Why, why)
		}
	}
	if r := sweep(t, o); len(r.Swept) != 1 || r.Swept[0].PID != lost {
		t.Errorf("%+v", r)
	}
	for _, pid := range []int{nohuped, nohupedTest, led, ledTest, plain, protected} {
		if !lives(t, pid) {
			t.Errorf("pid %d was ended", pid)
		}
	}
}
