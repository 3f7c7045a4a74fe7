package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/gates/history"
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
	results, err := a.latestByLane(ctx, p)
	if l.noGates = err != nil; err != nil && ctx.Err() == nil {
		a.console.note("what gates came to is not known: " + err.Error())
	}
	var group errgroup.Group
	group.SetLimit(lanesAtOnce)
	for i := range l.lanes {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, lanePatience)
			defer cancel()
			l.lanes[i] = l.lanes[i].within(ctx, m, results[l.lanes[i].Name])
			return nil
		})
	}
	_ = group.Wait() // none fails
}

// within is withGates for as long as ctx goes on. Who waits for a disk that does
// not answer cannot be interrupted, and is left behind.
func (l laneLook) within(ctx context.Context, m meant, results []history.Result) laneLook {
	done := make(chan laneLook, 1)
	go func() { done <- l.withGates(ctx, m, results) }()
	select {
	case known := <-done:
		return known
	case <-ctx.Done():
		late := l
		late.Err = cmp.Or(l.Err, fmt.Errorf("its gates cannot be told, for it does not answer: %w", ctx.Err()))
		return late
	}
}

// latestByLane reads the last outcome of each gate in each lane. Where gpuci has
// never run there is none, and no history is made.
func (a *app) latestByLane(ctx context.Context, p place) (map[string][]history.Result, error) {
	o := a.historyOptions(p.config, p.lane)
	if _, err := os.Stat(o.State); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	store, err := history.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	list, err := store.Latest(ctx)
	out := make(map[string][]history.Result)
	for _, r := range list {
		out[r.Lane] = append(out[r.Lane], r)
	}
	return out, err
}

// withGates adds configuration and outcomes to a lane.
func (l laneLook) withGates(ctx context.Context, m meant, results []history.Result) laneLook {
	if l.Removed || l.Err != nil {
		return l
	}
	cfg, err := m.config(l.Lane)
	if err != nil {
		l.wrong = !errors.Is(err, config.ErrNotFound)
		cfg = &config.Config{Root: l.Root}
	} else {
		l.config, l.required = cfg, requiredGates(cfg)
	}
	p := past{cfg: cfg, lane: l.Lane}
	l.gates = p.latest(ctx, results)
	place := func(x latestLine) int {
		at := slices.IndexFunc(cfg.Gates, func(g config.Gate) bool { return g.Name == x.Gate })
		if at < 0 {
			return len(cfg.Gates)
		}
		return at
	}
	slices.SortStableFunc(l.gates, func(x, y latestLine) int { return place(x) - place(y) })
	if l.wrong { // whether its gates are there any more is not known
		for i := range l.gates {
			l.gates[i].Gone = false
		}
	}
	return l
}

// last is the last outcome of a gate.
func (l laneLook) last(gate string) (line latestLine, ok bool) {
	at := slices.IndexFunc(l.gates, func(x latestLine) bool { return x.Gate == gate })
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

// lastRun is when a gate last began to run in the lane; zero for never.
func (l laneLook) lastRun() (at time.Time) {
	for _, g := range l.gates {
		if g.Started.After(at) {
			at = g.Started
		}
	}
	return at
}

// gatesText is what the gates came to in a few words, the same ones together.
func (l laneLook) gatesText() string {
	const named = 3 // greens are counted where they are more
	names := make(map[string][]string)
	var words []string
	add := func(word, gate string) {
		if names[word] == nil {
			words = append(words, word)
		}
		names[word] = append(names[word], gate)
	}
	for _, g := range l.gates {
		word := g.Outcome
		switch {
		case g.Gone:
			continue
		case g.Stale != "":
			word = "stale (" + word + ")"
		case g.Unknown != "":
			word = "stale? (" + word + ")"
		}
		add(word, g.Gate)
	}
	for _, gate := range l.neverRun() {
		add("never run", gate)
	}
	for i, word := range words {
		if list := names[word]; word == string(gates.Green) && len(list) > named {
			words[i] = fmt.Sprintf("%d %s", len(list), word)
		} else {
			words[i] = word + " " + strings.Join(list, " ")
		}
	}
	return strings.Join(words, ", ")
}
