package ab

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/gates/ab/judge"
	"gpuci/gates/config"
)

const someID = "20261201T080000Z-0a1b2c3d"

func someSession() Session {
	return Session{
		ID: someID, Gate: "speed", Host: "there", Started: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC), Arms: []Arm{{Name: "a"}, {Name: "b"}},
		Plan: judge.Plan{Control: "a", Arm: "b", Seed: 7},
	}
}

func sampleAt(p judge.Place, v float64) *Sample {
	return &Sample{Sample: judge.Sample{Place: p, At: time.Unix(1, 0), Values: map[string]float64{"ms": v}}, Run: "r"}
}

// What was written is there whatever ends the writer: a line without an end is cut off,
// and the next one stands by itself. Two never write one journal.
func TestJournal(t *testing.T) {
	state := t.TempDir()
	j, err := newJournal(state, someSession())
	if err != nil {
		t.Fatal(err)
	}
	places := j.Log.Plan.Round(0)
	if err := j.add(line{Sample: sampleAt(places[0], 1)}); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(state, someID); !errors.Is(err, ErrHeld) || !Held(state, someID) {
		t.Errorf("two have it: %v", err)
	}
	if log, err := ReadLog(state, someID); err != nil || len(log.Samples) != 1 || !log.Unfinished() {
		t.Errorf("%+v, %v", log, err)
	}
	j.Close()
	if Held(state, someID) || Held(state, "20200101T000000Z-00000000") {
		t.Error("somebody has what nobody has")
	}
	f, err := os.OpenFile(journalPath(state, someID), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"sample":{"round":0,"sl`); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	_ = f.Close()
	if log, err := ReadLog(state, someID); err != nil || len(log.Samples) != 1 {
		t.Errorf("with a torn line: %+v, %v", log, err)
	}
	if j, err = openJournal(state, someID); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, l := range []line{{Sample: sampleAt(places[1], 2)}, {End: &End{State: Answered}}} {
		if err := j.add(l); err != nil {
			t.Fatal(err)
		}
	}
	log, err := ReadLog(state, someID)
	if err != nil || len(log.Samples) != 2 || log.Samples[1].Place != places[1] || log.Unfinished() || log.Plan != j.Log.Plan {
		t.Errorf("%+v, %v", log, err)
	}
	taken := log.Taken()
	if len(taken.Samples) != 2 || taken.Samples[0].Values["ms"] != 1 {
		t.Errorf("%+v", taken)
	}
	if list, err := Logs(state); err != nil || len(list) != 1 || list[0].ID != someID {
		t.Errorf("%+v, %v", list, err)
	}
	over := line{Sample: sampleAt(places[2], 3)}
	over.Sample.Why = strings.Repeat("x", maxJournal)
	if err := j.add(over); err == nil || len(j.Log.Samples) != 2 {
		t.Errorf("a line that nobody would read: %v", err)
	}
	s := session{o: Options{Gate: config.Gate{Name: "speed"}}, journal: j}
	if err := s.fits(); err == nil || !strings.Contains(err.Error(), "was begun on there") {
		t.Errorf("another machine goes on with it: %v", err)
	}
	for _, id := range []string{"20200101T000000Z-00000000", "../../etc/passwd", ""} {
		if _, err := openJournal(state, id); !errors.Is(err, ErrNoJournal) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Of two comparisons of one second, whose ids are in no order, the later is the newest; one
// that names no arms is none, and keeps nobody from the others.
func TestLogs(t *testing.T) {
	state := t.TempDir()
	arms := someSession().Arms
	for i, s := range []Session{
		{ID: "20261201T080000Z-ffffffff", Arms: arms}, {ID: "20261201T080000Z-00000000", Arms: arms},
		{ID: "20261201T080001Z-00000000"}, {ID: "20261201T080002Z-00000000", Arms: arms[:1]},
	} {
		s.Started = someSession().Started.Add(time.Duration(i) * time.Millisecond)
		j, err := newJournal(state, s)
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
		if _, err := ReadLog(state, s.ID); (err == nil) != (len(s.Arms) > 1) {
			t.Errorf("%s: %v", s.ID, err)
		}
	}
	list, err := Logs(state)
	if err != nil || len(list) != 2 || list[0].ID != "20261201T080000Z-00000000" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestJournalFull: of a line that the disk had no place for nothing is left, and what is
// written next can be read.
func TestJournalFull(t *testing.T) {
	state := t.TempDir()
	j, err := newJournal(state, someSession())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	info, err := j.file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	full := unix.Rlimit{Cur: uint64(info.Size()) + 20}
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	full.Max = was.Max
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &full); err != nil { // 20 bytes of the next line get in
		t.Fatal(err)
	}
	err = j.add(line{Sample: sampleAt(j.Log.Plan.Round(0)[0], 1)})
	if back := unix.Setrlimit(unix.RLIMIT_FSIZE, &was); back != nil {
		t.Fatal(back)
	}
	if err == nil {
		t.Fatal("a line is written that the disk has no place for")
	}
	if err := j.add(line{End: &End{State: Stopped}}); err != nil {
		t.Fatal(err)
	}
	if log, err := ReadLog(state, someID); err != nil || len(log.Samples) != 0 || log.End == nil {
		t.Errorf("%+v, %v", log, err)
	}
}
