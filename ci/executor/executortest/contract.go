package executortest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/gates/history"
)

// Open opens an executor for a stage, as a process of its own would: what another one
// handed over is known by its cookie alone.
type Open func(t *testing.T, s *Stage) executor.Executor

// Contract holds an executor to what package executor promises. base gives a new
// directory that is seen where the gates run.
func Contract(t *testing.T, base func(t *testing.T) string, open Open) {
	for name, test := range map[string]func(*testing.T, *Stage, Open){
		"outcomes": outcomes, "content": content, "cancel": cancel, "adopt": adopt, "never": never, "stranger": stranger,
	} {
		t.Run(name, func(t *testing.T) { test(t, NewStage(t, base(t)), open) })
	}
}

// patience is how long a task may take in all: a scheduler has a pace of its own.
const patience = 2 * time.Minute

// follow looks until tasks are done, and gives what each came to. What is given as done
// twice, or runs backwards, fails the test.
func follow(t *testing.T, ex executor.Executor, cookies ...string) map[string]executor.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	came := make(map[string]executor.Status)
	limits := ex.Limits()
	for len(came) < len(cookies) {
		list, err := ex.Look(ctx)
		if err != nil {
			t.Logf("look: %v", err)
		}
		for _, st := range list {
			if was, ok := came[st.Cookie]; ok {
				t.Fatalf("%s was done (%+v) and is %s", st.Cookie, was, st.Phase)
			}
			if st.Phase == executor.Done {
				came[st.Cookie] = st
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("after %s only %d of %d are done", patience, len(came), len(cookies))
		case <-limits.Changed:
		case <-time.After(min(limits.Every, time.Second)):
		}
	}
	if list, err := ex.Look(ctx); err != nil || len(list) > 0 {
		t.Errorf("all is done, and a look gives %v, %v", list, err)
	}
	return came
}

func submit(t *testing.T, ex executor.Executor, task executor.Task) {
	t.Helper()
	if err := ex.Submit(context.Background(), task); err != nil {
		t.Fatalf("submit %s: %v", task.Gate.Name, err)
	}
}

func end(t *testing.T, ex executor.Executor) {
	t.Helper()
	if err := ex.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// verdict is that of a status, which must have one.
func verdict(t *testing.T, st executor.Status) *gates.Verdict {
	t.Helper()
	if st.Loss != nil {
		t.Fatalf("lost: %+v", st.Loss)
	}
	if st.Verdict == nil {
		t.Fatalf("done without a verdict or a loss: %+v", st)
	}
	return st.Verdict
}

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

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 600 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the gate (pid %d) goes on", pid)
}

// noOutcome says that a task came to nothing that is of the gate.
func noOutcome(t *testing.T, st executor.Status) {
	t.Helper()
	switch {
	case st.Verdict != nil && st.Loss == nil && st.Verdict.Outcome != gates.Interrupted:
		t.Errorf("it was cancelled, and came to %s", st.Verdict.Outcome)
	case st.Verdict == nil && st.Loss == nil:
		t.Error("it was cancelled, and is done without a word")
	case st.Loss != nil && st.Loss.Outcome != gates.Refused && st.Loss.Outcome != gates.Broken:
		t.Errorf("it was cancelled, and is %s", st.Loss.Outcome)
	}
}

// cancel: what runs is ended, and says nothing of the gate.
func cancel(t *testing.T, s *Stage, open Open) {
	ex := open(t, s)
	defer end(t, ex)
	task := s.Task(t, "slow")
	submit(t, ex, task)
	pid := s.Begun(t)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second) // as a signal gives
	defer stop()
	if err := ex.Cancel(ctx, []string{task.Cookie}); err != nil {
		t.Errorf("cancel: %v", err)
	}
	noOutcome(t, follow(t, ex, task.Cookie)[task.Cookie])
	gone(t, pid)
}

// adopt: a process that ends leaves a task to the next, which brings it home, or gives it
// back as one that is there no more.
func adopt(t *testing.T, s *Stage, open Open) {
	first := open(t, s)
	task := s.Task(t, "slow")
	submit(t, first, task)
	pid := s.Begun(t)
	here := first.Limits().Here
	end(t, first)
	if here {
		gone(t, pid)
	}
	second := open(t, s)
	defer end(t, second)
	back, err := second.Adopt(context.Background(), []executor.Task{task})
	if err != nil {
		t.Fatalf("adopt: %v", err)
	}
	s.Go(t)
	if here != (len(back) == 1) {
		t.Fatalf("%d tasks are given back", len(back))
	}
	if here {
		return
	}
	if v := verdict(t, follow(t, second, task.Cookie)[task.Cookie]); v.Outcome != gates.Green {
		t.Errorf("it came to %s", v.Outcome)
	}
	if ran := s.Ran(); ran != "slow" {
		t.Errorf("ran: %s", ran)
	}
}

// never: what was written down and not handed over is given back, and is handed over
// under its cookie; a second time changes nothing.
func never(t *testing.T, s *Stage, open Open) {
	ex := open(t, s)
	defer end(t, ex)
	task := s.Task(t, "green")
	back, err := ex.Adopt(context.Background(), []executor.Task{task})
	if err != nil || len(back) != 1 || back[0].Cookie != task.Cookie {
		t.Fatalf("adopt: %v, %v", back, err)
	}
	submit(t, ex, back[0])
	if v := verdict(t, follow(t, ex, task.Cookie)[task.Cookie]); v.Outcome != gates.Green {
		t.Errorf("it came to %s", v.Outcome)
	}
	if ran := s.Ran(); ran != "green" {
		t.Errorf("ran: %s", ran)
	}
}

// stranger: who knows only the cookie can end it.
func stranger(t *testing.T, s *Stage, open Open) {
	first := open(t, s)
	task := s.Task(t, "slow")
	submit(t, first, task)
	pid := s.Begun(t)
	end(t, first)
	second := open(t, s)
	defer end(t, second)
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	if err := second.Cancel(ctx, []string{task.Cookie, task.Cookie + "-never"}); err != nil {
		t.Errorf("cancel: %v", err)
	}
	gone(t, pid)
}
