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

func (s *debtStage) pay(o PayOptions) []string {
	s.t.Helper()
	list, err := Pay(s.t.Context(), o)
	if err != nil {
		s.t.Error(err)
	}
	return payLines(list)
}

// payLines are what came of debts, on a line each.
func payLines(list []Payment) (lines []string) {
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
// clean commit. What is refused again is owed still, and keeps none of the others. What a
// lane has gone on from is paid for with what is there.
func TestPay(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "b")
	s.refuse("kda", "a")
	s.refuse("main", "b")
	s.write("kda", "code", "2")
	s.refuse("kda", "c")
	o := s.payOptions(map[string]string{"a": "true", "b": "true", "c": "false"}, s.refusing())
	if diff := cmp.Diff([]string{"kda b: refused", "kda a: refused", "main b: refused", "kda c: refused"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	s.git("kda", "checkout", "-q", "code")
	o = s.payOptions(map[string]string{"a": "true", "b": "false", "c": "true"}, nil)
	o.Fits = func(d Debt) bool { return d.Fits([]string{"a"}) }
	if diff := cmp.Diff([]string{"kda a: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	o.Fits = nil
	if diff := cmp.Diff([]string{"kda b: red paid", "kda c: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	if left := StillOwed(s.debts()); len(left) > 0 {
		t.Errorf("it owes %+v still", left)
	}
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

// A lane that goes on while its debts are paid, by a gate's own hand or just before a
// run, is paid for with what is there then. What has gone with its lane is named.
func TestPayMoved(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "a")
	s.refuse("kda", "b")
	o := s.payOptions(map[string]string{"a": "echo $$ >> code", "b": "grep . code"}, nil)
	if diff := cmp.Diff([]string{"kda a: green paid", "kda b: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	if left := StillOwed(s.debts()); len(left) > 0 {
		t.Errorf("it owes %+v still", left)
	}
	s.refuse("kda", "a")
	prepare := o.Prepare
	o.Prepare = func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error) { // between the look and the lock
		s.write("kda", "code", "3")
		return prepare(ctx, d, lane)
	}
	if diff := cmp.Diff([]string{"kda a: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	s.refuse("kda", "b")
	o.Prepare = func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error) { // it moves under the run
		return Job{Run: func(context.Context, time.Duration) Verdict {
			return s.run("kda", "b", "git -c user.name=t -c user.email=t commit -qam more", nil)
		}}, nil
	}
	if list, err := Pay(t.Context(), o); err != nil || len(list) != 1 || list[0].Paid || list[0].Exit == 0 || !strings.Contains(list[0].Left, "has not paid it") {
		t.Errorf("%+v, %v", list, err)
	}
}

// Who waits for a quiet card waits for another payer too.
func TestPayBehindAnother(t *testing.T) {
	s := newDebtStage(t)
	s.refuse("kda", "a")
	o := s.payOptions(map[string]string{"a": "false"}, nil)
	waiting, goOn := make(chan string, 1), make(chan struct{})
	run := o.Prepare
	o.Prepare = func(ctx context.Context, d Debt, lane worktrees.Lane) (Job, error) {
		return Job{Run: func(ctx context.Context, _ time.Duration) Verdict {
			close(goOn)
			<-waiting
			job, _ := run(ctx, d, lane)
			return job.Run(ctx, 0)
		}}, nil
	}
	var both sync.WaitGroup
	both.Go(func() { s.pay(o) })
	<-goOn
	second := s.payOptions(nil, nil)
	second.Wait, second.Note = patience, func(text string) { waiting <- text }
	if diff := cmp.Diff([]string{"kda a: red paid another gpuci has just paid it"}, s.pay(second)); diff != "" {
		t.Error(diff)
	}
	both.Wait()
}
