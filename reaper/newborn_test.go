package reaper

import (
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// What was born since the sweep began is waited for until it is old enough.
func TestSweepWaitsForTheNewborn(t *testing.T) {
	s := newStage(t)
	o := s.options()
	o.Rules.Floor = 300 * time.Millisecond
	sw, err := newSweeper(o)
	if err != nil {
		t.Fatal(err)
	}
	pid := orphan(t, s.lane.Root, s.tool(t, "ld"), "100")
	if err := sw.passes(soon(t)); err != nil {
		t.Fatal(err)
	}
	if r := sw.close(); len(r.Swept) != 1 || r.Swept[0].PID != pid {
		t.Errorf("%d passes; %s", r.Passes, r)
	}
}

// A sweep begins with the family before it asks anybody's environment, and even
// then ends nobody whom the whole rule spares: here a linker below the shell of
// somebody who sits in what a lost run left.
func TestSweepBeginsWithTheFamily(t *testing.T) {
	one := func(pid, ppid, session int, comm string) Process {
		return Process{
			Stat: proc.Stat{PID: pid, PPID: ppid, PGRP: pid, Session: session, TPGID: -1, Comm: comm, State: 'S', Start: uint64(pid), Threads: 1},
			Age:  time.Hour, UIDKnown: true,
			Exe: proc.Place{Answer: proc.Known, Path: "/usr/bin/" + comm}, Cwd: proc.Place{Answer: proc.Known, Path: "/wt/kda"},
		}
	}
	const self, lost, shell, below, leaked = 50, 60, 61, 62, 63
	p := Picture{Self: self, Processes: make(map[int]Process), Runs: map[string]Run{"r": {Lane: "kda"}}}
	for _, one := range []Process{
		one(1, 0, 1, "init"), one(self, 1, self, "gpuci"), one(lost, 1, 7, "train"), one(shell, lost, shell, "bash"),
		one(below, shell, 9, "ld"), one(leaked, 1, 8, "ld"),
	} {
		p.Processes[one.PID] = one
	}
	seated := p.Processes[shell]
	seated.TTY, seated.TPGID = 34816, shell
	p.Processes[shell] = seated
	facts := &spy{leaves: map[int]string{lost: "r"}}
	p.Facts = facts
	sw, err := newSweeper(Options{Lanes: []Lane{{Name: "kda", Root: "/wt/kda"}}, Wanted: only("kda")})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]int{{leaked}, {leaked}} { // who has a terminal below is spared
		j, err := sw.judge(p)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, v := range j.victims() {
			got = append(got, v.PID)
			sw.sent[bearerOf(v.Stat)], sw.told[v.PID] = &told{}, true
		}
		if len(facts.asked) > 0 || len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("victims %d, environments of %d; want %d and none", got, facts.asked, want)
		}
	}
}
