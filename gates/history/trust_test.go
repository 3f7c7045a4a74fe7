package history

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

// What somebody who is nobody here left in a journal, and what is dated in the
// future, is never the latest, and is counted.
func TestLatestIsBelieved(t *testing.T) {
	needRoot(t)
	st := newStage(t)
	at := func(run, lane string, when time.Time) []byte {
		r := result(run)
		r.Lane, r.Started = lane, when
		e, err := newEntry(r)
		if err != nil {
			t.Fatal(err)
		}
		return append(e.body, '\n')
	}
	now := time.Now()
	own, others := fmt.Sprintf("journal/a-%d.jsonl", os.Geteuid()), fmt.Sprintf("journal/a-%d.jsonl", nobody)
	st.write(own, slices.Concat(at("ours", "kda", now.Add(-time.Hour)), at("ahead", "kda", now.Add(time.Hour)), at("soon", "skewed", now.Add(30*time.Second))))
	st.write(others, slices.Concat(at("forged", "kda", now), at("theirs", "theirs", now), at("never", "never", now.Add(time.Hour))))
	if err := os.Chown(st.path(others), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	s := st.open()
	latest := func() (ids []string) {
		list, err := s.Latest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			ids = append(ids, r.Run)
		}
		return ids
	}
	if d := cmp.Diff([]string{"ours", "soon"}, latest()); d != "" {
		t.Error(d)
	}
	aside, err := s.Aside(t.Context(), "adjoint")
	for i := range aside {
		aside[i].Last = time.Time{}
	}
	want := []Aside{{UID: os.Geteuid(), Ahead: true, Count: 1}, {UID: nobody, Count: 2}, {UID: nobody, Ahead: true, Count: 1}}
	if d := cmp.Diff(want, aside); d != "" || err != nil {
		t.Error(d, err)
	}
	if list, err := s.Aside(t.Context(), "another"); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
	// Whose directory it is can put any file there.
	if err := os.Chown(st.dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"forged", "soon", "theirs"}, latest()); d != "" {
		t.Error(d)
	}
}

// However many lines somebody else puts into a journal, what is believed is found at
// once, and what is not is counted.
func TestGreensAreBelieved(t *testing.T) {
	needRoot(t)
	st := newStage(t)
	now := time.Now()
	var forged, ours []byte
	add := func(to *[]byte, run string, when time.Time) {
		r := result(run)
		r.Started = when
		e, err := newEntry(r)
		if err != nil {
			t.Fatal(err)
		}
		*to = append(append(*to, e.body...), '\n')
	}
	const many = 1200 // more than two pages of those who ask
	for i := range many {
		add(&forged, fmt.Sprint("forged-", i), now.Add(-time.Duration(i)*time.Second))
	}
	add(&ours, "ours", now.Add(-24*time.Hour))
	add(&ours, "ahead", now.Add(time.Hour))
	st.write(fmt.Sprintf("journal/a-%d.jsonl", os.Geteuid()), ours)
	others := fmt.Sprintf("journal/a-%d.jsonl", nobody)
	st.write(others, forged)
	if err := os.Chown(st.path(others), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	s := st.open()
	r := result("any")
	of := r.Series(r.Metrics[0])
	for _, q := range []Query{{Limit: 3}, {Limit: 3, Believed: true}} {
		one, err1 := s.Greens(t.Context(), of, q)
		all, err2 := s.GreensOf(t.Context(), of, q)
		runs := st.runs(s, q)
		if err1 != nil || err2 != nil || len(one) == 0 || len(all) == 0 {
			t.Fatal(one, all, err1, err2)
		}
		alone := func(ids []string) bool { return len(ids) == 1 && ids[0] == "ours" }
		if got := []bool{alone(pointRuns(one)), alone(pointRuns(all)), alone(runs)}; got[0] != q.Believed || got[1] != q.Believed || got[2] != q.Believed {
			t.Errorf("%+v: %q, %q, %q", q, pointRuns(one), pointRuns(all), runs)
		}
	}
	for _, whole := range []bool{false, true} {
		u, err := s.Unheld(t.Context(), of, whole, Query{})
		if err != nil || u.Others != many || u.Aheads != 1 || len(u.Ahead) != 1 || u.Ahead[0].Run != "ahead" {
			t.Errorf("%+v, %v", u, err)
		}
		if u, err := s.Unheld(t.Context(), of, whole, Query{Since: now.Add(-45500 * time.Millisecond)}); err != nil || u.Others != 46 {
			t.Errorf("%+v, %v", u, err)
		}
	}
	counts, err := s.Count(t.Context(), Query{Believed: true})
	if err != nil || counts["green"] != 1 {
		t.Error(counts, err)
	}
}

// A store that rests holds nobody up, and finds what others did meanwhile.
func TestRest(t *testing.T) {
	st := newStage(t)
	s := st.open()
	st.record(s, result("one"))
	s.Rest()
	lock := flock.New(st.path("history.lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatalf("the lock is still held: %v", err)
	}
	_ = lock.Close()
	other := st.open()
	st.record(other, result("two"))
	st.close(other)
	if ids := st.runs(s, Query{}); len(ids) != 2 {
		t.Errorf("%q", ids)
	}
	s.Rest()
	st.record(s, result("three"))
	s.Rest()
	st.close(s)
	s.Rest()
	if err := s.Record(t.Context(), result("four")); err == nil {
		if ids := st.runs(st.open(), Query{}); len(ids) != 4 {
			t.Errorf("closed, and it said it was kept: %q", ids)
		}
	}
}
