package history

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func falsification(run string) Falsification {
	value, factor := 0.5, 25000.0
	return Falsification{
		Run: run, Gate: "adjoint", Lane: "kda", Started: time.Date(2026, 3, 4, 7, 0, 0, 0, time.UTC), Seconds: 3.5, Commit: "c0ffee",
		Settings: "aa", Faults: "bb", Files: map[string]string{"faults/a.patch": "cc"}, Caught: 1, Of: 1, UID: os.Geteuid(),
		Results: []Planting{{Fault: "double-exp", Outcome: "caught", Moves: []Move{{Metric: "worst-rel", Value: &value, Factor: &factor, Must: "move", Moved: true}}}},
	}
}

// A database of form 2 is read by every later gpuci, and one of form 1 comes to
// have what form 2 has.
func TestForm2(t *testing.T) {
	st := restored(t, "form-2")
	checkForm1(t, st)
	s := st.open()
	list, err := s.Falsifications(t.Context(), Query{Gate: "adjoint"})
	if err != nil || len(list) != 1 || list[0].Caught != 1 || list[0].Results[1].Outcome != "blind" || *list[0].Results[0].Moves[0].Factor != 25000 {
		t.Errorf("%+v, %v", list, err)
	}
	st.close(s)
	st = restored(t, "form-1")
	keepsFalsifications(t, st)
	st = newStage(t)
	if err := os.CopyFS(st.dir, os.DirFS("testdata/form-0")); err != nil {
		t.Fatal(err)
	}
	keepsFalsifications(t, st)
}

func keepsFalsifications(t *testing.T, st *stage) {
	t.Helper()
	s := st.open()
	runs := strings.Join(st.runs(s, Query{Partial: true}), " ")
	for _, f := range []Falsification{falsification("f1"), falsification("f1"), {Run: "f2", Gate: "adjoint", Lane: "main", Partial: true, Started: time.Now()}} {
		if err := s.RecordFalsification(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Falsifications(t.Context(), Query{Gate: "adjoint"})
	if d := cmp.Diff([]Falsification{falsification("f1")}, list); err != nil || d != "" {
		t.Error(err, d)
	}
	if list, err := s.Falsifications(t.Context(), Query{Partial: true, Limit: 1}); err != nil || len(list) != 1 || list[0].Run != "f2" {
		t.Errorf("%+v, %v", list, err)
	}
	if now := strings.Join(st.runs(s, Query{Partial: true}), " "); now != runs {
		t.Errorf("the results were %q, and are %q: a falsification is none", runs, now)
	}
	if err := s.RecordFalsification(t.Context(), Falsification{Run: "f3"}); err == nil {
		t.Error("one without a gate is kept")
	}
	st.close(s)
	st.sound()
}

// What was left in a journal comes into the database.
func TestFalsificationJournal(t *testing.T) {
	st := newStage(t)
	st.close(st.open())
	e, err := newFalsified(falsification("f1"))
	if err != nil {
		t.Fatal(err)
	}
	s := st.open()
	if err := s.append(t.Context(), e.body); err != nil {
		t.Fatal(err)
	}
	st.close(s)
	s = st.open()
	list, err := s.Falsifications(t.Context(), Query{})
	if err != nil || len(list) != 1 || list[0].Run != "f1" {
		t.Errorf("%+v, %v", list, err)
	}
}
