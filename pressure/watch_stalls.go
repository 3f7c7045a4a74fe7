package pressure

import (
	"fmt"
	"math"
	"time"
)

// Limits are in percent of a trigger's window, or of the time between two
// looks. A zero field is that of DefaultLimits.
type Limits struct {
	CPUSome    float64
	IOFull     float64
	MemoryFull float64
}

// DefaultLimits are over what a healthy busy machine shows. Waiting for a CPU
// half of the time is what a build does to itself; nobody at work for a tenth
// of the time, since all wait for a disk or for memory, is felt.
func DefaultLimits() Limits { return Limits{CPUSome: 50, IOFull: 10, MemoryFull: 10} }

func (l Limits) orDefault() (Limits, error) {
	d := DefaultLimits()
	for _, f := range []struct {
		name  string
		field *float64
		other float64
	}{{"cpu some", &l.CPUSome, d.CPUSome}, {"io full", &l.IOFull, d.IOFull}, {"memory full", &l.MemoryFull, d.MemoryFull}} {
		if *f.field == 0 {
			*f.field = f.other
		}
		if math.IsNaN(*f.field) || *f.field < 0 || *f.field > 100 {
			return l, fmt.Errorf("limit of %s: %v is no percentage; give more than 0, up to 100", f.name, *f.field)
		}
	}
	return l, nil
}

func (l Limits) of(resource string) float64 {
	switch resource {
	case "cpu":
		return l.CPUSome
	case "io":
		return l.IOFull
	}
	return l.MemoryFull
}

// watched are the resources that have a limit.
func watched() []string { return []string{"cpu", "io", "memory"} }

// lineOf is the line that a limit is about. All tasks of a machine cannot wait
// for its CPU at once.
func lineOf(resource string) string {
	if resource == "cpu" {
		return "some"
	}
	return "full"
}

// level is the line of a reading that a limit is about, or why it is unknown.
func (r Reading) level(resource string) (*Level, error) {
	l, err := r.Memory.Full, r.Memory.Unknown
	switch resource {
	case "cpu":
		l, err = r.CPU.Some, r.CPU.Unknown
	case "io":
		l, err = r.IO.Full, r.IO.Unknown
	}
	if l == nil && err == nil {
		err = fmt.Errorf("the pressure file of %s has no line %q", resource, lineOf(resource))
	}
	return l, err
}

// unknown is what a reading does not know of what is watched; nil when it
// knows all.
func (r Reading) unknown() error {
	var all error
	for _, resource := range watched() {
		_, err := r.level(resource)
		switch {
		case err != nil && all != nil:
			all = fmt.Errorf("%w; %w", all, err)
		case err != nil:
			all = err
		}
	}
	return all
}

// nothing is an error when a reading knows nothing at all of what is watched.
// The reason is nearly always the same for all: that of io stands for them.
func (r Reading) nothing() error {
	for _, resource := range watched() {
		if _, err := r.level(resource); err == nil {
			return nil
		}
	}
	_, err := r.level("io")
	return fmt.Errorf("nothing is known of the pressure: %w", err)
}

// stalls is what Watch remembers from look to look.
type stalls struct {
	limits Limits
	calm   time.Duration
	seen   Reading              // at the last look
	told   Reading              // at the last look that gave an event
	begun  bool                 // the first event is told
	over   map[string]time.Time // the stalled resources, and when each was last over its limit
	lost   map[string]bool      // what was told to be unknown
}

func newStalls(limits Limits, calm time.Duration, now Reading) stalls {
	return stalls{limits: limits, calm: calm, seen: now, told: now, over: map[string]time.Time{}, lost: map[string]bool{}}
}

// look gives the events of a new reading. Fired are the resources whose
// triggers fired since the last, note is why there are no triggers any more.
func (s *stalls) look(now Reading, fired map[string]bool, note error) []Event {
	var events []Event
	if !s.begun {
		events = append(events, Event{Kind: EventFirst, Note: now.unknown()})
	}
	if note != nil {
		events = append(events, Event{Kind: EventDegraded, Note: note})
	}
	was := len(s.over) > 0
	for _, resource := range watched() {
		if e := s.one(resource, now, fired[resource]); e.Kind != "" {
			events = append(events, e)
		}
	}
	switch {
	case was && len(s.over) == 0:
		events = append(events, Event{Kind: EventCalm})
	case was && len(events) == 0:
		events = append(events, Event{Kind: EventLevel})
	}
	s.seen, s.begun = now, true
	if len(events) > 0 {
		span := Between(s.told, now)
		for i := range events {
			events[i].Span, events[i].Reading = span, now
		}
		s.told = now
	}
	return events
}

// one looks at one resource. What is unknown does not become calm.
func (s *stalls) one(resource string, now Reading, fired bool) (e Event) {
	level, err := now.level(resource)
	if err != nil && s.begun && !s.lost[resource] {
		e = Event{Kind: EventDegraded, Resource: resource, Note: fmt.Errorf("the pressure on %s: %w", resource, err)}
	}
	s.lost[resource] = err != nil
	before, _ := s.seen.level(resource)
	share, known := Stall(before, level, now.Time.Sub(s.seen.Time))
	last, stalled := s.over[resource]
	switch {
	case fired || known && 100*share >= s.limits.of(resource):
		s.over[resource] = now.Time
		if !stalled {
			e = Event{Kind: EventStalled, Resource: resource}
		}
	case stalled && !known:
		s.over[resource] = now.Time
	case stalled && now.Time.Sub(last) >= s.calm:
		delete(s.over, resource)
	}
	return e
}
