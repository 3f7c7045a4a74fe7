package gates

import (
	"errors"
	"testing"
	"time"

	"gpuci/gates/config"
)

// The clock and the CPU are handed in, so that minutes of idleness take none.
func TestIdleWatch(t *testing.T) {
	t0 := time.Now()
	at := func(s int) time.Time { return t0.Add(time.Duration(s) * time.Second) }
	cpu := func(d time.Duration) func() (time.Duration, error) {
		return func() (time.Duration, error) { return d, nil }
	}
	w := idleWatch{since: t0}
	for _, step := range []struct {
		now, quiet int
		cpu        time.Duration
		want       time.Duration
		why        string
	}{
		{10, 10, time.Second, 10 * time.Second, "nothing printed since the start"},
		{20, 20, time.Second, 20 * time.Second, "no CPU since"},
		{60, 60, 1200 * time.Millisecond, 60 * time.Second, "0.3 % of a core is a polling loop"},
		{70, 70, 5 * time.Second, 0, "it worked"},
		{80, 80, 5 * time.Second, 10 * time.Second, "and stopped"},
		{90, 5, 5 * time.Second, 5 * time.Second, "it printed 5 s ago"},
		{100, 15, 4 * time.Second, 0, "a member ended: the sum fell"},
	} {
		if got := w.look(at(step.now), time.Duration(step.quiet)*time.Second, cpu(step.cpu)); got != step.want {
			t.Errorf("at %d s: idle for %s, want %s: %s", step.now, got, step.want, step.why)
		}
	}
	unknown := func() (time.Duration, error) { return 0, errors.New("no /proc") }
	if got := w.look(at(1000), 900*time.Second, unknown); got != 0 {
		t.Errorf("unknown CPU counts as idle for %s", got)
	}
}

// A command that computes without a word is not stuck.
func TestBusyIsProgress(t *testing.T) {
	v := runGate(t, config.Gate{NoProgress: 300 * time.Millisecond,
		Run: shell("end=$((SECONDS + 2)); while [ $SECONDS -lt $end ]; do :; done")}, "")
	if v.Outcome != Green {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
}
