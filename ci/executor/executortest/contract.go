package executortest

import (
	"context"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
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
