//go:build bench

package reaper

import (
	"slices"
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
// every orphan for its cookie, beside the passes it stands on and pgrep, in
// turn. The time of the processors tells what is ours where others work too.
func TestBenchList(t *testing.T) {
	s := newStage(t)
	crowd(t, idle, "sleep 300 &")
	list := func(runs map[string]Run) func() error {
		return func() error {
			p, err := Look(t.Context(), proc.Real, runs)
			if err == nil {
				_, err = Judge(p, []Lane{s.lane}, only("kda"), Rules{})
			}
			return err
		}
	}
	pass := func(o proc.ScanOptions) func() error {
		return func() error { _, err := proc.Real.Scan(o); return err }
	}
	took := inTurn(t, 15, []way{
		{"list", list(nil)},
		{"list, a run is lost", list(map[string]Run{"lost": {Lane: "kda"}})},
		{"a pass with programs", pass(proc.ScanOptions{Exe: true})},
		{"a pass alone", pass(proc.ScanOptions{})},
		{"a pass with everything", pass(proc.ScanOptions{Exe: true, Cwd: true, UID: true})},
		{"pgrep -f NOSUCH", pgrep},
	})
	t.Logf("aim: list of %d in %s: %s", idle, aimList, met(took <= aimList))
}

// TestBenchSweep prints how long after its start a sweep has ended 19 leaked
// trees of two among 5,000 processes. The sweep itself then looks twice more.
func TestBenchSweep(t *testing.T) {
	s := newStage(t)
	crowd(t, idle, "sleep 300 &")
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
