package ci

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"gpuci/gates"
	"gpuci/gates/config"
)

// findNotes finds what a content's gates are noted for: an outcome stands only while
// these notes do as they did.
func (n *night) findNotes(ctx context.Context, w *work) *gates.CommitNotes {
	cfg := *w.cfg
	cfg.Root = filepath.Join(n.o.Here.Root, n.plan.Dir) // as it would be there
	notes := gates.FindNotes(ctx, gates.NoteSource{
		Workspace: &cfg, Lane: n.o.Here, Name: w.lead().Lane, Commit: w.lead().Commit, Tree: w.lead().Tree,
		State: n.o.State, History: n.o.Past, Now: n.clock.Wall,
	})
	if err := notes.Err(); err != nil && ctx.Err() == nil {
		n.note("lane %s: its notes are not known, so that its gates are run: %v", w.lead().Lane, err)
	}
	return notes
}

// stand takes over what stands. What hangs on a gate that is to be run first, as a
// note does that holds while that one is red, is left for later.
func (n *night) stand(ctx context.Context, w *work) {
	var cells []Cell
	for _, g := range w.gates {
		if _, ok := w.came[g.Name]; ok || w.why != "" || w.flying[g.Name] {
			continue
		}
		if slices.ContainsFunc(w.notes.WaitsFor(g.Name), w.owes) {
			w.later = append(w.later, g.Name)
			continue
		}
		if c, ok := n.standing(ctx, w, g); ok {
			cells = append(cells, c)
		}
	}
	n.takeOver(w, cells)
}

// owes says that a gate is still to come to something in this night.
func (w *work) owes(gate string) bool {
	_, came := w.came[gate]
	return !came && slices.ContainsFunc(w.gates, func(g config.Gate) bool { return g.Name == gate })
}

// standNow takes over the outcome of a gate that was left for later. The end of the
// night keeps nobody from looking it up.
func (n *night) standNow(ctx context.Context, w *work, g config.Gate) bool {
	if !slices.Contains(w.later, g.Name) || w.why != "" {
		return false
	}
	if errors.Is(context.Cause(ctx), errNightOver) {
		ctx = context.WithoutCancel(ctx)
	}
	w.notes.Again()
	c, ok := n.standing(ctx, w, g)
	n.o.Past.Rest()
	if ok {
		n.takeOver(w, []Cell{c})
	}
	return ok
}

func (n *night) standing(ctx context.Context, w *work, g config.Gate) (c Cell, ok bool) {
	opt := gates.Options{Gate: g, Root: n.rootFor(w.lead())}
	if c, ok = n.past.standing(ctx, w.job, g, opt, w.notes); ok && ctx.Err() == nil {
		w.came[g.Name] = c
		return c, true
	}
	return c, false
}

// takeOver writes down what stands.
func (n *night) takeOver(w *work, cells []Cell) {
	if len(cells) > 0 {
		n.add(line{Type: done, Lane: w.lead().Lane, Tree: w.lead().Tree, Cells: cells})
	}
}
