package trace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestManyThreads: events of thousands of threads come in the order of their time.
func TestManyThreads(t *testing.T) {
	const threads, each = 2000, 3
	f := newForge(t)
	k := f.kernel("k", 1)
	for range each {
		for i := range threads {
			f.thread = 1 + (i*7919)%threads
			f.launch(k)
		}
	}
	dir := t.TempDir()
	f.write(dir)
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, last := 0, time.Duration(-1)
	err = r.Processes[0].Events(t.Context(), func(e Event) bool {
		if e.At < last {
			t.Errorf("event %d: %v behind %v", n, e.At, last)
		}
		n, last = n+1, e.At
		return true
	})
	if err != nil || n != threads*each {
		t.Errorf("%d events, %v", n, err)
	}
}

// TestNoFile: what is no regular file in a recording is refused, and nobody waits for it.
func TestNoFile(t *testing.T) {
	for _, name := range []string{"9-9.events", metaFile, stepsFile} {
		f := newForge(t)
		f.launch(f.kernel("k", 1))
		dir := t.TempDir()
		f.write(dir)
		path := filepath.Join(dir, name)
		if err := unix.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := ReadDir(dir)
		if err == nil && name == "9-9.events" {
			err = errors.New(strings.Join(r.missing(), "; "))
		} else if err == nil {
			_, err = NewReport(t.Context(), r, &Meta{Pattern: "x"}, Counting{})
		}
		if name == metaFile {
			_, err = ReadMeta(dir)
		}
		if err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTimelineOver: a timeline of ours is written over, nothing else is; a link stays one.
func TestTimelineOver(t *testing.T) {
	f := newForge(t)
	f.launch(f.kernel("k", 1))
	dir := t.TempDir()
	f.write(dir)
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	line, err := NewTimeline(t.Context(), r, nil, Counting{}, TimelineOptions{Stage: "(outside)", Step: MedianStep})
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	for _, name := range []string{"a.json", "a.json.gz"} {
		path, link := filepath.Join(to, name), filepath.Join(to, "to-"+name)
		if err := errors.Join(line.WriteFile(t.Context(), path), line.WriteFile(t.Context(), path), os.Symlink(path, link), line.WriteFile(t.Context(), link)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if at, err := os.Readlink(link); err != nil || at != path {
			t.Errorf("the link is %q, %v", at, err)
		}
		if err := os.WriteFile(path, []byte("somebody's"), 0o644); err != nil {
			t.Fatal(err)
		}
		var other *NotOurs
		if err := line.WriteFile(t.Context(), path); !errors.As(err, &other) {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "somebody's" {
			t.Errorf("%s is %q, %v", name, b, err)
		}
	}
	if err := errors.Join(line.WriteFile(t.Context(), os.DevNull)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("%s is a file now", os.DevNull)
	}
	if err := line.WriteFile(t.Context(), to); err == nil {
		t.Error("it was written over a directory")
	}
}

// TestClockSet: steps go by the clock of the events, whatever the clock of the day was set to.
func TestClockSet(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	var lines []Line
	for step := range 3 {
		f.launch(k)
		lines = append(lines, Line{At: forgeBegan.Add(-time.Hour), Step: step, Mono: int64(f.head.Monotonic) + int64(f.now)})
		f.wait(time.Millisecond)
	}
	if s := f.report(Counting{Lines: lines, Warm: -1}).stage(t, LineStep); s.Steps != 3 || s.Total[Launches] != 3 {
		t.Errorf("%d steps, %d launches", s.Steps, s.Total[Launches])
	}
	dir := t.TempDir()
	log, err := NewStepLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := monotonic()
	log.Add(Line{At: time.Now(), Step: 1})
	if _, err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadSteps(dir); err != nil || len(got) != 1 || got[0].Mono < before-int64(time.Millisecond) || got[0].Mono > monotonic() {
		t.Errorf("%+v, %v", got, err)
	}
}
