package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// make is killed in one lane while another one builds: its compilers and linkers
// are named with whose they are and by what, a dry run ends none, a sweep all of
// them, and the other build ends as if nothing had been.
func TestReaperKilledMake(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	main, kda := s.lanes(t)
	other, lost := s.makeIn(t, main), s.makeIn(t, kda)
	lost.orphan()
	want := pidsOfStats(lost.below)

	t.Run("list", func(t *testing.T) {
		code, stdout, stderr := s.in(kda).run(t, "reaper", "list")
		for _, text := range []string{
			fmt.Sprintf("lane kda (%s): %d processes, %d leaked\n  leaked: orphaned (parent ", kda, len(want), len(want)), ", of lane kda by its cwd\n    ",
			"  by its cwd  in " + kda, "  read ", "next: gpuci reaper sweep ends the leaked ones", fmt.Sprintf("not listed: %d processes of other lanes", len(other.below)),
		} {
			if code != 0 || !strings.Contains(stdout, text) {
				t.Errorf("exit %d, no %q in\n%s%s", code, text, stdout, stderr)
			}
		}
		if strings.Contains(stdout, "lane main") {
			t.Errorf("another lane is listed:\n%s", stdout)
		}
	})
	t.Run("list in JSON", func(t *testing.T) {
		_, stdout, _ := s.in(kda).run(t, "reaper", "list", "--json")
		var mine []anyLine
		for _, l := range reaperLines(t, stdout, "process") {
			if l.Lane == "" {
				continue // somebody else's
			}
			mine = append(mine, l)
			if l.Lane != "kda" || l.Evidence != "cwd" || l.Root != kda || l.Dir != kda || !l.Leaked || l.State == "" || l.Age < 2 || l.Tool == "" || l.Read == nil || l.Why == "" || l.Depth == 0 != (l.Top == l.PID) {
				t.Errorf("%+v", l)
			}
		}
		if diff := cmp.Diff(want, pidsOf(mine)); diff != "" {
			t.Errorf("listed (-want +got): %s", diff)
		}
	})
	t.Run("list of every lane", func(t *testing.T) {
		code, stdout, _ := s.in(main).run(t, "reaper", "list", "--every-lane")
		first, second := strings.Index(stdout, "lane main ("), strings.Index(stdout, "lane kda (")
		if code != 0 || first < 0 || second < first || !strings.Contains(stdout, fmt.Sprintf("not leaked: its parent make (pid %d) lives: a build\n", other.Process.Pid)) || !strings.Contains(stdout, "reaper sweep --every-lane ends") {
			t.Errorf("exit %d:\n%s", code, stdout)
		}
	})
	t.Run("list of a lane by name", func(t *testing.T) {
		if _, stdout, _ := s.in(main).run(t, "reaper", "list", "--lane", "kda"); !strings.Contains(stdout, "lane kda (") || strings.Contains(stdout, "lane main (") || !strings.Contains(stdout, "reaper sweep --lane kda ends") {
			t.Errorf("%s", stdout)
		}
	})
	elsewhere := fmt.Sprintf("not asked for: %d leaked processes in lane kda; gpuci reaper sweep --lane kda ends them\n", len(want))
	t.Run("another lane's sweep", func(t *testing.T) {
		if code, stdout, stderr := s.in(main).run(t, "reaper", "sweep"); code != 0 || stdout != "nothing leaked in lane main\n"+elsewhere || stderr != "" {
			t.Errorf("exit %d, %q, %q", code, stdout, stderr)
		}
		_, _, stdout, _ := s.in(main).sweptJSON(t)
		if l := reaperLines(t, stdout, "elsewhere"); len(l) != 1 || l[0].Lane != "kda" || l[0].Root != kda {
			t.Errorf("%s", stdout)
		}
		if _, stdout, _ := s.in(main).run(t, "reaper", "list"); !strings.Contains(stdout, "\n"+elsewhere) {
			t.Errorf("no %q in %s", elsewhere, stdout)
		}
	})
	t.Run("dry run", func(t *testing.T) {
		code, stdout, _ := s.in(kda).run(t, "reaper", "sweep", "--dry-run")
		if code != 0 || strings.Count(stdout, "would end ") != len(want) || strings.Count(stdout, " old: below pid ") != len(want)-3 || strings.Count(stdout, " old: orphaned (") != 3 || !strings.Contains(stdout, fmt.Sprintf("\nwould sweep %d leaked (lane kda; oldest ", len(want))) {
			t.Errorf("exit %d: %s", code, stdout)
		}
		_, _, stdout, _ = s.in(kda).sweptJSON(t, "--dry-run")
		if diff := cmp.Diff(want, pidsOf(reaperLines(t, stdout, "leaked"))); diff != "" {
			t.Errorf("would sweep (-want +got): %s", diff)
		}
	})
	if lost.alive() != len(want) {
		t.Fatal("some were ended before anybody swept")
	}

	code, stdout, stderr := s.in(main).run(t, "reaper", "sweep", "--lane", "kda")
	if code != 0 || lost.alive() != 0 || !strings.HasPrefix(stdout, fmt.Sprintf("swept %d leaked (lane kda; oldest ", len(want))) || strings.Count(stderr, "gpuci: ended ") != len(want) {
		t.Errorf("exit %d, %d alive, %s%s", code, lost.alive(), stdout, stderr)
	}
	history := killed(t, main)
	for _, k := range history {
		if k.Lane != "kda" || k.Evidence != "cwd" || k.Why == "" || k.Age < 2 || k.Took <= 0 || k.Took > k.Age || k.Run != "" || k.Start == 0 || k.Dir != kda {
			t.Errorf("in the history: %+v", k)
		}
	}
	if diff := cmp.Diff(want, pidsOfKills(history)); diff != "" {
		t.Errorf("in the history (-want +got): %s", diff)
	}
	if code, stdout, _ := s.in(kda).run(t, "reaper", "sweep"); code != 0 || stdout != "nothing leaked in lane kda\n" {
		t.Errorf("once more: exit %d, %s", code, stdout)
	}
	if n := other.alive(); n != len(other.below) {
		t.Errorf("of the other build %d of %d are left", n, len(other.below))
	}
	if err := other.let(); err != nil {
		t.Errorf("the other build: %v", err)
	}
}
