package gates

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/history"
	"gpuci/worktrees"
)

// What another user was refused of the same gate in the same lane is a debt of his: when
// he has paid it, ours is run still.
func TestPayBesideOther(t *testing.T) {
	if os.Geteuid() != 0 {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs root")
		}
		t.Skip("needs root")
	}
	s := newDebtStage(t)
	s.refuse("kda", "a")
	ours := s.debts()[0].Run
	s.otherUser(ours, func(*history.Result) {})
	debts := s.debts()
	if len(debts) != 2 || debts[0].User == "" || debts[1].User != "" {
		t.Fatalf("%+v", debts)
	}
	o := s.payOptions(map[string]string{"a": "true"}, nil)
	prepare := o.Prepare
	o.Prepare = func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error) {
		if d.User != "" { // he pays between the look and the lock
			s.otherUser(ours, func(r *history.Result) {
				r.Run, r.Outcome, r.Owed, r.Started = "0-his-green", string(Green), nil, time.Now()
			})
		}
		return prepare(ctx, d, lane)
	}
	if diff := cmp.Diff([]string{"kda a:  paid another gpuci has just paid it", "kda a: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	s.owes()
}

// otherUser writes into the journal of another user what a run of ours came to, with a
// change.
func (s *debtStage) otherUser(run string, change func(r *history.Result)) {
	s.t.Helper()
	store, err := s.past.Store()
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := store.Find(s.t.Context(), run)
	s.past.Rest()
	if err != nil {
		s.t.Fatal(err)
	}
	r.Run = "0-his"
	change(&r)
	line, err := json.Marshal(struct {
		Type string `json:"type"`
		history.Result
	}{"result", r})
	if err != nil {
		s.t.Fatal(err)
	}
	const nobody = 65534
	path := filepath.Join(s.state(), "journal", "his-65534.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chown(path, nobody, nobody); err != nil {
		s.t.Fatal(err)
	}
}
