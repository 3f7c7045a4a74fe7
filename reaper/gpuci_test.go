package reaper

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// A gpuci takes over what loses its parent below it, and ends it itself: while
// it lives that is no orphan, and when it was killed it is one.
func TestSweepBesideGpuci(t *testing.T) {
	s := newStage(t)
	gpuci := startBuild(t, s)
	pid := readPID(t, filepath.Join(s.lane.Root, "pid"))
	endLater(t, pid)
	until(t, pid, "is handed to gpuci", func(st proc.Stat) bool { return st.Comm == "ld" && st.PPID == gpuci.Process.Pid })
	ripe(t, pid)
	p, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ld, parent := p.Processes[pid], p.Processes[gpuci.Process.Pid]
	if ld.Session == ld.PID || ld.Session == parent.Session {
		t.Fatalf("%+v below %+v: nothing to test", ld, parent)
	}
	o := s.options()
	j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
	if said := find(j, pid); err != nil || said.Leaked || !strings.HasSuffix(said.Why, "lives, and ends what it started itself") || said.Lane != "kda" {
		t.Errorf("%+v, %v", said, err)
	}
	if r := sweep(t, o); len(r.Swept) != 0 || !lives(t, pid) {
		t.Fatalf("beside a living gpuci: %s", r)
	}
	kill(t, gpuci.Process.Pid)
	until(t, pid, "has lost gpuci", func(st proc.Stat) bool { return st.PPID != gpuci.Process.Pid })
	if r := sweep(t, o); len(r.Swept) != 1 || r.Swept[0].PID != pid || r.Swept[0].Evidence != "cwd" {
		t.Errorf("after its end: %s: %+v", r, r.Swept)
	}
}

// A gpuci that is installed under another name takes over what loses its parent
// all the same: it is the program that we are.
func TestSweepBesideOurOwnProgram(t *testing.T) {
	const inside = "REAPER_TEST_SUBREAPER"
	if tool := os.Getenv(inside); tool != "" {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		fmt.Println(orphan(t, ".", tool, "100"))
		select {} // until it is ended
	}
	s := newStage(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()+"$", "-test.timeout=60s")
	cmd.Dir, cmd.Env = s.lane.Root, append(os.Environ(), inside+"="+s.tool(t, "ld"))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	pid := 0
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	endLater(t, pid)
	ripe(t, pid)
	p, err := Look(soon(t), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	o := s.options()
	for _, same := range []bool{true, false} {
		if !same {
			we := p.Processes[p.Self]
			we.Exe.Answer = proc.Unknown
			p.Processes[p.Self] = we
		}
		j, err := Judge(p, o.Lanes, o.Wanted, o.Rules)
		if said := find(j, pid); err != nil || said.PPID != cmd.Process.Pid || said.Leaked == same || strings.HasSuffix(said.Why, "ends what it started itself") != same {
			t.Errorf("the same program %t: %+v, %v", same, said, err)
		}
	}
	if r := sweep(t, o); len(r.Swept) != 0 || !lives(t, pid) {
		t.Errorf("%s", r)
	}
}

// startBuild has a real gpuci run a build that loses a linker: the shell that
// leads the linker's session ends, and the build goes on.
func startBuild(t *testing.T, s stage) *exec.Cmd {
	t.Helper()
	gpuci := filepath.Join(s.tools, "gpuci")
	if text, err := exec.Command(lookPath(t, "go"), "build", "-o", gpuci, "gpuci/cmd/gpuci").CombinedOutput(); err != nil {
		t.Fatalf("build gpuci: %v\n%s", err, text)
	}
	lookPath(t, "setsid")
	const build = `setsid /bin/sh -c '"$0" 100 & echo $! >part; mv part pid' "$0"; exec sleep 100`
	cmd := exec.Command(gpuci, "build", "--", "/bin/sh", "-c", build, s.tool(t, "ld"))
	var out strings.Builder
	home := mkdir(t, filepath.Join(s.tools, "home"))
	machine := filepath.Join(home, "machine.toml")
	if err := os.WriteFile(machine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stderr = s.lane.Root, &out
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home,
		"GPUCI_MACHINE_FILE="+machine, "GPUCI_LOCK_DIR="+filepath.Join(home, "locks"))
	detach(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		if <-done; t.Failed() {
			t.Logf("gpuci said: %s", out.String())
		}
	})
	endLater(t, childOf(t, cmd.Process.Pid, "sleep"))
	return cmd
}

// readPID reads a number from a file that is there in one piece, or not yet.
func readPID(t *testing.T, path string) (pid int) {
	t.Helper()
	await(t, func() bool {
		text, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		_, err = fmt.Sscan(string(text), &pid)
		return err == nil
	})
	return pid
}
