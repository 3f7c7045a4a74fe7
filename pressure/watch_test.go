package pressure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// watching is a Watch at work. Its events are checked for what holds of all.
type watching struct {
	t      *testing.T
	cancel context.CancelCauseFunc
	events chan Event
	done   chan error
	last   Event
	over   bool
}

func startWatch(t *testing.T, o WatchOptions) *watching {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	w := &watching{t: t, cancel: cancel, events: make(chan Event), done: make(chan error, 1)}
	go func() {
		defer close(w.events)
		w.done <- Watch(ctx, o, func(e Event) {
			select {
			case w.events <- e:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() { w.end(nil) })
	return w
}

func (w *watching) end(cause error) error {
	w.cancel(cause)
	for range w.events {
	}
	err := <-w.done
	w.done <- err
	return err
}

// next is the next event. The bound is only there so that a test that fails
// says where.
func (w *watching) next() Event {
	w.t.Helper()
	select {
	case e, ok := <-w.events:
		if !ok {
			w.t.Fatalf("Watch ended: %v", w.end(nil))
		}
		w.check(e)
		return e
	case <-time.After(2 * time.Minute):
		w.t.Fatalf("no event in two minutes after %+v", w.last)
	}
	panic("not reached")
}

// until passes over the events before one of a kind.
func (w *watching) until(kind EventKind) Event {
	w.t.Helper()
	for {
		if e := w.next(); e.Kind == kind {
			return e
		}
	}
}

func (w *watching) check(e Event) {
	w.t.Helper()
	first := w.last.Kind == ""
	sameLook := e.Span.To.Equal(w.last.Span.To)
	switch {
	case first != (e.Kind == EventFirst):
		w.t.Errorf("event %q after %q", e.Kind, w.last.Kind)
	case e.Span.Length() <= 0 || !e.Span.To.Equal(e.Reading.Time):
		w.t.Errorf("%q is of %v", e.Kind, e.Span)
	case !first && !sameLook && !e.Span.From.Equal(w.last.Span.To):
		w.t.Errorf("%q is from %v, the event before was up to %v", e.Kind, e.Span.From, w.last.Span.To)
	case (e.Kind == EventLevel || e.Kind == EventCalm) && !w.over:
		w.t.Errorf("%q, but nothing is stalled", e.Kind)
	case e.Kind == EventStalled && e.Resource == "", e.Kind == EventDegraded && e.Note == nil:
		w.t.Errorf("%q says too little: %+v", e.Kind, e)
	}
	w.over = e.Kind == EventStalled || w.over && e.Kind != EventCalm
	w.last = e
}

// Files that are not the kernel's cannot have triggers, and must not be
// overwritten by the words that ask for one. It goes on without.
func TestWatchWithoutTriggers(t *testing.T) {
	m := newFakeMachine(t)
	w := startWatch(t, WatchOptions{Root: m.dir, Every: 10 * time.Millisecond, calm: 500 * time.Millisecond})
	if e := w.next(); e.Note != nil || !e.Span.IO.Full.Known || e.Span.IO.Full.Value != 0 {
		t.Errorf("first: %+v", e)
	}
	e := w.next()
	if e.Kind != EventDegraded || !strings.Contains(e.Note.Error(), "no file of the kernel's; looking every 10ms") {
		t.Errorf("second: %+v", e)
	}
	m.stalled.Store(true)
	if e := w.until(EventStalled); e.Resource != "io" {
		t.Errorf("stalled: %+v", e)
	}
	w.until(EventLevel)
	m.stalled.Store(false)
	w.until(EventCalm)
	for _, name := range []string{"cpu", "memory"} {
		if data, err := os.ReadFile(filepath.Join(m.dir, name)); err != nil || string(data) != quiet {
			t.Errorf("%s was %q, is %q, %v", name, quiet, data, err)
		}
	}
}

func TestWatchPolling(t *testing.T) {
	m := newFakeMachine(t)
	w := startWatch(t, WatchOptions{Root: m.dir, Every: 10 * time.Millisecond, Polling: true})
	w.next()
	m.stalled.Store(true)
	if e := w.next(); e.Kind != EventStalled {
		t.Errorf("who asked for polling got %+v", e)
	}
}

// Watch returns why its context ended, and nothing is told after that.
func TestWatchEnds(t *testing.T) {
	m := newFakeMachine(t)
	m.stalled.Store(true)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	n := 0
	err := Watch(ctx, WatchOptions{Root: m.dir, Every: time.Millisecond}, func(Event) {
		n++
		cancel(cause)
	})
	if !errors.Is(err, cause) || n != 1 {
		t.Errorf("Watch = %v after %d events", err, n)
	}
	err = Watch(ctx, WatchOptions{}, func(e Event) { t.Errorf("the context was over before %+v", e) })
	if !errors.Is(err, cause) && !strings.Contains(err.Error(), "nothing is known") {
		t.Errorf("Watch = %v", err)
	}
}

// Where there is no pressure to watch it says so, and tells nothing.
func TestWatchNothing(t *testing.T) {
	never := func(e Event) { t.Errorf("told %+v", e) }
	err := Watch(t.Context(), WatchOptions{Root: t.TempDir()}, never)
	if err == nil || !strings.Contains(err.Error(), "CONFIG_PSI") {
		t.Errorf("Watch of an empty directory = %v", err)
	}
	for _, limits := range []Limits{{IOFull: -1}, {CPUSome: 101}} {
		if err := Watch(t.Context(), WatchOptions{Over: limits}, never); err == nil || !strings.Contains(err.Error(), "is no percentage") {
			t.Errorf("Watch over %+v = %v", limits, err)
		}
	}
}

// What becomes unknown on the way is told, and is an error when it is all.
func TestWatchLosesSight(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"cpu": quiet, "io": quiet})
	w := startWatch(t, WatchOptions{Root: dir, Every: time.Millisecond, Polling: true})
	if e := w.next(); e.Note == nil || !strings.Contains(e.Note.Error(), "memory") {
		t.Errorf("first: %+v", e)
	}
	if err := os.Remove(filepath.Join(dir, "io")); err != nil {
		t.Fatal(err)
	}
	if e := w.next(); e.Kind != EventDegraded || e.Resource != "io" || e.Reading.IO.Unknown == nil || e.Span.IO.Full.Known {
		t.Errorf("without io: %+v", e)
	}
	if err := os.Remove(filepath.Join(dir, "cpu")); err != nil {
		t.Fatal(err)
	}
	if err := <-w.done; err == nil || !strings.Contains(err.Error(), "nothing is known") {
		t.Errorf("Watch = %v", err)
	} else {
		w.done <- err
	}
}
