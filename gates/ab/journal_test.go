package ab

import (
	"errors"
	"os"
	"testing"
	"time"

	"gpuci/gates/ab/judge"
)

const someID = "20261201T080000Z-0a1b2c3d"

func someSession() Session {
	return Session{
		ID: someID, Gate: "speed", Started: time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC), Arms: []Arm{{Name: "a"}, {Name: "b"}},
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
	if _, err := openJournal(state, someID); !errors.Is(err, ErrHeld) {
		t.Errorf("two have it: %v", err)
	}
	if log, err := ReadLog(state, someID); err != nil || len(log.Samples) != 1 || !log.Unfinished() {
		t.Errorf("%+v, %v", log, err)
	}
	j.Close()
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
	for _, id := range []string{"20200101T000000Z-00000000", "../../etc/passwd", ""} {
		if _, err := openJournal(state, id); !errors.Is(err, ErrNoJournal) {
			t.Errorf("%q: %v", id, err)
		}
	}
}
