package gates

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/notes"
	"gpuci/worktrees"
)

// NoteSource is a commit whose notes are asked about. None of its files need be on
// the disk.
type NoteSource struct {
	Workspace *config.Config // that the commit has; Root is where it would be in Lane
	Lane      worktrees.Lane // any of the repository
	Name      string         // of the lane whose outcomes say first whether a gate is red
	Commit    string
	Tree      string // the id of its content
	State     string // directory of the runs
	History   *Past
	Now       func() time.Time
}

// CommitNotes are the notes of a commit, held against how things are: what a run of
// its gates would say of them now. An outcome of the same content that was kept
// says it no longer when one has fallen since.
type CommitNotes struct {
	site noteSite
	now  func() time.Time
	list []notes.Note
	err  error
	held map[string]NoteState // by the note, until Again
}

// FindNotes finds the notes of a commit. What it holds is found out once for each
// and kept in State; then that takes a tenth of a millisecond.
func FindNotes(ctx context.Context, s NoteSource) *CommitNotes {
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	c := &CommitNotes{now: s.Now, site: noteSite{
		cfg: s.Workspace, lane: s.Lane, name: s.Name, cache: filepath.Join(s.State, "notes"), store: s.History.Store,
		draft: worktrees.Draft{Commit: s.Commit, Tree: s.Tree}, nowhere: true,
	}}
	if c.now == nil {
		c.now = time.Now
	}
	var l noteLook
	c.list, l = c.site.find(ctx)
	c.err = l.err
	return c
}

// Err is why the notes are not known; then no outcome is taken for what a run would
// say now.
func (c *CommitNotes) Err() error { return c.err }

// Again forgets how the notes stood, after other gates have run.
func (c *CommitNotes) Again() { c.held = nil }

// WaitsFor are the gates that must be red for a note that may concern a gate.
func (c *CommitNotes) WaitsFor(gate string) (names []string) {
	if c == nil {
		return nil
	}
	for _, n := range c.list {
		if n.WhileRed != "" && n.WhileRed != gate && c.concerns(n, gate) && !slices.Contains(names, n.WhileRed) {
			names = append(names, n.WhileRed)
		}
	}
	return names
}

// concerns says whether a note is about a gate, or about a file that it may read.
func (c *CommitNotes) concerns(n notes.Note, gate string) bool {
	_, other := c.site.cfg.Gate(n.About)
	return n.About == gate || !other
}

// AsIn says whether the notes that concern a gate stand as they did in a run of it,
// of the same content and settings: each fallen by the same conditions, or by none.
// What the gate expects of its numbers is as that run had them.
func (c *CommitNotes) AsIn(ctx context.Context, r history.Result) bool {
	if c == nil {
		return true
	}
	if c.err != nil || slices.ContainsFunc(r.Findings, func(f history.Finding) bool { return strings.HasPrefix(f.Text, notesUnknown) }) {
		return false
	}
	said := 0
	for _, n := range c.list {
		i := slices.IndexFunc(r.Notes, func(was history.Note) bool { return was.ID == n.ID() })
		switch {
		case i < 0 && n.About == r.Gate:
			return false // the run did not look
		case i < 0: // another gate's, or of a file that it did not read
			continue
		}
		if said++; !sameFalls(n, r.Notes[i], c.state(ctx, n)) {
			return false
		}
	}
	return said >= len(r.Notes) && ctx.Err() == nil
}

// sameFalls says whether a note has fallen by the same conditions as in a run.
func sameFalls(n notes.Note, was history.Note, now NoteState) bool {
	var then, today []string
	for _, f := range was.Fell {
		if f.Condition != "expects "+n.Expects {
			then = append(then, f.Condition)
		}
	}
	for _, f := range now.Fell {
		today = append(today, f.Condition)
	}
	return slices.Equal(then, today)
}

// state is how a note stands now.
func (c *CommitNotes) state(ctx context.Context, n notes.Note) NoteState {
	id := n.At() + n.ID()
	if s, known := c.held[id]; known {
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	c.site.now = c.now()
	j := c.site.judge()
	s := stateOf(j.Of(ctx, n))
	if c.held == nil {
		c.held = make(map[string]NoteState)
	}
	c.held[id] = s
	return s
}

// Findings are those of a run in which the notes stood as they do now, with what is
// to be said of them today: by what another gate is green, and how long ago.
func (c *CommitNotes) Findings(ctx context.Context, r history.Result) []history.Finding {
	if c == nil || !slices.ContainsFunc(r.Notes, func(n history.Note) bool { return n.Stale }) {
		return r.Findings
	}
	out := slices.Clone(r.Findings)
	for _, n := range c.list {
		i := slices.IndexFunc(r.Notes, func(was history.Note) bool { return was.ID == n.ID() })
		if i < 0 || !r.Notes[i].Stale || n.Expects != "" { // that is by the run's own numbers
			continue
		}
		s := c.state(ctx, n)
		for k := range out {
			if strings.HasPrefix(out[k].Text, s.head()) && s.Stale {
				out[k].Text = s.finding(c.now())
			}
		}
	}
	return out
}
