package pressure

import (
	"context"
	"fmt"
	"time"
)

// WatchOptions are those of Watch; the zero value watches this machine.
type WatchOptions struct {
	Root    string        // the directory of pressure files; "" is Real
	Every   time.Duration // between two looks while something is stalled; 1s when 0
	Polling bool          // look every Every from the start, without triggers
	Over    Limits        // what counts as stalled; zero fields are those of DefaultLimits

	calm time.Duration // below all limits for so long is calm; 5s when 0
}

// EventKind says why Watch tells something.
type EventKind string

// The kinds of events.
const (
	EventFirst    EventKind = "first"    // the first look, a second after the start or Every
	EventStalled  EventKind = "stalled"  // a resource went over its limit
	EventLevel    EventKind = "level"    // another look, while something is stalled
	EventCalm     EventKind = "calm"     // all were below their limits for about 5 s
	EventDegraded EventKind = "degraded" // less is seen than before, or later: Note says why
)

// Event is what Watch tells. The spans of two looks in a row touch; the events
// of one look have one Span and one Reading.
type Event struct {
	Kind     EventKind
	Resource string  // of EventStalled, and of EventDegraded where it is about one: cpu, io or memory
	Span     Span    // since the event before: after a calm hour that is an hour
	Reading  Reading // what is unknown says so itself
	Note     error   // of EventFirst: what is not known here; of EventDegraded: why
}

// shortest is how long a step must be for its shares to mean something: the
// kernel's totals and our clock are read up to a few milliseconds apart.
const shortest = 200 * time.Millisecond

// Watch tells what happens to the pressure until ctx ends, and returns its
// cause then. It calls each from the caller's goroutine, one event at a time.
//
// While nothing is stalled it sleeps until the kernel wakes it, and takes no
// CPU. Where the kernel's triggers cannot be had it says so in an event, and
// looks every Every instead; where nothing is known of the pressure, it returns
// why.
//
// How late EventStalled comes is up to the kernel: without CAP_SYS_RESOURCE it
// looks every 2 s, so that it can be up to 4.
func Watch(ctx context.Context, o WatchOptions, each func(Event)) error {
	w, err := newWatch(o)
	if err != nil {
		return err
	}
	w.bell, err = newBell(ctx)
	if err != nil {
		return err
	}
	defer w.bell.close()
	if !o.Polling {
		// The reading comes first: what is waited from here on bears a trigger out.
		if err := w.bell.arm(w.o.Root, w.o.Over, w.stalls.seen); err != nil {
			w.degrade(err)
		}
	}
	w.due = w.stalls.seen.Time.Add(min(w.o.Every, time.Second))
	for {
		fired, err := w.bell.wait(w.due)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case err != nil && w.o.Polling:
			return err
		case err != nil:
			w.degrade(err)
		}
		w.hear(fired)
		if w.due.IsZero() || time.Now().Before(w.due) {
			continue
		}
		if err := w.look(ctx, each); err != nil {
			return err
		}
	}
}

type watch struct {
	o      WatchOptions
	bell   *bell
	stalls stalls
	due    time.Time       // of the next look; zero: when a trigger fires
	fired  map[string]bool // since the last look
	note   error           // to be told with the next look
}

func newWatch(o WatchOptions) (*watch, error) {
	if o.Root == "" {
		o.Root = Real
	}
	if o.Every <= 0 {
		o.Every = time.Second
	}
	if o.calm <= 0 {
		o.calm = 5 * time.Second // a writer that takes breath is not calm
	}
	var err error
	if o.Over, err = o.Over.orDefault(); err != nil {
		return nil, err
	}
	now := Read(o.Root)
	if err := now.nothing(); err != nil {
		return nil, err
	}
	return &watch{o: o, stalls: newStalls(o.Over, o.calm, now), fired: map[string]bool{}}, nil
}

// hear brings the next look forward when a trigger fired, but for what is known
// to be stalled: the kernel says so again in every window.
func (w *watch) hear(fired []trigger) {
	if len(fired) == 0 {
		return
	}
	now := Read(w.o.Root)
	for _, t := range fired {
		level, _ := now.level(t.resource)
		if !t.borneOut(level) {
			continue
		}
		w.fired[t.resource] = true
		_, known := w.stalls.over[t.resource]
		at := w.stalls.told.Time.Add(shortest)
		if w.stalls.begun && !known && (w.due.IsZero() || at.Before(w.due)) {
			w.due = at
		}
	}
}

func (w *watch) look(ctx context.Context, each func(Event)) error {
	now := Read(w.o.Root)
	if err := now.nothing(); err != nil {
		return err
	}
	events := w.stalls.look(now, w.fired, w.note)
	w.note = nil
	clear(w.fired)
	w.due = time.Time{}
	if w.o.Polling || len(w.stalls.over) > 0 {
		w.due = now.Time.Add(w.o.Every)
	}
	for _, e := range events {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		each(e)
	}
	return nil
}

// degrade goes on without triggers.
func (w *watch) degrade(err error) {
	w.bell.disarm()
	w.note = fmt.Errorf("%w; looking every %v instead", err, w.o.Every)
	w.o.Polling = true
	w.due = time.Now()
}
