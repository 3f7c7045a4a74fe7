package history

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func decision(id string) Decision {
	return Decision{
		ID: id, Gate: "speed", Lane: "kda", At: time.Date(2026, 3, 5, 7, 0, 0, 0, time.UTC), UID: os.Geteuid(), Who: "alice", Verdict: "win",
		Base: DecidedArm{Name: "base", Spec: "commit:main", Commit: "c0ffee"}, Arm: DecidedArm{Name: "fused", Spec: "env:FAST=1", Commit: "c0ffee"},
		Metric: "step-ms", Unit: "ms", Change: -0.1, Low: -0.11, High: -0.09, Floor: 0.01, Samples: 20, Flags: []string{"env:FAST=1"}, Settings: "aa", Rules: "samples = 20\n",
	}
}

// A database of form 3 is read by every later gpuci; one of an earlier form comes to
// have decisions.
func TestForm3(t *testing.T) {
	st := restored(t, "form-3")
	checkForm1(t, st)
	s := st.open()
	list, err := s.Decisions(t.Context(), Query{Gate: "speed"})
	want := decision("20260305T070000Z-0a1b2c3d")
	want.UID = 0
	if d := cmp.Diff([]Decision{want}, list); err != nil || d != "" {
		t.Error(err, d)
	}
	st.close(s)
	for _, form := range []string{"form-1", "form-2"} {
		st = restored(t, form)
		keepsDecisions(t, st)
	}
}

func keepsDecisions(t *testing.T, st *stage) {
	t.Helper()
	s := st.open()
	for _, id := range []string{"d1", "d2"} {
		if err := s.RecordDecision(t.Context(), decision(id)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RecordDecision(t.Context(), decision("d1")); !errors.Is(err, ErrDecided) {
		t.Errorf("banked twice: %v", err)
	}
	if err := s.RecordDecision(t.Context(), Decision{ID: "d3"}); err == nil {
		t.Error("one without a gate is kept")
	}
	list, err := s.Decisions(t.Context(), Query{Gate: "speed"})
	if d := cmp.Diff([]Decision{decision("d2"), decision("d1")}, list); err != nil || d != "" {
		t.Error(err, d)
	}
	if list, err := s.Decisions(t.Context(), Query{Gate: "other"}); err != nil || len(list) > 0 {
		t.Errorf("%+v, %v", list, err)
	}
	st.close(s)
	st.sound()
}

// Somebody else's line of the same id stands beside the answer, and keeps it from nothing.
func TestDecisionOfAnother(t *testing.T) {
	st := newStage(t)
	s := st.open()
	forged := decision("d1")
	forged.Verdict = "worse"
	e, err := newDecided(forged)
	if err != nil {
		t.Fatal(err)
	}
	other := os.Geteuid() + 1
	if _, err := newDecided(decision(fmt.Sprintf("d1 of uid %d", os.Geteuid()))); err == nil {
		t.Error("somebody else takes the key of our own")
	}
	for range 2 {
		err = s.put(t.Context(), e.body, func(tx *sql.Tx) error {
			_, err := s.insertDecided(t.Context(), tx, e, other)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RecordDecision(t.Context(), decision("d1")); err != nil {
		t.Fatal(err)
	}
	if err := s.RecordDecision(t.Context(), decision("d1")); !errors.Is(err, ErrDecided) {
		t.Errorf("banked twice: %v", err)
	}
	list, err := s.Decisions(t.Context(), Query{})
	forged.UID = other
	if d := cmp.Diff([]Decision{decision("d1"), forged}, list); err != nil || d != "" {
		t.Error(err, d)
	}
	st.close(s)
}

// What was left in a journal comes into the database, once.
func TestDecisionJournal(t *testing.T) {
	st := newStage(t)
	st.close(st.open())
	e, err := newDecided(decision("d1"))
	if err != nil {
		t.Fatal(err)
	}
	s := st.open()
	for range 2 {
		if err := s.append(t.Context(), e.body); err != nil {
			t.Fatal(err)
		}
	}
	st.close(s)
	s = st.open()
	list, err := s.Decisions(t.Context(), Query{})
	if d := cmp.Diff([]Decision{decision("d1")}, list); err != nil || d != "" {
		t.Error(err, d)
	}
	st.close(s)
}
