package trace

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestUnmadeAny: the file that is every user's hides no process, whatever it has become.
func TestUnmadeAny(t *testing.T) {
	_, report := broken(t, func(dir, _ string) error {
		return errors.Join(os.Truncate(filepath.Join(dir, unmadeFile), 1<<40), couldNot(dir, 3, "3 sh: no"))
	})
	if len(report.Processes) != 2 || len(report.Missing) != 1 || !strings.HasPrefix(report.Missing[0], "process 3 sh: no") {
		t.Errorf("%d processes, %q", len(report.Processes), report.Missing)
	}
	r, report := broken(t, func(dir, _ string) error {
		path := filepath.Join(dir, unmadeFile)
		return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600))
	})
	if len(report.Processes) != 2 || len(report.Missing) != 1 || !strings.Contains(report.Missing[0], "no regular file") {
		t.Errorf("%d processes, %q", len(report.Processes), report.Missing)
	}
	var no *Uncounted
	if _, err := r.Measure(t.Context(), Counting{}, []Wanted{{"launches", WholeRun, nil}}); !errors.As(err, &no) {
		t.Errorf("measured: %v", err)
	}
}

// TestReadyThere: what is there already is not written to, nor what it leads to.
func TestReadyThere(t *testing.T) {
	dir, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	if err := errors.Join(os.WriteFile(mine, []byte("mine"), 0o600), os.Symlink(mine, filepath.Join(dir, unmadeFile)), os.Symlink(mine, filepath.Join(dir, stepsFile))); err != nil {
		t.Fatal(err)
	}
	if err := Ready(dir); err == nil {
		t.Error("it is ready")
	}
	if _, err := NewStepLog(dir); err == nil {
		t.Error("steps are noted")
	}
	info, err := os.Stat(mine)
	if err != nil || info.Size() != 4 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestNamesWithoutEnd: a line without end is not held, and its process is not counted.
func TestNamesWithoutEnd(t *testing.T) {
	_, report := broken(t, func(_, stem string) error { return os.Truncate(stem+".names", 1<<40) })
	if len(report.Missing) != 1 || !strings.Contains(report.Missing[0], "a line of it has more than") {
		t.Errorf("%q", report.Missing)
	}
}

// TestReadableShort: a symbol that says its types again and again by number.
func TestReadableShort(t *testing.T) {
	symbol, last := "_Z1kI1aIiiE", 1
	for range 60 { // each twice the one before: 2^60
		number := strings.ToUpper(string("0123456789abcdefghijklmnopqrstuvwxyz"[last%36]))
		if last >= 36 {
			number = strings.ToUpper(string("0123456789abcdefghijklmnopqrstuvwxyz"[last/36])) + number
		}
		symbol += "1bIS" + number + "_S" + number + "_E"
		last += 2
	}
	name := readable(symbol + "Evv")
	if len(name) > 1<<readableMost || !strings.HasPrefix(name, "k<a<int, int>, b<a<int, int>, a<int, int> >") {
		t.Errorf("%d characters: %.80s", len(name), name)
	}
}

// TestFewerPairs: of very many readings of the clocks some are held, the first among them.
func TestFewerPairs(t *testing.T) {
	var pairs []clockPair
	const n = 10 * pairsMost
	for i := range int64(n) {
		pairs = fewer(append(pairs, clockPair{before: i, after: i, theirs: i}))
	}
	if len(pairs) >= pairsMost || len(pairs) < pairsMost/2 || pairs[0].theirs != 0 || pairs[len(pairs)-1].theirs < n-2 {
		t.Errorf("%d, from %d to %d", len(pairs), pairs[0].theirs, pairs[len(pairs)-1].theirs)
	}
	if c := newClock(pairs, 0); c.host(n/2) != n/2 || c.Within > 1 {
		t.Errorf("%v, %+v", c.host(n/2), c.Within)
	}
}

// TestIdleForDays: a share of a fortnight is one.
func TestIdleForDays(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	f.works(Work{Tie: f.ask(), Kind: Launch, Start: 1, End: 9})
	f.launch(k)
	f.wait(14 * 24 * time.Hour)
	f.sync(time.Microsecond)
	s := f.report(Counting{}).stage(t, Outside)
	if share := s.Device[0].Share.Median; math.Abs(share-1) > 0.001 {
		t.Errorf("idle for %v", share)
	}
}

// TestRareWork: a card that works in few of the steps was asked for something all the same.
func TestRareWork(t *testing.T) {
	f := newForge(t)
	k := f.kernel("k", 1)
	for i := range 40 {
		f.push(fmt.Sprint("step ", i))
		if i == 20 {
			f.works(Work{Tie: f.ask(), Kind: Launch, Start: f.now + 1, End: f.now + 9})
			f.launch(k)
		}
		f.sync(time.Millisecond)
		f.pop()
	}
	got := f.measure(Counting{}, Wanted{"idle-share", "step", nil}, Wanted{"device-ms", "step", nil})
	if got[0].Why != "" || got[0].Median != 1 || got[1].Why != "" || got[1].N != 35 {
		t.Errorf("%+v", got)
	}
}

// TestTimelineBesides: in the place of a recording's timeline nothing but a file is written
// to, and a pipe there holds nobody.
func TestTimelineBesides(t *testing.T) {
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
	path := filepath.Join(dir, TimelineName)
	for name, make := range map[string]func() error{
		"a pipe": func() error { return unix.Mkfifo(path, 0o600) },
		"a link": func() error { return os.Symlink(filepath.Join(t.TempDir(), "a"), path) },
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		var other *NotOurs
		if err := line.WriteIn(t.Context(), dir); !errors.As(err, &other) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(line.WriteIn(t.Context(), dir), line.WriteIn(t.Context(), dir)); err != nil {
		t.Error(err)
	}
}

// TestTimelineOfMarks: a step of very many marks is cut off.
func TestTimelineOfMarks(t *testing.T) {
	f := newForge(t)
	f.push("step 1")
	name := f.name("T", "here")
	for range 2*timelineMost + 1000 {
		f.event(Mark, 0, name, 0, 0)
	}
	f.launch(f.kernel("k", 1))
	f.pop()
	dir := t.TempDir()
	f.write(dir)
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	line, err := NewTimeline(t.Context(), r, nil, Counting{}, TimelineOptions{Step: MedianStep})
	if err != nil || !line.Cut || len(line.trace.Events) > 2*timelineMost+10 {
		t.Errorf("%d events, cut %t, %v", len(line.trace.Events), line.Cut, err)
	}
}
