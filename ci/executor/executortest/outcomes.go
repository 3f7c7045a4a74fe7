package executortest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/history"
)

// outcomes: a green and a red come back as such, bound to the content, with their run here
// and in the history.
func outcomes(t *testing.T, s *Stage, open Open) {
	ex := open(t, s)
	defer end(t, ex)
	for gate, want := range map[string]gates.Outcome{"green": gates.Green, "red": gates.Red} {
		task := s.Task(t, gate)
		submit(t, ex, task)
		v := verdict(t, follow(t, ex, task.Cookie)[task.Cookie])
		if v.Outcome != want || v.Gate != gate || v.Bound.Tree != task.Head.Tree || v.Bound.Commit != task.Head.Commit || v.Bound.Changes != "" {
			t.Errorf("%s came to %s of %s, bound to %+v", gate, v.Outcome, v.Gate, v.Bound)
		}
		if v.Bound.Lane != task.Head.Lane {
			t.Errorf("it is of lane %q, want %q", v.Bound.Lane, task.Head.Lane)
		}
		s.recorded(t, v)
		if err := ex.Drop(task.Cookie); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	if ran := strings.Fields(s.Ran()); len(ran) != 2 {
		t.Errorf("ran: %q", ran)
	}
}

// recorded holds the run's directory and the history against a verdict.
func (s *Stage) recorded(t *testing.T, v *gates.Verdict) {
	t.Helper()
	log, err := os.ReadFile(v.Log)
	if err != nil || !strings.HasPrefix(v.Log, filepath.Join(s.State, "runs", v.Run)) {
		t.Errorf("its log %s: %v", v.Log, err)
	}
	if v.Outcome == gates.Red && !strings.Contains(string(log), "what it says") {
		t.Errorf("its log says %q", log)
	}
	store, err := s.Past.Store()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for r, err := range store.Results(context.Background(), history.Query{Gate: v.Gate}) {
		if err != nil {
			t.Fatal(err)
		}
		if found++; r.Run != v.Run || r.Outcome != string(v.Outcome) || r.Tree != v.Bound.Tree {
			t.Errorf("the history has %s %s of %s, want %s", r.Run, r.Outcome, r.Tree, v.Run)
		}
	}
	if found != 1 {
		t.Errorf("the history has %d results of %s, want 1", found, v.Gate)
	}
	s.Past.Rest()
}

// content: a content that is not there is a loss of that, and of no gate.
func content(t *testing.T, s *Stage, open Open) {
	ex := open(t, s)
	defer end(t, ex)
	task := s.Task(t, "green")
	task.Head.Commit = strings.Repeat("1", 40)
	task.Head.Tree = strings.Repeat("2", 40)
	var loss *executor.Loss
	if err := ex.Submit(context.Background(), task); err == nil {
		st := follow(t, ex, task.Cookie)[task.Cookie]
		loss = st.Loss
	} else if !errors.As(err, &loss) {
		t.Fatalf("submit: %v, want a loss", err)
	}
	if loss == nil || loss.Kind != executor.KindContent || loss.Outcome != gates.Broken || loss.Why == "" {
		t.Errorf("a commit that is not there: %+v", loss)
	}
	if ran := s.Ran(); ran != "" {
		t.Errorf("ran: %s", ran)
	}
}
