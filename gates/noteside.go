package gates

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/notes"
	"gpuci/worktrees"
)

// noteRuns is how many results of a gate are looked through for one that says
// whether it is red: some 10 ms.
const noteRuns = 200

// noteSite is where notes are looked for and held against how things are.
type noteSite struct {
	cfg   *config.Config
	lane  worktrees.Lane
	name  string // of the lane in the history
	draft worktrees.Draft
	cache string
	store func() (*history.Store, error)
	now   time.Time

	beside bool // a gate is running
}

// noteLook is what there is of notes in a lane.
type noteLook struct {
	list []notes.Standing
	bad  []notes.Bad
	cut  string
	err  error
}

// dir is where gpuci.toml is, from the lane's root.
func (s noteSite) dir() string {
	rel, err := filepath.Rel(s.lane.Root, s.cfg.Root)
	if s.lane.Root == "" || err != nil || !filepath.IsLocal(rel) {
		return "."
	}
	return filepath.ToSlash(rel)
}

// look finds all notes and holds each against its conditions.
func (s noteSite) look(ctx context.Context) (l noteLook) {
	found, err := notes.Find(ctx, notes.Place{Lane: s.lane, Dir: s.dir(), Draft: s.draft, Cache: s.cache})
	if err != nil {
		l.err = err
	}
	var all []notes.Note
	for i, n := range s.cfg.Notes {
		at, _ := s.cfg.Origin(fmt.Sprintf("note.%d.text", i+1))
		all = append(all, notes.Note{Note: n, Path: filepath.ToSlash(filepath.Join(s.dir(), config.FileName)), Line: at.Line})
	}
	l.bad, l.cut = found.Bad, found.Cut
	for _, n := range found.Notes {
		if n.About == n.Path { // the file it stands in, from the directory of gpuci.toml as all that notes name
			n.About = strings.TrimPrefix(n.About, s.dir()+"/")
		}
		if why := s.strange(n); why != "" {
			l.bad = append(l.bad, notes.Bad{Path: n.Path, Line: n.Line, About: n.About, Why: why})
			continue
		}
		all = append(all, n)
	}
	j := notes.Judge{Lane: s.lane, Dir: s.dir(), Draft: s.draft, Now: s.now, Last: s.last, Cache: s.cache}
	for _, n := range all {
		l.list = append(l.list, j.Of(ctx, n))
	}
	if l.err == nil && ctx.Err() != nil {
		l.err = ctx.Err()
	}
	return l
}

// strange says what a note of a source names that is not there. Of a [[note]] that
// was said when gpuci.toml was read.
func (s noteSite) strange(n notes.Note) string {
	if _, known := s.cfg.Gate(n.WhileRed); n.WhileRed != "" && !known {
		return "while-red names no gate: " + n.WhileRed + s.near(n.WhileRed)
	}
	if _, known := s.cfg.Gate(n.About); n.Expects != "" && !known {
		return "expects needs a gate that prints these numbers, and " + n.About + " is none" + s.near(n.About)
	}
	return ""
}

func (s noteSite) near(name string) string {
	if near := s.cfg.Near(name); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

// last is what a gate last said in the lane, else in any.
func (s noteSite) last(ctx context.Context, gate string) (notes.Last, error) {
	store, err := s.store()
	if err != nil {
		return notes.Last{}, err
	}
	defer s.rest(store)
	for _, lane := range []string{s.name, ""} {
		l, err := s.lastIn(ctx, store, gate, lane)
		if err != nil || l.Outcome != "" {
			return l, err
		}
	}
	return notes.Last{}, nil
}

// rest lets go of a history that a gate has for hours; one that was opened to be
// read is closed soon.
func (s noteSite) rest(store *history.Store) {
	if s.beside {
		store.Rest()
	}
}

// lastIn looks from the newest result on for one that passes or fails; of greens in
// a row it names the first, by which the gate came to be green.
func (s noteSite) lastIn(ctx context.Context, store *history.Store, gate, lane string) (l notes.Last, err error) {
	for r, err := range store.Results(ctx, history.Query{Gate: gate, Lane: lane, Limit: noteRuns}) {
		if err != nil {
			return l, err
		}
		side := sideOf(r.Outcome, r.Findings)
		switch {
		case side == "" || !store.Believes(r.UID, r.Started) || store.Ahead(r.Started):
			continue
		case l.Outcome == "":
			l = notes.Last{Outcome: r.Outcome, Red: side == fails, Commit: r.Commit, When: r.Started}
			if l.Red {
				l.Old = s.old(ctx, r)
				return l, nil
			}
		case side == fails:
			return l, nil
		default:
			l.Commit, l.When = r.Commit, r.Started
		}
	}
	return l, nil
}

// old says what has changed since a red that the gate reads.
func (s noteSite) old(ctx context.Context, r history.Result) string {
	g, known := s.cfg.Gate(r.Gate)
	switch {
	case known && r.Config != "" && r.Config != hashOf(*g):
		return "its settings have changed"
	case r.Tree != "" && r.Tree == s.draft.Tree:
		return ""
	case r.Lane != s.name:
		return "that was in lane " + r.Lane
	case s.lane.Root == "" || s.name != s.lane.Name: // a scratch lane: its own files are not those of then
		return ""
	}
	if stale := Staleness(ctx, s.cfg, s.lane, []history.Result{r})[0]; stale.Text != "" {
		return stale.Text
	} else if stale.Unknown != "" {
		return fmt.Sprintf("whether that stands is not known: %s", stale.Unknown)
	}
	return ""
}
