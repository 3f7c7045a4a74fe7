package reaper

import (
	"context"
	"errors"
	"testing"
	"time"

	"gpuci/reaper/proc"
)

// Watch tells when something is leaked, when it is gone, and nothing between;
// it ends nothing.
func TestWatch(t *testing.T) {
	s := newStage(t)
	ctx, cancel := context.WithCancel(soon(t))
	defer cancel()
	told, done := make(chan []Process), make(chan error)
	more := 2 // looks that are asked for
	go func() {
		done <- Watch(ctx, s.options(), 5*time.Millisecond, func(j Judgement) bool {
			told <- j.Victims()
			more--
			return more > 0
		})
	}()
	for range 2 {
		if none := <-told; len(none) != 0 {
			t.Errorf("%+v; want nothing yet", none)
		}
	}
	pid := ripe(t, orphan(t, s.lane.Root, s.tool(t, "ld"), "100"))
	if first := <-told; len(first) != 1 || first[0].PID != pid || !lives(t, pid) {
		t.Errorf("%+v; want pid %d alone, and alive", first, pid)
	}
	select {
	case again := <-told:
		t.Errorf("told of what did not change: %+v", again)
	case <-time.After(50 * time.Millisecond): // ten looks; fewer prove less, and never fail
	}
	kill(t, pid)
	if gone := <-told; len(gone) != 0 {
		t.Errorf("%+v; want nothing", gone)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	o := s.options()
	o.Root = proc.Root(t.TempDir())
	if err := Watch(soon(t), o, 0, func(Judgement) bool { return false }); !errors.Is(err, ErrTorn) {
		t.Errorf("of an empty directory: %v", err)
	}
}
