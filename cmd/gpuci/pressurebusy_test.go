package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/pressure"
	"gpuci/reaper/proc"
)

// What a process used is of the look alone: what it, or a child that has ended,
// had used before is not in it, nor what another bearer of its pid used.
func TestBusy(t *testing.T) {
	began := time.Now()
	s := sampling{began: began, at: began.Add(2 * time.Second)}
	s.first.Table = proc.Table{
		1:  {PID: 1, Comm: "loop", Start: 1, CPU: 1000},
		2:  {PID: 2, Comm: "make", Start: 2, CPU: 10, Waited: 5000},
		20: {PID: 20, PPID: 2, Comm: "cc1plus", Start: 20, CPU: 300, Waited: 5}, // ends, having used 100 more
		3:  {PID: 3, Comm: "ended", Start: 3, CPU: 7000},                        // its pid is used again
		4:  {PID: 4, Comm: "idle", Start: 4, CPU: 500, Waited: 500},
		5:  {PID: 5, Comm: "kworker/0:1", Start: 5, CPU: 10, Kernel: true},
		6:  {PID: 6, Comm: "back", Start: 6, CPU: 10},
	}
	s.last.Table = proc.Table{
		1:           {PID: 1, Comm: "loop", Start: 1, CPU: 1150},
		2:           {PID: 2, Comm: "make", Start: 2, CPU: 20, Waited: 5406},
		3:           {PID: 3, Comm: "new", Start: 9, CPU: 40},
		4:           {PID: 4, Comm: "idle", Start: 4, CPU: 509, Waited: 500},
		5:           {PID: 5, Comm: "kworker/0:1", Start: 5, CPU: 30, Kernel: true},
		6:           {PID: 6, Comm: "back", Start: 6, CPU: 9},
		os.Getpid(): {PID: os.Getpid(), Comm: "gpuci", Start: 7, CPU: 200},
	}
	s.last.UID = map[int]uint32{1: 0}
	type used struct {
		PID        int
		UID        int
		Own, Ended float64
	}
	var got []used
	for _, b := range s.busy() {
		got = append(got, used{b.PID, b.uid, b.own, b.ended})
	}
	want := []used{{1, 0, 0.75, 0}, {2, -1, 0.05, 0.5}, {3, -1, 0.2, 0}, {5, -1, 0.1, 0}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	s.at = s.began
	if list := s.busy(); list != nil {
		t.Errorf("in no time: %+v", list)
	}
}

// CPU-bound names who computes, whatever else holds; what does not wait for the
// disk is in no sentence about it.
func TestDiagnosisNames(t *testing.T) {
	full := func(v float64) pressure.Shares { return pressure.Shares{Some: share(v), Full: share(v)} }
	where := seat{dir: "/home/alice/" + strings.Repeat("long/", 100) + "end"}
	l := pressureLook{
		span: pressure.Span{CPU: full(0.9), IO: full(0.5), Memory: full(0)},
		stuck: []stuckProcess{
			{Stat: proc.Stat{PID: 7, Comm: "vf"}, other: true, where: where},
			{Stat: proc.Stat{PID: 8, Comm: "dd"}, where: where},
			{Stat: proc.Stat{PID: 9, Comm: "ld"}, where: where, link: true},
		},
		busy: []busyProcess{
			{Stat: proc.Stat{PID: 3, Comm: "sh"}, uid: 0, own: 0.5, where: where}, {Stat: proc.Stat{PID: 4, Comm: "sh"}, uid: 0, own: 0.4, where: where},
			{Stat: proc.Stat{PID: 5, Comm: "evil\x1b[31m"}, uid: -1, ended: 0.7, where: seat{}},
		},
	}
	if list := l.waiters(); len(list) != 2 || list[0].Name != "dd" || list[0].Link || !list[1].Link {
		t.Errorf("waiters %+v", list)
	}
	text := l.diagnose().Text
	for _, part := range []string{"; at work: 2 sh (pid 3 and others, root, outside any lane, in /home/alice/", "/end) 90% of a processor, evil", " (pid 5, outside any lane) 70% of a processor"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %q", part, text)
		}
	}
	if strings.Contains(text, "vf") || strings.Contains(text, "\x1b") || len(text) > 600 {
		t.Errorf("said %q", text)
	}
	l.span.CPU = full(0.1)
	if text := l.diagnose().Text; strings.Contains(text, "at work") {
		t.Errorf("said %q", text)
	}
	l.span.CPU, l.busy = full(0.9), nil
	if text := l.diagnose().Text; !strings.Contains(text, "nobody is seen at work") {
		t.Errorf("said %q", text)
	}
}

// The limits that the help names are those that hold.
func TestPressureHelpLimits(t *testing.T) {
	help := (&app{}).pressureCommand().Long
	many := []pressure.Waiter{{Name: "dd", Count: 4}}
	for _, c := range []struct {
		cause pressure.Cause
		says  string
		limit float64
		set   func(*pressure.Span, pressure.Share)
	}{
		{pressure.MemoryThrash, "memory full 10% or more", 10, func(s *pressure.Span, v pressure.Share) { s.Memory.Full = v }},
		{pressure.MemoryThrash, "or some 30%\n", 30, func(s *pressure.Span, v pressure.Share) { s.Memory.Some = v }},
		{pressure.DiskSaturated, "io full 20% or more", 20, func(s *pressure.Span, v pressure.Share) { s.IO.Full = v }},
		{pressure.DiskSaturated, "or some 60% with 4 processes in D", 60, func(s *pressure.Span, v pressure.Share) { s.IO.Some = v }},
		{pressure.CPUBound, "cpu some 50% or more", 50, func(s *pressure.Span, v pressure.Share) { s.CPU.Some = v }},
	} {
		if !strings.Contains(help, c.says) {
			t.Errorf("no %q in the help", c.says)
		}
		for percent, want := range map[float64]pressure.Cause{c.limit + 0.1: c.cause, c.limit - 0.1: pressure.Quiet} {
			zero := pressure.Shares{Some: share(0), Full: share(0)}
			s := pressure.Span{CPU: zero, IO: zero, Memory: zero}
			c.set(&s, share(percent/100))
			if d := pressure.Diagnose(s, pressure.Reading{}, nil, many); d.Cause != want {
				t.Errorf("%s: at %g%% it is %s, want %s", c.says, percent, d.Cause, want)
			}
		}
	}
	few := []pressure.Waiter{{Name: "dd", Count: 3}}
	some := pressure.Span{IO: pressure.Shares{Some: share(0.9), Full: share(0)}, CPU: pressure.Shares{Some: share(0)}, Memory: pressure.Shares{Full: share(0)}}
	if d := pressure.Diagnose(some, pressure.Reading{}, nil, few); d.Cause != pressure.Quiet {
		t.Errorf("with 3 in D it is %s", d.Cause)
	}
	watch := (&app{}).pressureWatchCommand().Long
	for _, text := range []string{"50% of a second", "10% of it"} {
		if !strings.Contains(strings.Join(strings.Fields(watch), " "), text) {
			t.Errorf("no %q in the help of watch", text)
		}
	}
	if d := pressure.DefaultLimits(); d != (pressure.Limits{CPUSome: 50, IOFull: 10, MemoryFull: 10}) {
		t.Errorf("the limits are %+v: the help of watch says others", d)
	}
}

// One scan tells who waits or computes: who waits for its own child does not
// wait for the disk.
func TestWhoStalls(t *testing.T) {
	dir := t.TempDir()
	program := dir + "/vf"
	compileInD(t, program)
	pid := startInD(t, program, dir)
	busyLoops(t)
	a := &app{console: newConsole(os.Stderr)}
	for _, resource := range []string{"io", "memory"} {
		for _, c := range a.whoStalls(context.Background(), place{}, resource) {
			if channel, _ := proc.Real.WaitChannel(pid); c.Name == "vf" && channel != "" {
				t.Errorf("%s: %+v", resource, c)
			}
		}
	}
	found := false
	for _, c := range a.whoStalls(context.Background(), place{}, "cpu") {
		found = found || c.Name == "sh" && c.Count > 0 && c.PID > 0 && strings.HasPrefix(c.Where, "outside any lane, in ")
		if c.PID == os.Getpid() {
			t.Errorf("it found itself: %+v", c)
		}
	}
	if !found {
		t.Error("no busy loop is found")
	}
}

func TestWhoText(t *testing.T) {
	for want, who := range map[string][]crowd{
		"waiting for it: nobody is seen": nil,
		"waiting for it: 3 ld (lane a), dd (pid 4, lane b), x\ufffdy (pid 5, lane b), 3 others": {{"ld", "lane a", 3, 1}, {"dd", "lane b", 1, 4}, {"x\ny", "lane b", 1, 5}, {"z", "lane b", 1, 6}, {"q", "lane b", 2, 7}},
	} {
		if got := whoText("io", who); got != want && !strings.Contains(want, "\ufffd") || strings.ContainsAny(got, "\n\x1b") || !strings.HasSuffix(got, want[len(want)-8:]) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := whoText("cpu", nil); got != "at work or ready to: nobody is seen" {
		t.Errorf("%q", got)
	}
}

func TestShortPath(t *testing.T) {
	long := "/home/alice/" + strings.Repeat("ä", 200) + "/end"
	short := shortPath(long)
	if n := len([]rune(short)); n != longestPath || !strings.HasPrefix(short, "/home/alice/ä") || !strings.HasSuffix(short, "ä/end") {
		t.Errorf("%d: %q", n, short)
	}
	if path := "/home/alice/kda"; shortPath(path) != path {
		t.Errorf("%q", shortPath(path))
	}
}
