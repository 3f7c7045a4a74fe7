package reaper

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/reaper/proc"
)

// What reaper/proc writes into leaves and cookies is read back: by its Start,
// with and without a leaf. A gpuci that is killed leaves processes that are
// leaked while their run is known and lost, whatever they run and wherever; and
// what is of the family is not while its run goes on.
func TestSweepOfALostRun(t *testing.T) {
	if name := os.Getenv(runName); name != "" {
		startRun(t, name)
	}
	for _, way := range []string{"leaf", "cookie"} {
		t.Run(way, func(t *testing.T) { sweepLostRun(t, way, "train", Started) })
		t.Run(way+" of a linker", func(t *testing.T) { sweepLostRun(t, way, "ld", Member) })
	}
}

func sweepLostRun(t *testing.T, way, comm string, kind Kind) {
	pid := lostRun(t, way+".x", newStage(t).tool(t, comm))
	o := Options{Wanted: only("kda"), Rules: Rules{Floor: 1}}
	unmoved := func(why string, runs map[string]Run) {
		t.Helper()
		if o.Runs = runs; len(sweep(t, o).Swept) > 0 || !lives(t, pid) {
			t.Fatalf("swept, though %s", why)
		}
	}
	unmoved("no run is known", nil)
	unmoved("its run is not known", map[string]Run{way: {Lane: "kda"}, "x": {Lane: "kda"}})
	unmoved("its run goes on", map[string]Run{way + ".x": {Lane: "kda", Lives: true}, "other": {Lane: "kda"}})
	unmoved("it is another lane's", map[string]Run{way + ".x": {Lane: "other"}})
	unmoved("whose it is is not known", map[string]Run{way + ".x": {}})
	o.Runs = map[string]Run{way + ".x": {Lane: "kda"}}
	o.Rules.Protected = func(p Process) bool { return p.PID == pid }
	unmoved("it is protected", o.Runs)
	o.Rules.Protected = nil
	r := sweep(t, o)
	if len(r.Swept) != 1 || r.Swept[0].PID != pid || r.Swept[0].Kind != kind || r.Swept[0].Evidence != way {
		t.Errorf("%s: %+v", r, r)
	}
}

// In the environment of the gpuci of a run: how it is called, and what it runs.
const (
	runName    = "REAPER_TEST_RUN"
	runProgram = "REAPER_TEST_PROGRAM"
)

// lostRun is what a run left whose gpuci was killed.
func lostRun(t *testing.T, name, program string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^"+t.Name()[:strings.IndexByte(t.Name(), '/')]+"$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), runName+"="+name, runProgram+"="+program)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	pid, leaf := 0, ""
	text, _ := bufio.NewReader(out).ReadString('\n')
	if n, _ := fmt.Sscan(text, &pid, &leaf); n != 2 {
		t.Fatalf("the run never began: %q", text)
	}
	endLater(t, pid)
	if leaf == "none" && strings.HasPrefix(name, "leaf") {
		needs(t, "a cgroup v2 leaf")
	}
	if leaf != "none" {
		t.Cleanup(func() { await(t, func() bool { return os.Remove(leaf) == nil }) })
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	until(t, pid, "has lost its gpuci", func(s proc.Stat) bool { return s.PPID != cmd.Process.Pid })
	return ripe(t, pid)
}

// startRun is the gpuci of the run. It never comes back.
func startRun(t *testing.T, name string) {
	program := os.Getenv(runProgram)
	p, err := proc.Start(context.Background(), proc.Command{
		// The one that is left does not lead the session, as the command does.
		Argv: []string{"/bin/sh", "-c", program + " 100 & exec /bin/true"},
		Dir:  "/", Env: os.Environ(), Name: name, Stdout: os.Stderr, NoLeaf: strings.HasPrefix(name, "cookie"),
	})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	await(t, func() bool {
		members, err := p.Members()
		return err == nil && len(members) == 1 && members[0].Comm == filepath.Base(program)
	})
	members, err := p.Members()
	if err != nil {
		t.Fatal(err)
	}
	leaf := p.Leaf()
	if leaf == "" {
		leaf = "none"
	}
	fmt.Println(members[0].PID, leaf)
	select {}
}

func TestRunsIn(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, "[]"},
		{[]string{"GPUCI_COMMANDS="}, "[]"},
		{[]string{"GPUCI_COMMANDSX=a.1"}, "[]"},
		{[]string{"GPUCI_COMMANDS=a.1:b.c.2:odd"}, "[a b.c odd]"},
		{[]string{"GPUCI_COMMANDS=a.1", "GPUCI_COMMANDS=b.1"}, "[b]"},
	} {
		if got := fmt.Sprint(runsIn(c.env)); got != c.want {
			t.Errorf("%q: %s; want %s", c.env, got, c.want)
		}
	}
	for leaf, want := range map[string]string{
		"": "", "/": "", "/a/gpuci-run.0123456789ab": "run", "/gpuci-a.b.0123456789ab": "a.b", "/gpuci-test-7": "", "/user/x.0123456789ab": "",
		"/gpuci-run.service": "", "/gpuci-run.scope": "", "/gpuci-run.0123": "", "/gpuci-run.0123456789AB": "", "/gpuci-.0123456789ab": "",
	} {
		if got := runOfLeaf(leaf); got != want {
			t.Errorf("%q: %q; want %q", leaf, got, want)
		}
	}
}

func FuzzRunsIn(f *testing.F) {
	for _, seed := range []string{"GPUCI_COMMANDS=a.1:b.2", "GPUCI_COMMANDS=:", "GPUCI_COMMANDS=.", "PATH=/bin", "GPUCI_COMMANDS=a.1\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, v string) {
		runs := runsIn([]string{v})
		if marks := strings.Count(v, ":") + 1; len(runs) > marks {
			t.Errorf("%q: %d runs of %d", v, len(runs), marks)
		}
		for _, run := range runs {
			if !strings.Contains(v, run) {
				t.Errorf("%q: %q is not in it", v, run)
			}
		}
		if run := runOfLeaf(v); run != "" && !strings.Contains(v, "gpuci-"+run+".") {
			t.Errorf("leaf %q: %q", v, run)
		}
	})
}
