package gates

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gpuci/gates/config"
	"gpuci/kernels/device/devicetest"
	"gpuci/worktrees"
)

// While the card is busy the first gate that wants it says so, those that want no less
// are left, and what is owed for another reason is paid. When it has become quiet they
// are all paid, at once or by one who waits for that.
func TestPayWhenQuiet(t *testing.T) {
	s := newDebtStage(t)
	box := devicetest.Start(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	lock := filepath.Join(s.home, "lock")
	needs := map[string]config.CardNeed{"a": {Count: 1, SM: 90}, "c": {Count: 1, SM: 90, VRAM: 40 << 30}, "d": {Count: 1}, "box": {}}
	run := func(ctx context.Context, gate string, wait time.Duration, note func(string)) Verdict {
		l := s.lane("kda")
		g := config.Gate{Name: gate, Dir: ".", Grace: 5 * time.Second, Reader: "none", Timeout: patience, BuildTimeout: patience, Build: shell("true"), Run: shell("true"), Card: needs[gate]}
		cards := &Cards{Driver: box.Options(), LockDir: lock, Wait: wait}
		defer cards.Close()
		return Run(ctx, Options{Gate: g, Root: l.Root, Lane: l, State: s.state(), Version: "test", History: s.past, Cards: cards, Note: note})
	}
	guest := box.Guest(0, 8<<30)
	s.refuse("kda", "box")
	for _, gate := range []string{"a", "c", "d"} {
		if v := run(t.Context(), gate, 0, nil); v.Outcome != Refused || v.Owed == nil {
			t.Fatalf("%s: %v, %v", v.Outcome, v.Findings, v.Owed)
		}
	}
	for _, d := range s.debts() {
		if d.ForCard() != (d.Gate != "box") || d.ForCard() && (d.Why != OweCard || !d.Built || d.Detail == "") {
			t.Errorf("%+v", d)
		}
	}
	var asked []time.Duration
	o := PayOptions{Past: s.past, State: s.state(), Lanes: s.trees()}
	waiting := func(string) {}
	o.Prepare = func(_ context.Context, d Debt, _ worktrees.Lane) (Job, error) {
		return Job{Need: needs[d.Gate], Run: func(ctx context.Context, wait time.Duration) Verdict {
			asked = append(asked, wait)
			return run(ctx, d.Gate, max(wait, 0), waiting)
		}}, nil
	}
	const vain = "  the card was not to be had for a gate before it"
	want := []string{"kda box: green paid", "kda a: refused", "kda c:" + vain, "kda d: refused"}
	if diff := cmp.Diff(want, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	for _, wait := range asked {
		if wait >= 0 {
			t.Errorf("who is not to wait was told to, for %s", wait)
		}
	}
	asked, o.Wait = nil, patience
	waiting = func(text string) {
		if strings.Contains(text, "waiting") {
			guest.End()
		}
	}
	if diff := cmp.Diff([]string{"kda a: green paid", "kda c: green paid", "kda d: green paid"}, s.pay(o)); diff != "" {
		t.Error(diff)
	}
	if len(asked) != 5 || asked[0] != 0 || asked[1] != 0 || asked[2] <= 0 {
		t.Errorf("waits: %v", asked)
	}
	s.owes()
}
