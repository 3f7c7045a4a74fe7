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

const (
	// noteRuns is how many results of a gate are looked through for one that says
	// whether it is red, and for the one since when it is not: some 10 ms.
	noteRuns = 200
	// firstRuns is how many are read at first: mostly the newest says it.
	firstRuns = 4
)

// noteSite is where notes are looked for and held against how things are.
type noteSite struct {
	cfg   *config.Config
	lane  worktrees.Lane
	name  string // of the lane in the history
	draft worktrees.Draft
	cache string
	store func() (*history.Store, error)
	now   time.Time

	beside  bool // a gate is running
	nowhere bool // no files are looked at: the lane is not at what the notes are of
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
	all, l := s.find(ctx)
	j := s.judge()
	for _, n := range all {
		l.list = append(l.list, j.Of(ctx, n))
	}
	if l.err == nil && ctx.Err() != nil {
		l.err = ctx.Err()
	}
	return l
}

func (s noteSite) judge() notes.Judge {
	return notes.Judge{Lane: s.lane, Dir: s.dir(), Draft: s.draft, Now: s.now, Last: s.last, Cache: s.cache}
}

// find finds all notes, and says what looks like one and is none.
func (s noteSite) find(ctx context.Context) (all []notes.Note, l noteLook) {
	found, err := notes.Find(ctx, notes.Place{Lane: s.lane, Dir: s.dir(), Draft: s.draft, Cache: s.cache})
	if err != nil {
		l.err = err
	}
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
	return all, l
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

// last is what a gate last said in the lane, else in any. Where there is no history
// yet it has said nothing.
func (s noteSite) last(ctx context.Context, gate string) (notes.Last, error) {
	store, err := s.store()
	if err != nil || store == nil {
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

// lastIn looks from the newest result on for one that passes or fails; of those that
// pass in a row it names the first, by which the gate came to pass.
func (s noteSite) lastIn(ctx context.Context, store *history.Store, gate, lane string) (l notes.Last, err error) {
	for _, most := range []int{firstRuns, noteRuns} {
		whole := false
		if l, whole, err = s.lastAmong(ctx, store, history.Query{Gate: gate, Lane: lane, Limit: most}); err != nil || whole {
			break
		}
	}
	return l, err
}

// lastAmong is lastIn over as many results as are asked for; whole says that more
// would add nothing.
func (s noteSite) lastAmong(ctx context.Context, store *history.Store, q history.Query) (l notes.Last, whole bool, err error) {
	for r, err := range store.Results(ctx, q) {
		if err != nil {
			return l, false, err
		}
		side := sideOf(r)
		switch {
		case side == "" || !store.Believes(r.UID, r.Started) || store.Ahead(r.Started):
			continue
		case side == fails && l.Outcome == "":
			return notes.Last{Outcome: r.Outcome, Red: true, Old: s.old(ctx, r)}, true, nil
		case side == fails:
			return l, true, nil
		case l.Outcome == "":
			l.Outcome = r.Outcome
		}
		l.By = notes.Run{Outcome: r.Outcome, Commit: r.Commit, Changed: r.Changes != "", When: r.Started}
	}
	return l, false, nil
}

// old says what has changed since a red that the gate reads.
func (s noteSite) old(ctx context.Context, r history.Result) string {
	g, known := s.cfg.Gate(r.Gate)
	switch {
	case s.nowhere:
		return ""
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
