package history

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is owed goes from the verdict through the database, also past a form of it that
// knew of no debts; of a gate that never owed anything nothing is read.
func TestOwing(t *testing.T) {
	st := restored(t, "form-2")
	s := st.open()
	r, err := FromVerdict([]byte(`{"type":"verdict","run":"b","gate":"time","outcome":"refused","exit":75,"built":true,
		"owed":{"why":"card busy","detail":"pid 7"},"bound":{"lane":"kda","commit":"c1","card":"NVIDIA H200","driver":"580"},
		"findings":[{"outcome":"refused","text":"\"owed\":{"}],"started":"2026-03-05T10:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Owed{"card busy", "pid 7"}
	if diff := cmp.Diff(want, r.Owed); diff != "" || !r.Built || r.Card != "NVIDIA H200" || r.Driver != "580" {
		t.Errorf("%s%+v", diff, r)
	}
	at := func(minutes int) time.Time { return r.Started.Add(time.Duration(minutes) * time.Minute) }
	other := func(run, gate, commit, outcome string, minutes int) Result {
		return Result{Run: run, Gate: gate, Lane: "okl", Commit: commit, Outcome: outcome, Started: at(minutes)}
	}
	never := other("d", "unit", "c1", "refused", 2) // a text that looks like it is none
	never.Findings = []Finding{{"refused", `"owed":{`}}
	part := other("p", "time", "c1", "green", 3)
	part.Partial = true
	ahead := other("x", "time", "c1", "green", 0)
	ahead.Started = time.Now().Add(time.Hour)
	st.record(s, r, other("a", "time", "c1", "green", -5), other("c", "time", "c1", "red", 1), never, part, ahead,
		other("i", "time", "c1", "interrupted", 4), other("e", "time", "c2", "green", 1), other("f", "unit", "c1", "green", 5))
	if ids := owed(t, s); ids != "a b c" {
		t.Errorf("%q, want a b c", ids)
	}
	got, err := s.Find(t.Context(), "b")
	if diff := cmp.Diff(want, got.Owed); err != nil || diff != "" || !got.Built {
		t.Error(err, diff)
	}
	st.close(s)
	db := connect(st.path("history.db"), time.Second, false)
	defer db.Close()
	if _, err := db.Exec("update results set uid = uid + 4711 where run in ('b', 'c')"); err != nil {
		t.Fatal(err)
	}
	if ids := owed(t, st.open()); ids != "a b c" {
		t.Errorf("%q, want a b c, also where b and c are of somebody who is not believed", ids)
	}
}

// What waits in the journal of somebody who cannot write to the database is owed too.
func TestOwingPending(t *testing.T) {
	st := newStage(t)
	s := st.open()
	st.record(s, Result{Run: "a", Gate: "time", Commit: "c", Outcome: "refused", Owed: &Owed{Why: "contended"}, Started: time.Now().Add(-time.Hour)})
	s.turn.Lock()
	s.unwritten = os.ErrPermission
	s.turn.Unlock()
	st.record(s, Result{Run: "b", Gate: "time", Commit: "c", Outcome: "green", Started: time.Now().Add(-time.Minute)})
	if ids := owed(t, s); ids != "a b" {
		t.Errorf("%q, want a b", ids)
	}
}

func owed(t *testing.T, s *Store) string {
	t.Helper()
	list, err := s.Owing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range list {
		ids = append(ids, r.Run)
	}
	return strings.Join(ids, " ")
}
