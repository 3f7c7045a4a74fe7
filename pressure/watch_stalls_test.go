package pressure

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// scenery makes readings of a machine, step by step.
type scenery struct {
	now             Reading
	cpu, io, memory time.Duration
}

// after a while, of which a share was waited for each resource; a negative one
// makes it unknown.
func (s *scenery) after(d time.Duration, cpu, io, memory float64) Reading {
	if s.now.Time.IsZero() {
		s.now.Time = time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
	}
	s.now.Time = s.now.Time.Add(d)
	one := func(total *time.Duration, share float64) Resource {
		if share < 0 {
			return Resource{Unknown: errors.New("no idea")}
		}
		*total += time.Duration(share * float64(d))
		return Resource{Some: &Level{Total: *total}, Full: &Level{Total: *total}}
	}
	s.now.CPU, s.now.IO, s.now.Memory = one(&s.cpu, cpu), one(&s.io, io), one(&s.memory, memory)
	return s.now
}

func TestStalls(t *testing.T) {
	type step struct {
		after           time.Duration
		cpu, io, memory float64
		fired           string // resources
		note            error
		want            string // kinds, with resources
	}
	const s = time.Second
	for name, steps := range map[string][]step{
		"a stall and its end": {
			{s, 0, 0, 0, "", nil, "first"},
			{600 * s, 0, 0.001, 0, "io", nil, "stalled io"},
			{s, 0, 0.9, 0, "", nil, "level"},
			{s, 0, 0.05, 0, "", nil, "level"},
			{3 * s, 0, 0.05, 0, "", nil, "level"},
			{s, 0, 0, 0, "", nil, "calm"},
			{s, 0, 0, 0, "", nil, ""},
		},
		"stalled from the start": {
			{s, 0.6, 0.2, 0, "", nil, "first, stalled cpu, stalled io"},
			{s, 0.6, 0.2, 0, "", nil, "level"},
		},
		"a trigger that fires late keeps it from being calm": {
			{s, 0, 0.5, 0, "", nil, "first, stalled io"},
			{4 * s, 0, 0, 0, "io", nil, "level"},
			{4 * s, 0, 0, 0, "", nil, "level"},
			{s, 0, 0, 0, "", nil, "calm"},
		},
		"another one goes over, and the first comes back": {
			{s, 0, 0.5, 0, "", nil, "first, stalled io"},
			{s, 0, 0, 0.5, "", nil, "stalled memory"},
			{4 * s, 0, 0, 0.5, "", nil, "level"},
			{s, 0, 0.5, 0.5, "", nil, "stalled io"},
		},
		"no triggers": {
			{s, 0, 0, 0, "", errors.New("none"), "first, degraded"},
			{s, 0, 0, 0, "", nil, ""},
			{s, 0, 0.1, 0, "", nil, "stalled io"},
		},
		"the unknown does not become calm": {
			{s, 0, 0.5, 0, "", nil, "first, stalled io"},
			{s, 0, -1, 0, "", nil, "degraded io"},
			{60 * s, 0, -1, 0, "", nil, "level"},
			{s, 0, 0, 0, "", nil, "level"}, // no share of this step is known
			{s, 0, 0, 0, "", nil, "level"},
			{5 * s, 0, 0, 0, "", nil, "calm"},
		},
		"its triggers are lost when it becomes calm": {
			{s, 0, 0.5, 0, "", nil, "first, stalled io"},
			{5 * s, 0, 0, 0, "", errors.New("gone"), "degraded, calm"},
		},
		"never known": {
			{s, 0, 0.5, -1, "", nil, "first, stalled io"},
			{s, 0, 0.5, -1, "", nil, "level"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var m scenery
			start := m.after(0, steps[0].cpu, steps[0].io, steps[0].memory)
			state := newStalls(DefaultLimits(), 5*time.Second, start)
			told := start.Time
			for i, step := range steps {
				now := m.after(step.after, step.cpu, step.io, step.memory)
				events := state.look(now, map[string]bool{step.fired: true}, step.note)
				var got []string
				for _, e := range events {
					got = append(got, strings.TrimSpace(string(e.Kind)+" "+e.Resource))
					if !e.Span.From.Equal(told) || !e.Span.To.Equal(now.Time) {
						t.Errorf("step %d: %s is of %v to %v", i, e.Kind, e.Span.From, e.Span.To)
					}
				}
				if len(events) > 0 {
					told = now.Time
				}
				if text := strings.Join(got, ", "); text != step.want {
					t.Errorf("step %d: got %q, want %q", i, text, step.want)
				}
			}
		})
	}
}
