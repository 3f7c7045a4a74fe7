package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"gpuci/pressure"
)

// A stall shows in all three ways, without anybody asking again; the end is a
// signal's, and leaves a terminal as it was.
func TestPressureWatch(t *testing.T) {
	t.Parallel()
	needsPSI(t)
	s := realStage(t)
	lines, events := s.command(t, "pressure", "watch"), s.command(t, "pressure", "watch", "--json")
	live := s.command(t, "pressure", "watch")
	live.Env = append(live.Env, "TERM=xterm")
	texts := map[*exec.Cmd]*listener{lines: newListener(), events: newListener(), live: newListener()}
	for _, cmd := range []*exec.Cmd{lines, events} {
		cmd.Stdout = texts[cmd]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
	}
	terminal, err := pty.StartWithSize(live, &pty.Winsize{Rows: 24, Cols: 60})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	t.Cleanup(func() { _ = live.Process.Kill() })
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := terminal.Read(buf)
			_, _ = texts[live].Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	texts[lines].hear(t, " now: io full ")
	texts[events].hear(t, `{"type":"event","event":"first",`)
	texts[live].hear(t, "cpu ")
	busyLoops(t)
	texts[lines].hear(t, " cpu stalled (cpu some over 50%): io full ")
	texts[lines].hear(t, "; at work or ready to: ")
	texts[events].hear(t, `"event":"stalled"`)
	texts[live].hear(t, "cpu stalled since ")
	if _, err := terminal.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	_ = lines.Process.Signal(os.Interrupt)
	_ = events.Process.Signal(syscall.SIGTERM)
	for cmd, want := range map[*exec.Cmd]int{lines: 130, events: 143, live: 130} {
		if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Error(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("%q: exit %d, want %d", cmd.Args[1:], code, want)
		}
	}
	<-read
	for line := range strings.Lines(texts[events].String()) {
		var l eventLine
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Type == "" {
			t.Errorf("%q: %v", line, err)
		}
	}
	mustBeSane(t, texts[live].String(), 60)
}

// mustBeSane looks at what a terminal was sent: nothing but text, moves up, and
// lines that are cleared and fit; at last a line of its own.
func mustBeSane(t *testing.T, text string, columns int) {
	t.Helper()
	if !strings.Contains(text, "\r\nwatched ") && !strings.Contains(text, "\nwatched ") || !strings.HasSuffix(text, "\n") {
		t.Errorf("it ends with %q", text[max(0, len(text)-200):])
	}
	for i, part := range strings.Split(text, "\x1b[") {
		if i == 0 {
			continue
		}
		end := strings.IndexAny(part, "AK")
		if end < 0 || strings.Trim(part[:end], "0123456789") != "" {
			t.Errorf("it sends the sequence %.20q", part)
			continue
		}
		line, _, _ := strings.Cut(part[end+1:], "\r")
		if part[end] == 'K' && len([]rune(line)) >= columns {
			t.Errorf("%q does not fit in %d columns", line, columns)
		}
	}
}

// eventAt is an event with a span of so many seconds before it, and 12 % of io
// full in the kernel's last 10 s. Two wait when a stall begins.
func eventAt(kind pressure.EventKind, to time.Time, length time.Duration, ioFull pressure.Share) sight {
	cpu := pressure.Shares{Some: pressure.Share{Value: 1, Known: true}}
	r := pressure.Reading{Time: to, IO: pressure.Resource{Full: &pressure.Level{Avg10: 12}}}
	s := sight{Event: pressure.Event{Kind: kind, Resource: "io", Reading: r, Span: pressure.Span{From: to.Add(-length), To: to, IO: pressure.Shares{Full: ioFull}, CPU: cpu}}}
	if kind == pressure.EventStalled {
		s.who = []crowd{{"dd", "lane kda", 2, 41}, {"sync", "outside any lane, in /data", 1, 43}}
	}
	return s
}

func share(v float64) pressure.Share { return pressure.Share{Value: v, Known: true} }

// A graph shows steps as they are: unknown is no 0, a long calm is one step and
// marked, two events of one look are one step, and what does not fit is cut.
func TestPressureGraph(t *testing.T) {
	start := time.Date(2026, 11, 30, 14, 2, 11, 0, time.Local)
	var s strips
	at := start
	step := func(kind pressure.EventKind, length time.Duration, v pressure.Share) {
		at = at.Add(length)
		s.add(eventAt(kind, at, length, v))
	}
	step(pressure.EventFirst, time.Second, share(0))
	step(pressure.EventStalled, 10*time.Minute, share(0.13))
	s.add(eventAt(pressure.EventStalled, at, 10*time.Minute, share(0.13)))
	step(pressure.EventLevel, time.Second, pressure.Share{})
	step(pressure.EventLevel, time.Second, share(1))
	step(pressure.EventLevel, time.Second, share(0.5))
	lines := s.lines(80)
	if want := "▁┊▂?█▅  some    ?  full  50%"; len(lines) != 4 || !strings.HasSuffix(lines[1], want) || !strings.HasPrefix(lines[1], "io ") {
		t.Errorf("got %q, want %q at the end", lines, want)
	}
	if want := []string{"io stalled since 14:12:12 (io full over 10%); waiting for it: 2 dd (lane kda), sync (pid 43, outside any lane, in /data)"}; !slices.Equal(s.state(), want) {
		t.Errorf("the state is %q, want %q", s.state(), want)
	}
	// What is below the limit again does not stall any more, called calm or not.
	step(pressure.EventLevel, time.Second, share(0.02))
	if text := s.state(); !strings.HasPrefix(text[0], "io stalled from 14:12:12 to 14:12:15; waiting for it: 2 dd") {
		t.Errorf("the state is %q", text)
	}
	step(pressure.EventLevel, time.Second, share(0.3))
	if text := s.state(); !strings.HasPrefix(text[0], "io stalled since 14:12:12 ") {
		t.Errorf("the state is %q", text)
	}
	step(pressure.EventCalm, 5*time.Second, share(0))
	if text := s.state(); !slices.Equal(text, []string{"calm since 14:12:17"}) {
		t.Errorf("the state is %q", text)
	}
	if text := s.sum(time.Minute); !strings.HasPrefix(text, "watched 1m0s, 2 stalls; io full 13% in the mean, 100% at the highest") {
		t.Errorf("the sum is %q", text)
	}
	for range 200 {
		step(pressure.EventLevel, time.Second, share(1.5))
	}
	for _, columns := range []int{1, 2, 20, 33, 40, 80, 300} {
		for _, line := range s.lines(columns) {
			if len([]rune(line)) >= max(2, columns) || strings.Count(line, "█") > maxSteps {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
	}
}

// A stall after a calm hour has the numbers of now, and not the hour's, on a
// screen as in a line.
func TestPressureAfterCalm(t *testing.T) {
	at := time.Date(2026, 11, 30, 14, 2, 11, 0, time.Local)
	stalled := eventAt(pressure.EventStalled, at, time.Hour, share(0.001))
	var s strips
	s.add(stalled)
	if line := s.lines(120)[1]; !strings.HasSuffix(line, "full  12%") {
		t.Errorf("the row is %q", line)
	}
	var out strings.Builder
	w := changeLines{out: &out, note: func(string) {}}
	if err := w.show(stalled); err != nil {
		t.Fatal(err)
	}
	want := "14:02:11 io stalled (io full over 10%): io full 12%, io some unknown, memory full unknown, cpu some unknown, over 10 s; waiting for it: 2 dd (lane kda), sync (pid 43, outside any lane, in /data)\n"
	if out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
}

// A screen that has fewer lines than before wipes the rest.
func TestPressureWipes(t *testing.T) {
	_, tty, err := pty.Open()
	if err != nil {
		needsTool(t, "a pty: "+err.Error())
	}
	defer tty.Close()
	w := liveWatch{out: tty, drawn: 9}
	if err := w.show(eventAt(pressure.EventFirst, time.Now(), time.Second, share(0))); err != nil || w.drawn != 9 {
		t.Errorf("%d lines stand there, %v", w.drawn, err)
	}
}

// Without a terminal a line stands for a change, and not for a look.
func TestPressureChanges(t *testing.T) {
	var out strings.Builder
	w := changeLines{out: &out, note: func(string) {}}
	at := time.Now()
	for _, e := range []struct {
		kind  pressure.EventKind
		after time.Duration
		v     pressure.Share
		lines int
	}{
		{pressure.EventFirst, time.Second, share(0), 1},
		{pressure.EventStalled, 3 * time.Second, share(0.5), 2},
		{pressure.EventLevel, time.Second, share(0.59), 2},
		{pressure.EventLevel, time.Second, share(0.45), 2},
		{pressure.EventLevel, time.Second, share(0.61), 3},
		{pressure.EventLevel, time.Second / 2, share(0.2), 3},
		{pressure.EventLevel, time.Second / 2, share(0.2), 4},
		{pressure.EventLevel, time.Second, pressure.Share{}, 5},
		{pressure.EventDegraded, 0, share(0), 5},
		{pressure.EventCalm, time.Second, share(0), 6},
	} {
		at = at.Add(e.after)
		if err := w.show(eventAt(e.kind, at, time.Second, e.v)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "\n"); n != e.lines {
			t.Errorf("after %+v %d lines, want %d: %s", e, n, e.lines, out.String())
		}
	}
	if !strings.Contains(out.String(), " level: io full unknown, ") {
		t.Errorf("said %s", out.String())
	}
}
