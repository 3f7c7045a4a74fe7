package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/reaper"
	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// judged makes one up.
func judged(pid, ppid, top int, lane string, leaked bool, why string) reaper.Judged {
	stat := proc.Stat{PID: pid, PPID: ppid, Comm: "ld", State: 'S'}
	return reaper.Judged{Process: reaper.Process{Stat: stat}, Kind: reaper.Member, Tool: "ld", Lane: lane, Evidence: "cwd", Top: top, Leaked: leaked, Why: why}
}

// Each stands below its parent; what hangs by somebody who was not judged, below
// its top; and a circle of parents ends. The lanes come in their order.
func TestReaperTrees(t *testing.T) {
	t.Parallel()
	list := []reaper.Judged{
		judged(10, 1, 10, "kda", false, "x"), judged(11, 10, 10, "kda", false, "x"), judged(13, 10, 10, "kda", false, "x"),
		judged(12, 11, 10, "kda", false, "x"), judged(14, 99, 10, "kda", false, "x"),
		judged(20, 21, 20, "", false, "x"), judged(21, 20, 20, "", false, "x"),
		judged(30, 1, 30, "main", false, "x"), judged(40, 1, 40, "main", true, "x"), judged(51, 99, 50, "main", false, "x"),
	}
	var got []string
	for _, tree := range treesOf(list, []worktrees.Tree{{Lane: worktrees.Lane{Name: "main"}}, {Lane: worktrees.Lane{Name: "kda"}}}) {
		var b strings.Builder
		for _, s := range tree {
			fmt.Fprintf(&b, "%s%d ", strings.Repeat(">", s.depth), s.PID)
		}
		got = append(got, strings.TrimSpace(b.String()))
	}
	want := []string{"40", "30", "51", "10 >11 >>12 >13 >14", "20 >21"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trees (-want +got): %s", diff)
	}
}

// What is said of one that is not as its top, or whose it is by something else.
func TestReaperRow(t *testing.T) {
	t.Parallel()
	top := suspect{Judged: judged(10, 1, 10, "kda", true, "orphaned")}
	for text, s := range map[string]suspect{
		"  ld\tpid 11\tS\t0s old\treads and writes unknown: not ours to read\tby its cwd\tin an unknown directory": {Judged: judged(11, 10, 10, "kda", true, "below ld (pid 10), orphaned"), depth: 1, noIO: noIORight},
		"lane kda2 by its cwd\tin an unknown directory\tnot leaked: spared, belongs to lane kda2":                  {Judged: judged(12, 10, 10, "kda2", false, "spared, belongs to lane kda2")},
	} {
		if got := s.row(top); !strings.HasSuffix(got, text) {
			t.Errorf("got %q, want %q at its end", got, text)
		}
	}
	file := suspect{Judged: judged(10, 1, 10, "kda", true, "x")}
	file.Evidence, file.Kind, file.Cwd = "open file", reaper.Wrapper, proc.Place{Answer: proc.Known, Path: "/x\x1b", Deleted: true}
	if got := file.row(top); !strings.Contains(got, "ld (a script)\t") || !strings.Contains(got, "by an open file\tin /x\\x1b, which was removed") {
		t.Errorf("got %q", got)
	}
}

// Of a crowd that is nobody's the first are listed.
func TestReaperCrowd(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	var l reaperLook
	for i := range perLane + 3 {
		l.trees = append(l.trees, suspectTree{{Judged: judged(i+10, 1, i+10, "", false, "x")}})
	}
	l.writeNobodys(&b)
	if text := b.String(); !strings.HasPrefix(text, "23 processes (no lanes: ") || strings.Count(text, "\n  ld (pid ") != perLane || !strings.HasSuffix(text, "\n  and 3 more (--json has them all)\n") {
		t.Errorf("said %s", text)
	}
}

// What a sweep let be for its age is said, and what it could not look at.
func TestReaperReport(t *testing.T) {
	t.Parallel()
	young := judged(10, 1, 10, "kda", false, "younger than 2s")
	young.Young, young.Age = true, time.Second
	g := ground{lanes: []worktrees.Tree{{Lane: worktrees.Lane{Name: "kda"}}}, meant: map[string]bool{"kda": true}}
	var out strings.Builder
	s := swept{ground: g, spared: []reaper.Judged{young}, Report: reaper.Report{Passes: 2, Blind: []string{"environment of x (pid 7): no answer"}}}
	if err := (&app{out: &out}).sweepText(s); err != nil {
		t.Fatal(err)
	}
	want := "nothing leaked in lane kda\nlet be: ld (pid 10), 1s old: younger than 2s; sweep again\nnot seen: environment of x (pid 7): no answer; a later sweep, once that answers, can\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
}
