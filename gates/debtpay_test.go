package gates

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/worktrees"
)

// payOptions pay by running commands, by the name of the gate.
func (s *debtStage) payOptions(commands map[string]string, p *Pressure) PayOptions {
	s.t.Helper()
	past := s.past
	return PayOptions{
		Past: past, State: s.state(), Lanes: s.trees(),
		Prepare: func(_ context.Context, d Debt, lane worktrees.Lane) (Job, error) {
			return Job{Run: func(context.Context, time.Duration) Verdict { return s.run(lane.Name, d.Gate, commands[d.Gate], p) }}, nil
		},
	}
}

func (s *debtStage) pay(o PayOptions) (lines []string) {
	s.t.Helper()
	list, err := Pay(s.t.Context(), o)
	if err != nil {
		s.t.Error(err)
	}
	for _, p := range list {
		text := p.Name() + ": " + string(p.Outcome)
		if p.Paid {
			text += " paid"
		}
		lines = append(lines, strings.TrimSpace(text+" "+p.Left))
	}
	return lines
}

// Debts are paid the oldest first, each once: one run pays for all lanes with the same
// clean commit. What is refused again is owed still, and keeps none of the others.
func TestPay(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "b")
	s.refuse("kda", "a")
	s.refuse("main", "b")
	s.write("kda", "code", "2")
	s.refuse("kda", "c")
	o := s.payOptions(map[string]string{"a": "true", "b": "true", "c": "false"}, s.refusing())
	if diff := cmp.Diff([]string{"main b: refused", "kda c: refused"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	s.git("kda", "checkout", "-q", "code")
	o = s.payOptions(map[string]string{"a": "true", "b": "false"}, nil)
	o.Fits = func(d Debt) bool { return d.Fits([]string{"a"}) }
	if diff := cmp.Diff([]string{"kda a: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	o.Fits = nil
	if diff := cmp.Diff([]string{"kda b: red paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	s.owes("kda c void: ")
	if got := s.pay(o); got != nil {
		t.Error(got)
	}
}

// Two who pay at once run no debt twice, and no lock is left.
func TestPayAtOnce(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "a")
	s.refuse("main", "b")
	log, begun, goOn := filepath.Join(s.home, "log"), filepath.Join(s.home, "begun"), filepath.Join(s.home, "go")
	if err := os.WriteFile(log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	command := func(name string) string { return "echo " + name + " >> " + log + "; " }
	hold := "touch " + begun + "; while ! test -e " + goOn + "; do sleep 0.02; done"
	var first []string
	var both sync.WaitGroup
	both.Go(func() {
		first = s.pay(s.payOptions(map[string]string{"a": command("a") + hold, "b": command("b")}, nil))
	})
	await(t, "the first to pay", func() bool { return isThere(begun) })
	second := s.pay(s.payOptions(map[string]string{"a": command("a"), "b": command("b")}, nil))
	if err := os.WriteFile(goOn, nil, 0o644); err != nil {
		t.Error(err)
	}
	both.Wait()
	if diff := cmp.Diff([]string{"kda a:  another gpuci pays it", "main b: green paid"}, second); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"kda a: green paid"}, first); diff != "" {
		t.Error(diff)
	}
	if data, err := os.ReadFile(log); err != nil || string(data) != "a\nb\n" {
		t.Errorf("%q, %v", data, err)
	}
	s.owes()
	if left, err := os.ReadDir(filepath.Join(s.state(), "debts")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// A lane that goes on while its debt is paid, or just before, owes it no more.
func TestPayOvertaken(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "a")
	s.refuse("kda", "b")
	o := s.payOptions(map[string]string{"a": "true"}, nil)
	o.Told = func(Payment) {
		s.write("kda", "code", "2")
	}
	if diff := cmp.Diff([]string{"kda a: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	s.owes("kda b void: overtaken: there are changes")
	s.refuse("kda", "a")
	prepare := o.Prepare
	o.Prepare = func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error) { // between the look and the lock
		s.write("kda", "code", "3")
		return prepare(ctx, d, lane)
	}
	if got := s.pay(o); len(got) != 1 || !strings.HasPrefix(got[0], "kda a:  overtaken: what is not committed") {
		t.Errorf("%q", got)
	}
}
