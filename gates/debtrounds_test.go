package gates

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
	"gpuci/kernels/device/devicetest"
	"gpuci/worktrees"
)

// debtCards are the cards of a stage of debts, and how its gates run on them.
type debtCards struct {
	*debtStage
	box   *devicetest.Box
	gates map[string]config.Gate
	ran   []string
}

func newDebtCards(t *testing.T, gates ...config.Gate) *debtCards {
	s := &debtCards{debtStage: newDebtStage(t), box: devicetest.Start(t), gates: make(map[string]config.Gate)}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, g := range gates {
		s.gates[g.Name] = g
	}
	return s
}

func (s *debtCards) runGate(ctx context.Context, lane, name string, wait time.Duration) Verdict {
	l := s.lane(lane)
	cards := &Cards{Driver: s.box.Options(), LockDir: filepath.Join(s.home, "lock"), Headroom: 2 << 30, Wait: max(wait, 0)}
	defer cards.Close()
	return Run(ctx, Options{Gate: s.gates[name], Root: l.Root, Lane: l, State: s.state(), Version: "test", History: s.past, Cards: cards, Env: append(s.box.Env(), "OUT="+s.home)})
}

// options pay by running the gates; before is called before each run.
func (s *debtCards) options(before func(gate string)) PayOptions {
	o := PayOptions{Past: s.past, State: s.state(), Lanes: s.trees()}
	o.Prepare = func(_ context.Context, d Debt, _ worktrees.Lane) (Job, error) {
		g := s.gates[d.Gate]
		return Job{Need: g.Card, Shares: g.ShareGPU, Run: func(ctx context.Context, wait time.Duration) Verdict {
			s.ran = append(s.ran, d.Gate)
			before(d.Gate)
			return s.runGate(ctx, d.Lane, d.Gate, wait)
		}}, nil
	}
	return o
}

// disturb lets a guest on the card while the gate runs that begins now.
func (s *debtCards) disturb() (done chan struct{}) {
	there, goOn, done := filepath.Join(s.home, "there"), filepath.Join(s.home, "go"), make(chan struct{})
	for _, file := range []string{there, goOn} {
		_ = os.Remove(file)
	}
	busy := s.busy()
	go func() {
		defer close(done)
		soon(func() bool { return isThere(there) })
		guest := s.box.Guest(0, 1<<30)
		soon(func() bool { return s.busy() > busy })
		guest.End()
		_ = os.WriteFile(goOn, nil, 0o644)
	}()
	return done
}

// busy counts the looks of all runs that saw somebody else.
func (s *debtCards) busy() (n int) {
	files, _ := filepath.Glob(filepath.Join(s.state(), "runs", "*", cardFile))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		n += bytes.Count(data, []byte(`"state":"busy"`))
	}
	return n
}

// soon waits for what the test says, in a goroutine that must not end it.
func soon(is func() bool) {
	for end := time.Now().Add(patience); !is() && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
}

func called(g config.Gate, name string) config.Gate {
	g.Name = name
	return g
}

// A run that somebody disturbs keeps none of those behind it, and is tried again as long
// as there is time, not once.
func TestPayDisturbed(t *testing.T) {
	s := newDebtCards(t, called(needing(meet), "a"), called(needing("true"), "b"))
	s.refuse("kda", "a")
	s.refuse("kda", "b")
	var guests []chan struct{}
	o := s.options(func(gate string) {
		if gate == "a" && len(guests) < 2 {
			guests = append(guests, s.disturb())
		} else if gate == "a" {
			s.write(".", "go", "")
		}
	})
	o.Wait = 2 * patience
	if diff := cmp.Diff([]string{"kda a: green paid", "kda b: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	for _, done := range guests {
		<-done
	}
	if got := strings.Join(s.ran, " "); got != "a b a a" {
		t.Errorf("it ran %s", got)
	}
	s.owes()
}

// A run that says something and does not pay, for its lane goes on under it, is not run
// for as long as there is time.
func TestPayRoundsEnd(t *testing.T) {
	s := newDebtCards(t, called(needing("true"), "moves"), called(needing("true"), "late"))
	guest := s.box.Guest(0, 8<<30)
	for _, gate := range []string{"moves", "late"} {
		wants(t, s.runGate(t.Context(), "kda", gate, 0), Refused, OweCard)
	}
	o := s.payOptions(nil, nil)
	o.Wait = patience
	o.Prepare = func(_ context.Context, d Debt, _ worktrees.Lane) (Job, error) {
		return Job{Run: func(ctx context.Context, _ time.Duration) Verdict {
			switch s.ran = append(s.ran, d.Gate); {
			case d.Gate == "moves":
				return s.run("kda", d.Gate, "echo $$ > code; git -c user.name=t -c user.email=t commit -qam more", nil)
			case len(s.ran) == 6:
				guest.End()
			}
			return s.runGate(ctx, "kda", d.Gate, 0)
		}}, nil
	}
	list, err := Pay(t.Context(), o)
	if err != nil || len(list) != 2 || list[0].Paid || list[0].Exit != Refused.ExitCode() || !list[1].Paid {
		t.Errorf("%+v, %v", list, err)
	}
	if got := strings.Join(s.ran, " "); got != "moves late moves late late late" {
		t.Errorf("it ran %s", got)
	}
}

// What a run in another lane has paid is not waited for.
func TestPayRoundsPaid(t *testing.T) {
	s := newDebtCards(t, called(needing("true"), "a"))
	s.box.Guest(0, 8<<30)
	for _, lane := range []string{"main", "kda"} {
		wants(t, s.runGate(t.Context(), lane, "a", 0), Refused, OweCard)
	}
	o := s.payOptions(nil, nil)
	o.Wait = patience
	o.Prepare = func(_ context.Context, d Debt, _ worktrees.Lane) (Job, error) {
		return Job{Run: func(ctx context.Context, _ time.Duration) Verdict {
			if d.Lane == "kda" {
				return s.run("kda", "a", "true", nil)
			}
			return s.runGate(ctx, d.Lane, "a", 0)
		}}, nil
	}
	if diff := cmp.Diff([]string{"main a: green paid another run has paid it", "kda a: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
}

// Who is told to stop while he waits learns what is paid and what is owed still, also of
// debts that had no turn; and nothing is wrong with the history.
func TestPayCutOff(t *testing.T) {
	s := newDebtCards(t, called(needing("true"), "a"), called(sharing("true"), "shares"), called(needing("true"), "z"))
	guest := s.box.Guest(0, 8<<30)
	for _, gate := range []string{"a", "shares", "z"} {
		s.refuse("kda", gate)
	}
	for _, c := range []struct {
		runs int // it is told in the last of these
		want []string
	}{
		{1, []string{"kda a: interrupted", "kda shares:  " + notTried, "kda z:  " + notTried}},
		{3, []string{"kda a: interrupted", "kda shares: green paid", "kda z:  the card was not to be had for a gate before it"}},
	} {
		ctx, stop := context.WithCancel(t.Context())
		s.ran = nil
		o := s.options(func(string) {
			if len(s.ran) == c.runs {
				stop()
			}
		})
		o.Wait = patience
		list, err := Pay(ctx, o)
		if diff := cmp.Diff(c.want, payLines(list)); diff != "" || err != nil {
			t.Errorf("after %d runs: %v, %s", c.runs, err, diff)
		}
		stop()
	}
	guest.End()
	s.owes("kda a", "kda z")
}

// A gate that may share the card has its turn behind one that may not.
func TestPaySharing(t *testing.T) {
	s := newDebtCards(t, called(needing("true"), "a"), called(needing("true"), "b"), called(sharing("true"), "shares"))
	s.box.Guest(0, 8<<30)
	for _, gate := range []string{"a", "b", "shares"} {
		s.refuse("kda", gate)
	}
	want := []string{"kda a: refused", "kda b:  the card was not to be had for a gate before it", "kda shares: green paid"}
	if diff := cmp.Diff(want, s.pay(s.options(func(string) {}))); diff != "" {
		t.Error(diff)
	}
	s.owes("kda a", "kda b")
}
