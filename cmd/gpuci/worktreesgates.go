package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gpuci/gates"
	"gpuci/gates/config"
)

const (
	// lanesAtOnce is how many lanes are held against what was judged in them at a
	// time.
	lanesAtOnce = 2
	// lanePatience is how long one may take.
	lanePatience = 30 * time.Second
)

// lookAtGates finds what the gates of each lane came to, and whether it stands.
func (a *app) lookAtGates(ctx context.Context, p place, l *lanesLook) {
	m := meant{at: "."}
	if rel, err := filepath.Rel(p.lane.Root, p.dir); err == nil {
		m.at = rel
	}
	past, err := a.pastOfLanes(ctx, p)
	if l.noGates = err != nil; err != nil && ctx.Err() == nil {
		a.console.note("what gates came to is not known: " + err.Error())
	}
	var group errgroup.Group
	group.SetLimit(lanesAtOnce)
	for i := range l.lanes {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, lanePatience)
			defer cancel()
			l.lanes[i] = l.lanes[i].within(ctx, m, past)
			return nil
		})
	}
	_ = group.Wait() // none fails
}

// within is withGates for as long as ctx goes on. Who waits for a disk that does
// not answer cannot be interrupted, and is left behind.
func (l laneLook) within(ctx context.Context, m meant, past lanesPast) laneLook {
	done := make(chan laneLook, 1)
	go func() { done <- l.withGates(ctx, m, past) }()
	select {
	case known := <-done:
		return known
	case <-ctx.Done():
		late := l
		late.Err = cmp.Or(l.Err, fmt.Errorf("its gates cannot be told, for it does not answer: %w", ctx.Err()))
		return late
	}
}

// withGates adds configuration and outcomes to a lane.
func (l laneLook) withGates(ctx context.Context, m meant, past lanesPast) laneLook {
	if l.Removed || l.Err != nil {
		return l
	}
	cfg, err := m.config(l.Lane)
	if err != nil {
		if !errors.Is(err, config.ErrNotFound) {
			l.wrong = mistakeText(err, l.Root)
		}
		cfg = &config.Config{Root: l.Root}
	} else {
		l.config, l.required = cfg, cfg.Required()
	}
	l.gates, l.ran = past.of(ctx, l, cfg), past.lastRun(l.Name)
	place := func(x laneOutcome) int {
		at := slices.IndexFunc(cfg.Gates, func(g config.Gate) bool { return g.Name == x.Gate })
		if at < 0 {
			return len(cfg.Gates)
		}
		return at
	}
	slices.SortStableFunc(l.gates, func(x, y laneOutcome) int { return place(x) - place(y) })
	if l.wrong != "" { // whether its gates are there any more is not known
		for i := range l.gates {
			l.gates[i].Gone = false
		}
	}
	return l
}

// last is the last outcome of a gate.
func (l laneLook) last(gate string) (line laneOutcome, ok bool) {
	at := slices.IndexFunc(l.gates, func(x laneOutcome) bool { return x.Gate == gate })
	if at < 0 {
		return line, false
	}
	return l.gates[at], true
}

// neverRun are the gates of the configuration that have no outcome.
func (l laneLook) neverRun() (names []string) {
	if l.config == nil {
		return nil
	}
	for _, g := range l.config.Gates {
		if _, ran := l.last(g.Name); !ran {
			names = append(names, g.Name)
		}
	}
	return names
}

// gatesText is what the gates came to in a few words, the same ones together.
func (l laneLook) gatesText() string {
	const named = 3 // greens are counted where they are more
	type kind struct{ word, in string }
	names := make(map[kind][]string)
	var kinds []kind
	add := func(k kind, gate string) {
		if names[k] == nil {
			kinds = append(kinds, k)
		}
		names[k] = append(names[k], gate)
	}
	for _, g := range l.gates {
		word := g.Outcome
		switch {
		case g.Gone:
			continue
		case g.Stale != "":
			word = "stale (" + word + ")"
		case g.Unknown != "" && tells(g.Result): // the others hold for nothing anyway
			word = "stale? (" + word + ")"
		}
		add(kind{word, g.in}, g.Gate)
	}
	for _, gate := range l.neverRun() {
		add(kind{word: "never run"}, gate)
	}
	words := make([]string, len(kinds))
	for i, k := range kinds {
		if list := names[k]; k.word == string(gates.Green) && len(list) > named {
			words[i] = fmt.Sprintf("%d %s", len(list), k.word)
		} else {
			words[i] = k.word + " " + strings.Join(list, " ")
		}
		if k.in != "" {
			words[i] += " (judged in lane " + k.in + ")"
		}
	}
	return strings.Join(words, ", ")
}
