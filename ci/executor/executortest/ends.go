package executortest

import (
	"context"
	"syscall"
	"testing"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 3600 {
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

// told cancels tasks, in the two seconds that a signal gives; where a machine does much else
// that can take more than one go, and each says what may still be there.
func told(t *testing.T, ex executor.Executor, cookies ...string) {
	t.Helper()
	var err error
	for range 30 {
		ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
		err = ex.Cancel(ctx, cookies)
		if stop(); err == nil {
			return
		}
		t.Logf("cancel: %v", err)
	}
	t.Errorf("cancel: %v", err)
}

// cancel: what runs is ended, and says nothing of the gate.
func cancel(t *testing.T, s *Stage, open Open) {
	ex := open(t, s)
	defer end(t, ex)
	task := s.Task(t, "slow")
	submit(t, ex, task)
	pid := s.Begun(t)
	told(t, ex, task.Cookie)
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
	told(t, second, task.Cookie, task.Cookie+"-never")
	gone(t, pid)
}
