package protected

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

var (
	noon  = time.Date(2026, 3, 14, 12, 0, 0, 0, time.Local)
	steps = regexp.MustCompile(`(?:(?P<time>\S+ \S+) )?(?P<unit>step|epoch) (?P<done>[\d,.kM]+) of (?P<total>[\d,.kM?]+)`)
)

// at reads a text as a log that was written at noon, by a run that began at 9:00,
// when it is so much past noon.
func at(state string, past time.Duration, text string) Run {
	r := Run{Rule: Rule{Name: "night", Progress: steps.String()}, Process: proc.Identity{PID: 7, Start: 1, BootID: "b"}, Since: noon.Add(-3 * time.Hour)}
	f := finder{o: Options{State: state}, boot: "b", now: noon.Add(past)}
	in := reading{path: "/var/log/night", modified: noon, born: r.Since.Add(time.Second), marks: parseMarks([]byte(text), steps, false, noon)}
	r.Progress = f.judge(r, in)
	return r
}

func TestFreeAt(t *testing.T) {
	for _, c := range []struct {
		name, log, want string
		past            time.Duration
	}{
		{"since it started", "step 0 of 80000\nstep 30,000 of 80k\n", "free at about 17:00 (step 30000 of 80000, by its log)", 0},
		{"not today", "step 0 of 80000\nstep 8000 of 80000\n", "free at about 2026-03-15 15:00 (step 8000 of 80000, by its log)", 0},
		{"lines of a carriage return", "step 0 of 40\rstep 10 of 40\rstep 30 of 40\rstep 31", "free at about 13:00 (step 30 of 40, by its log)", time.Minute},
		{"resumed from a checkpoint", "step 60000 of 80000\nstep 70000 of 80000\n", "free at about 15:00 (step 70000 of 80000, by its log)", 0},
		{"its own times", "2026-03-14 11:00:00 step 10 of 40\n2026-03-14 11:30:00 epoch 20 of 40\n", "free at about 12:30 (epoch 20 of 40, by its log)", 5 * time.Minute},
		{"a run before it", "2026-03-13 11:00:00 step 39 of 40\n2026-03-14 11:00:00 step 10 of 40\n2026-03-14 11:30:00 step 20 of 40\n", "free at about 12:30 (step 20 of 40, by its log)", 0},
		{"one line", "step 100 of 800\n", "when it will be over is not known (step 100 of 800, and there is nothing yet to tell how fast it goes)", 0},
		{"half a line", "step 41200 of 80000", "when it will be over is not known (its log says nothing yet that its rule would call progress)", 0},
		{"no total", "step 5 of ?\n", "when it will be over is not known (its log says nothing yet that its rule would call progress)", 0},
		{"began again", "step 10 of 40\nstep 30 of 40\nstep 5 of 40\n", "when it will be over is not known (its log went back to step 5 of 40: it began again)", 0},
		{"stalled", "step 0 of 40\nstep 30 of 40\n", "when it will be over is not known (it was to be over at 13:00 by its log, step 30 of 40, and is not)", 61 * time.Minute},
		{"hangs", "step 0 of 40\nstep 1 of 40\nstep 2 of 40\nstep 3 of 40\nstep 4 of 40\nstep 5 of 40\nstep 6 of 40\nstep 7 of 40\n", "when it will be over is not known (nothing new in its log for 2h30m0s: step 7 of 40)", 150 * time.Minute},
		{"at its end", "step 0 of 40\nstep 40 of 40\n", "when it will be over is not known (step 40 of 40 by its log, and it is not over)", 0},
	} {
		if got := at("", c.past, c.log).FreeText(noon.Add(c.past)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A log that was there before the run: what an earlier one wrote is not taken for
// it, and how fast it goes is known from the second look on.
func TestAppendedLog(t *testing.T) {
	r := Run{Rule: Rule{Name: "night"}, Process: proc.Identity{PID: 7, Start: 1, BootID: "b"}, Since: noon.Add(-time.Hour)}
	f := finder{o: Options{State: t.TempDir()}, boot: "b", now: noon}
	for _, look := range []struct {
		past      time.Duration
		log, want string
	}{
		{0, "step 700 of 800\nstep 750 of 800\nstep 10 of 800\nstep 200 of 800\n", "when it will be over is not known (step 200 of 800; its log is older than it, so the next look will tell how fast it goes)"},
		{time.Hour, "step 750 of 800\nstep 10 of 800\nstep 200 of 800\nstep 400 of 800\n", "free at about 15:00 (step 400 of 800, by its log)"},
		{2 * time.Hour, "step 400 of 800\nstep 300 of 800\nstep 310 of 800\n", "when it will be over is not known (its log went back to step 310 of 800: it began again)"},
	} {
		f.now = noon.Add(look.past)
		r.Progress = f.judge(r, reading{modified: f.now, born: noon.Add(-24 * time.Hour), marks: parseMarks([]byte(look.log), steps, false, f.now)})
		if got := r.FreeText(f.now); got != look.want {
			t.Errorf("%s, want %s", got, look.want)
		}
	}
}

// A log that was rotated begins in the middle: its own first line counts from when
// it was made.
func TestRotatedLog(t *testing.T) {
	r := Run{Rule: Rule{Name: "night"}, Since: noon.Add(-10 * time.Hour)}
	f := finder{now: noon}
	r.Progress = f.judge(r, reading{modified: noon, born: noon.Add(-time.Hour), marks: parseMarks([]byte("step 900 of 1200\nstep 1000 of 1200\n"), steps, false, noon)})
	if got := r.FreeText(noon); got != "free at about 14:00 (step 1000 of 1200, by its log)" {
		t.Error(got)
	}
}

// What was seen before tells how fast it goes, that it stands still though the log
// is written to, and that it began again.
func TestFreeAtByMemory(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	first := at(state, -2*time.Hour, "step 100 of 800\n") // the time of the log is at most now: 10:00
	if _, _, ok := first.FreeAt(noon); ok {
		t.Fatal("one line is enough")
	}
	if got := at(state, 0, "step 300 of 800\n").FreeText(noon); got != "free at about 17:00 (step 300 of 800, by its log)" {
		t.Errorf("after two looks: %q", got)
	}
	if got := at(state, 30*time.Minute, "step 300 of 800\n").FreeText(noon); !strings.Contains(got, "nothing new in its log for 30m") {
		t.Errorf("stalled: %q", got)
	}
	if got := at(state, 0, "step 150 of 800\n").FreeText(noon); !strings.Contains(got, "went back to step 150 of 800") {
		t.Errorf("went back: %q", got)
	}
	for i := range 100 {
		at(state, time.Duration(i)*time.Second, fmt.Sprintf("step %d of 800\n", 151+i))
	}
	list, err := filepath.Glob(state + "/*")
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if info, err := os.Stat(list[0]); err != nil || info.Size() > maxMemory {
		t.Errorf("%v, %v", info, err)
	}
	if m := readMemory(list[0]); len(m.Samples) > maxSamples || m.Samples[0].Done != 150 || m.Peak != 300 {
		t.Errorf("%+v", m)
	}
	if err := os.WriteFile(list[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := at(state, 0, "step 0 of 80000\nstep 30000 of 80000\n").FreeText(noon); !strings.HasPrefix(got, "free at about 17:00") {
		t.Errorf("with a spoilt memory: %q", got)
	}
}

func TestParseLeft(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1:23:45": time.Hour + 23*time.Minute + 45*time.Second, "12:34": 12*time.Minute + 34*time.Second, "2-03:00:00": 51 * time.Hour,
		"2 days, 3:00:00": 51 * time.Hour, "3h20m": 200 * time.Minute, "3h 20m": 200 * time.Minute, "1d 2h": 26 * time.Hour, "5400": 90 * time.Minute,
		"?": -1, "": -1, "-3": -1, "1:2:3:4": -1, "9999 days, 1:00:00": -1, "inf": -1, "1e999": -1, "NaN": -1,
	} {
		if got, ok := parseLeft(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, ok, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-14 11:00:00,250": "2026-03-14 11:00:00", "11:59:30": "2026-03-14 11:59:30", "13:00": "2026-03-13 13:00:00",
		"Mar 13 23:00:00": "2026-03-13 23:00:00", "0312 08:00:00.123456": "2026-03-12 08:00:00", "Dec 31 23:00:00": "2025-12-31 23:00:00",
		fmt.Sprint(noon.Unix()): "2026-03-14 12:00:00", "yesterday": "0001-01-01 00:00:00",
	} {
		if got := parseTime(text, noon).Format(time.DateTime); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestTimeThatTheLogGives(t *testing.T) {
	re := regexp.MustCompile(`(?P<percent>\d+)%.*(?:<(?P<eta>[^,]+),)`)
	marks := parseMarks([]byte("\r 10%|#  | [1:00:00<9:00:00, 2it/s]\r 47%|##  | [4:00<1:30:00, 2it/s]\r 48%|"), re, true, noon)
	if len(marks) != 2 || marks[1].done != 47 || marks[1].left != 90*time.Minute {
		t.Fatalf("%+v", marks)
	}
	r := Run{Rule: Rule{Name: "x"}}
	f := finder{now: noon}
	r.Progress = f.judge(r, reading{modified: noon, marks: marks})
	if got := r.FreeText(noon); got != "free at about 13:30 (47 %, by its log)" {
		t.Error(got)
	}
}

func FuzzParseMarks(f *testing.F) {
	f.Add([]byte("2026-03-14 11:00:00 step 10 of 40\nstep 20 of 40\r"), true)
	f.Add([]byte("step 1e309 of 2\nstep 3M of 4G\nstep ,,, of .\nstep 5 of 0\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, cut bool) {
		for _, m := range parseMarks(data, steps, cut, noon) {
			if !(m.done >= 0 && m.done <= maxCount && m.total >= 0 && m.total <= maxCount) || m.left > far {
				t.Fatalf("%+v", m)
			}
		}
		r := at("", 0, string(data))
		when, basis, ok := r.FreeAt(noon)
		if ok && (when.Before(noon) || when.After(noon.Add(far))) || basis == "" {
			t.Fatalf("%s (%q, %v)", when, basis, ok)
		}
		if text := r.Text(noon); strings.ContainsAny(text, "\r\n\x1b") {
			t.Fatalf("%q", text)
		}
	})
}
