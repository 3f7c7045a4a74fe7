//go:build bench

package reaper

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// idle is the number of processes of the figures.
const idle = 5000

// The aims of the issue.
const (
	aimList = 60 * time.Millisecond
	aimGone = 100 * time.Millisecond
)

// TestBenchList prints what a look and a judgement cost on a machine with 5,000
// idle processes, with nothing leaked and with a lost run that makes it ask
// every orphan for its cookie, beside pgrep in turn.
func TestBenchList(t *testing.T) {
	s := newStage(t)
	crowd(t, idle)
	list := func(runs map[string]Run) func() error {
		return func() error {
			p, err := Look(t.Context(), proc.Real, runs)
			if err == nil {
				_, err = Judge(p, []Lane{s.lane}, only("kda"), Rules{})
			}
			return err
		}
	}
	ways := []struct {
		name string
		once func() error
	}{
		{"list", list(nil)},
		{"list, a run is lost", list(map[string]Run{"lost": {Lane: "kda"}})},
		{"its pass alone", func() error {
			_, err := proc.Real.Scan(proc.ScanOptions{Exe: true, Cwd: true, UID: true})
			return err
		}},
		{"pgrep -f NOSUCH", pgrep},
	}
	took := make([][]time.Duration, len(ways))
	for range 15 {
		for i, w := range ways {
			began := time.Now()
			if err := w.once(); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	for i, w := range ways {
		slices.Sort(took[i])
		t.Logf("%-20s median %8s fastest %8s", w.name, took[i][7].Round(100*time.Microsecond), took[i][0].Round(100*time.Microsecond))
	}
	t.Logf("aim: list of %d in %s: %s", idle, aimList, met(took[0][7] <= aimList))
}

// TestBenchSweep prints how long after its start a sweep has ended 19 leaked
// trees of two among 5,000 processes. The sweep itself then looks twice more.
func TestBenchSweep(t *testing.T) {
	s := newStage(t)
	crowd(t, idle)
	rustc, ld := s.compiled(t, "spawner", "rustc"), s.tool(t, "ld.mold")
	var last []time.Duration
	for range 5 {
		var pid int
		for range 19 {
			pid = orphan(t, s.lane.Root, rustc, ld, "100")
			childOf(t, pid, "ld.mold")
		}
		ripe(t, pid)
		o := s.options()
		began, gone := time.Now(), time.Duration(0)
		o.Killed = func(Kill) { gone = time.Since(began) }
		if r := sweep(t, o); len(r.Swept) != 38 {
			t.Fatalf("%s", r)
		}
		last = append(last, gone)
	}
	slices.Sort(last)
	t.Logf("19 trees of rustc and ld.mold gone after %s (median; slowest %s); aim %s: %s", last[2].Round(100*time.Microsecond),
		last[4].Round(100*time.Microsecond), aimGone, met(last[2] <= aimGone))
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "NOT met"
}

func pgrep() error {
	err := exec.Command("pgrep", "-f", "NOSUCH").Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil // found none
	}
	return fmt.Errorf("want exit status 1: %w", err)
}

// crowd is many processes that do nothing, in one tree.
func crowd(t *testing.T, n int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 300 & i=$((i+1)); done; echo ready; wait", n))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	endLater(t, cmd.Process.Pid)
	t.Cleanup(func() { // before that: the children by who they are
		table, _ := proc.Real.Table()
		boot, _ := proc.Real.BootID()
		for _, s := range table.Below(cmd.Process.Pid) {
			_ = proc.Real.Signal(s.Identity(boot), 9)
		}
		_ = cmd.Wait()
	})
	text := make([]byte, 6)
	if _, err := out.Read(text); err != nil || !strings.HasPrefix(string(text), "ready") {
		t.Fatalf("no crowd: %q, %v", text, err)
	}
}
