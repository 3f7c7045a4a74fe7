package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/buildlock"
	"gpuci/pressure"
	"gpuci/reaper/proc"
)

// Whether a run without a verdict goes on is told by its gpuci, where its pid
// means anything, else by how long it has written nothing down.
func TestReadStarted(t *testing.T) {
	us, err := proc.Real.Identity(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	gone := us
	gone.Start++
	host, _ := os.Hostname()
	pids, _ := os.Readlink("/proc/self/ns/pid")
	for name, c := range map[string]struct {
		gpuci      proc.Identity
		host, pids string
		silent     time.Duration // since the last line; below zero: there is none
		says       string
		killed     bool
	}{
		"lives":              {us, host, pids, 0, "it goes on (pid ", false},
		"lives, and stalls":  {us, host, pids, time.Hour, "it goes on (pid ", false},
		"gone":               {gone, host, pids, 0, "killed: gpuci (pid ", true},
		"gone for long":      {gone, host, pids, time.Hour, "killed: it wrote nothing down after ", true},
		"another container":  {us, host, "pid:[1]", 0, "it goes on, or was killed a moment ago", false},
		"another machine":    {us, "other", pids, time.Hour, "killed: it wrote nothing down after ", true},
		"nothing is written": {us, "other", pids, -1, "no end is written down: it goes on, or was killed", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runs", "r")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(map[string]any{"gate": "slow", "lane": "kda", "gpuci": c.gpuci, "host": c.host, "pid-namespace": c.pids})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "started.json"), data, 0o644); err != nil {
				t.Fatal(err)
			}
			if c.silent >= 0 {
				path := filepath.Join(dir, "pressure.jsonl")
				if err := os.WriteFile(path, []byte(`{"time":"2026-11-30T04:00:06Z","seconds":6,"io-full":0.8}`+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				at := time.Now().Add(-c.silent)
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			r, err := readRun(dir, func(string) {})
			if err != nil || !strings.Contains(r.subtitle, c.says) || r.killed != c.killed || r.title != "gate slow, lane kda" {
				t.Errorf("%+v, %v; want %q", r, err, c.says)
			}
			if phase := len(r.bars) == 1 && r.bars[0].To.Equal(r.points[0].Time); phase != c.killed {
				t.Errorf("the bars are %+v", r.bars)
			}
			if c.silent >= 0 && r.chart().From.Location() != time.Local {
				t.Errorf("the clock is of %v", r.chart().From.Location())
			}
		})
	}
}

// Of two that began in one second, "last" is the one that was written to last.
func TestFindLastOfSecond(t *testing.T) {
	state := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"20261130T040000Z-a": 0, "20261130T040000Z-f": time.Hour, "20261130T030000Z-z": 0} {
		dir := filepath.Join(state, buildsDir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if dir, err := findRun([]string{state}, lastRun); err != nil || filepath.Base(dir) != "20261130T040000Z-a" {
		t.Errorf("last is %s, %v", dir, err)
	}
}

// Why a curve is unknown is said as far as it is known.
func TestChartNote(t *testing.T) {
	none, own := pressure.Point{Length: time.Second}, pressure.Point{Length: time.Second}
	own.OwnIO.Full = share(0.1)
	for _, c := range []struct {
		run  drawnRun
		says string
	}{
		{drawnRun{}, ""}, {drawnRun{points: pressure.Timeline{none, none, none, own}}, ""},
		{drawnRun{points: pressure.Timeline{none, none}}, "it takes two looks"},
		{drawnRun{points: pressure.Timeline{none, none, none, none}}, "no cgroup (v2) of its own"},
		{drawnRun{points: pressure.Timeline{own}, unknown: "the file is torn"}, "unknown: the file is torn"},
	} {
		if got := c.run.chart().Note; !strings.Contains(got, c.says) || c.says == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c.run, got, c.says)
		}
	}
}

// A bar is called by what is linked, and has all of it where one points.
func TestLinkNames(t *testing.T) {
	for what, label := range map[string]string{
		"cc -o p1": "p1", "cc -o target/debug/deps/attn-1a2b": "attn-1a2b", "": "ld.lld", "link": "ld.lld", "cc -o ": "ld.lld", "cc -o /": "ld.lld", "cc -o a b/c": "c",
	} {
		e := buildlock.LinkEvent{Tool: "ld.lld", What: what, PID: 77, Ticket: "link-12", Outcome: buildlock.Ticketed, Time: time.Now()}
		bars := linkBars([]buildlock.LinkEvent{e}, false)
		if len(bars) != 1 || bars[0].Label != label || bars[0].Detail != cmp.Or(what, "ld.lld")+", pid 77 link-12" && strings.TrimSpace(what) == what {
			t.Errorf("%q: %+v, want %q", what, bars, label)
		}
	}
}

// Who reads ends: that is no error, and nothing is said.
func TestPressureReaderGone(t *testing.T) {
	t.Parallel()
	needsPSI(t)
	s := realStage(t)
	for _, args := range [][]string{
		{"pressure", "--for", "200ms"}, {"pressure", "--for", "200ms", "--json"}, {"pressure", "watch"}, {"pressure", "watch", "--json"},
		{"pressure", "wait", "--memory-full", "100", "--wait", "0", "--json"},
	} {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = read.Close()
		cmd := s.command(t, args...)
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = write, &stderr
		err = cmd.Run()
		_ = write.Close()
		if said := strings.TrimSpace(stderr.String()); err != nil || said != "" && !strings.HasPrefix(said, "gpuci: waiting for ") {
			t.Errorf("%q: %v, %s", args, err, said)
		}
	}
}

// A terminal gets no SVG, unless it is named.
func TestPressurePlotTerminal(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		needsTool(t, "script")
	}
	s := realStage(t)
	cmd := s.command(t, "pressure", "plot", "last")
	show := exec.Command("script", "-qec", strings.Join(cmd.Args, " "), "/dev/null")
	show.Dir, show.Env = cmd.Dir, cmd.Env
	out, err := show.CombinedOutput()
	if err == nil || show.ProcessState.ExitCode() != 64 || !strings.Contains(string(out), "-o FILE writes it there") {
		t.Errorf("%v, %s", err, out)
	}
}

// What stands in the place of a record is not waited for.
func TestPlotOfNoRecord(t *testing.T) {
	s := newStage(t)
	main, _ := s.lanes(t)
	s.dir = main
	dir := filepath.Join(main, ".git", "gpuci", "runs", "20991231T000000Z-0123abcd")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "verdict.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := s.run(t, "pressure", "plot", "last", "-o", "x.svg"); code == 0 || !strings.Contains(stderr, "no regular file") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
