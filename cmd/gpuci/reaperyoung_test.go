package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuci/reaper"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// A dry run says what the sweep would wait for: those are no two answers.
func TestReaperDryRunOfTheYoung(t *testing.T) {
	t.Parallel()
	young := judged(10, 1, 10, "kda", false, "younger than 2s")
	young.Young, young.Age = true, time.Second
	g := ground{lanes: []worktrees.Tree{{Lane: worktrees.Lane{Name: "kda"}}}, meant: map[string]bool{"kda": true}}
	s := swept{ground: g, Report: reaper.Report{Young: []reaper.Judged{young}}}
	var out strings.Builder
	if err := (&app{out: &out}).sweepText(s); err != nil {
		t.Fatal(err)
	}
	want := "would end, if it gets 2s old, ld (pid 10), S, 1s old\n" +
		"one look cannot tell whether these get so old: where each ends and another one comes anew, a sweep sends nothing, and ends with 75\n" +
		"would sweep those that get old enough (one look cannot tell which) of 1 leaked (lane kda; oldest 1s): 1 ld\n"
	if out.String() != want {
		t.Errorf("%q; want %q", out.String(), want)
	}
	if !s.letBe(young) || !s.told(young) {
		t.Error("it is told twice")
	}
}

// A sweep that has no time tells each once, with what was done to it, and does
// not blame the kernel.
func TestReaperNoTime(t *testing.T) {
	t.Parallel()
	young := judged(10, 1, 10, "kda", false, "younger than 2s")
	young.Young = true
	s := swept{Report: reaper.Report{Survivors: []reaper.Survivor{{Judged: young}, {Judged: judged(11, 1, 11, "kda", true, "orphaned")}}}}
	if hint := s.leftHint(); hint != "the deadline was over before all were sent one: sweep again, with a longer --deadline" {
		t.Errorf("hint %q", hint)
	}
	if !s.told(young) {
		t.Error("one that is not ended is let be, too")
	}
	s.Survivors[0].Pending = true
	if hint := s.leftHint(); !strings.Contains(hint, "SIGKILL is pending") || !strings.Contains(hint, "sweep again") {
		t.Errorf("hint %q", hint)
	}
}

// What strangers build is a number, and in a removed directory what to do is
// said.
func TestReaperNobodys(t *testing.T) {
	t.Parallel()
	lane := worktrees.Tree{Lane: worktrees.Lane{Name: "kda", Root: "/kda"}}
	g := ground{lane: lane.Lane, lanes: []worktrees.Tree{lane}, meant: map[string]bool{"kda": true}}
	lost := judged(10, 1, 10, "", false, nobodysOrphan)
	lost.Cwd = proc.Place{Answer: proc.Known, Path: "/kda2", Deleted: true}
	l := reaperLook{ground: g, trees: []suspectTree{
		{{Judged: lost}, {Judged: judged(11, 10, 10, "", false, nobodysOrphan), depth: 1}},
		{{Judged: judged(20, 19, 20, "", false, "its parent cargo (pid 19) lives: a build")}},
	}}
	var b strings.Builder
	l.writeNobodys(&b)
	for _, text := range []string{"known whose: 2 processes\n", "which was removed: whose it is is not known\n", "if it is yours: kill 10 11\n", "not listed: 1 process of no lane of this repository; --every-lane lists them\n"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("no %q in %s", text, b.String())
		}
	}
	l.all = true
	b.Reset()
	if l.writeNobodys(&b); !strings.Contains(b.String(), "(pid 20)") || strings.Contains(b.String(), "not listed") {
		t.Errorf("all: %s", b.String())
	}
}

// Git works on no repository of another user's: that is said in our words, with
// a way out that works.
func TestReaperAnothersRepository(t *testing.T) {
	t.Parallel()
	as := asNobody(t)
	if as == nil {
		needsTool(t, "root and setpriv")
	}
	s := newStage(t)
	_, kda := s.lanes(t)
	run := func(args ...string) (int, string, string) {
		own := s.command(t, append([]string{"-C", kda, "reaper"}, args...)...)
		cmd := exec.Command(as[0], slices.Concat(as[1:], own.Args)...)
		cmd.Dir, cmd.Env = "/", s.env
		return runCommand(t, cmd)
	}
	for want, args := range map[int][]string{0: {"list"}, 69: {"sweep"}} {
		code, stdout, stderr := run(args...)
		if code != want || strings.Contains(stderr, "fatal:") || !strings.Contains(stderr, "git does not list the worktrees of "+kda+", which is another user's\n") || !strings.Contains(stderr, "safe.directory '"+kda+"'\n") {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
		if args[0] == "list" && !strings.Contains(stdout, "(which lanes there are cannot be told)\n") {
			t.Errorf("listed %s", stdout)
		}
	}
	gitconfig := fmt.Sprintf("[safe]\n\tdirectory = %s\n", kda)
	s.write(t, "trust", gitconfig)
	s.env = append(s.env, "GIT_CONFIG_GLOBAL="+filepath.Join(s.dir, "trust"))
	if code, stdout, stderr := run("sweep"); code != 0 || !strings.HasPrefix(stdout, "nothing leaked in lane kda\n") {
		t.Errorf("by the hint: exit %d, %s%s", code, stdout, stderr)
	}
}
