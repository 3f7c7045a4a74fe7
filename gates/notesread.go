package gates

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"gpuci/gates/config"
	"gpuci/gates/history"
	"gpuci/gates/notes"
	"gpuci/worktrees"
)

// ListedNote is a note in the list of all.
type ListedNote struct {
	Type string `json:"type"` // always "note"
	NoteState
	Orphan  bool       `json:"orphan,omitempty"`  // what it is about is no gate and no file here
	Written *time.Time `json:"written,omitempty"` // nil: not committed, or not known
	By      string     `json:"by,omitempty"`      // the commit that wrote its line
	Ageless string     `json:"age-unknown,omitempty"`
}

// ListedRed is a known red in the list of notes: it expires like one.
type ListedRed struct {
	Type    string    `json:"type"` // always "known-red"
	Gate    string    `json:"gate"`
	Owner   string    `json:"owner"`
	Until   string    `json:"until"`             // its last day
	Days    int       `json:"days-left"`         // 0 on the last one, below 0 after it
	Outcome string    `json:"outcome,omitempty"` // last, in this lane
	When    time.Time `json:"when,omitzero"`     // that was
	Green   bool      `json:"unexpectedly-green"`
	Old     string    `json:"old,omitempty"` // what has changed since
	Overdue bool      `json:"overdue"`
}

// listTime is how long the list of all notes may take: some thousand of them.
const listTime = time.Minute

// NoteList is all that expires in a workspace.
type NoteList struct {
	Notes []ListedNote
	Reds  []ListedRed
	Bad   []notes.Bad
	Cut   string // what was not looked at
}

// ReadNotes lists the notes of a lane and its known reds. o says where the history
// is; it is not made. state is the directory of the runs.
func ReadNotes(ctx context.Context, cfg *config.Config, lane worktrees.Lane, state string, o history.Options) (l NoteList, err error) {
	site := noteSite{cfg: cfg, lane: lane, name: lane.Name, cache: filepath.Join(state, "notes"), now: time.Now()}
	if lane.Root != "" {
		st, err := worktrees.ReadState(ctx, lane)
		if err == nil {
			site.draft, err = worktrees.ReadDraft(ctx, lane, st)
		}
		if err != nil {
			return l, err
		}
	}
	store, err := openThere(ctx, o)
	if store != nil {
		defer store.Close()
	}
	site.store = func() (*history.Store, error) { return store, err }
	within, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	look := site.look(within)
	if look.err != nil {
		return l, look.err
	}
	l.Bad, l.Cut = look.bad, look.cut
	for _, s := range look.list {
		l.Notes = append(l.Notes, site.listed(within, s, store))
	}
	for _, g := range cfg.Gates {
		if g.Expect == "red" {
			l.Reds = append(l.Reds, site.red(ctx, g, store))
		}
	}
	return l, ctx.Err()
}

// listed is a note with its age, and with what the last run of its gate made of its
// prediction.
func (s noteSite) listed(ctx context.Context, n notes.Standing, store *history.Store) ListedNote {
	out := ListedNote{Type: "note"}
	id := n.ID()
	if n.Expects != "" && store != nil {
		if last, err := lastOf(ctx, store, n.About, s.name); err == nil {
			if i := slices.IndexFunc(last.Notes, func(x history.Note) bool { return x.ID == id }); i >= 0 {
				n = tried(n, last.Notes[i], last)
			}
		}
	}
	out.NoteState = stateOf(n)
	if _, gate := s.cfg.Gate(n.About); !gate {
		out.Orphan = !exists(filepath.Join(s.cfg.Root, n.About))
	}
	if s.lane.Root == "" {
		out.Ageless = "this is outside of git"
		return out
	}
	switch c, err := worktrees.LineSince(ctx, s.lane, n.Path, n.Line); {
	case err != nil && ctx.Err() != nil:
		out.Ageless = "there was no more time to ask"
	case err != nil: // of a file that git does not know yet it knows no line
	case c.ID != "":
		out.Written, out.By = &c.When, c.ID
	}
	return out
}

// tried takes over what a run made of a prediction.
func tried(n notes.Standing, was history.Note, r history.Result) notes.Standing {
	if was.Prediction == PredictionOpen {
		return n
	}
	n.Awaits, n.Proven = false, was.Prediction == PredictionConfirmed
	condition := "expects " + n.Expects
	for _, f := range was.Fell {
		if f.Condition == condition {
			n.Fell = append(n.Fell, notes.Fall{Condition: f.Condition, Why: f.Why, Commit: r.Commit, Changed: r.Changes != "", When: r.Started})
		}
	}
	return n
}

// red is a known red with the days that are left of it.
func (s noteSite) red(ctx context.Context, g config.Gate, store *history.Store) ListedRed {
	const day = 24 * 60 * 60
	today := time.Date(s.now.Year(), s.now.Month(), s.now.Day(), 0, 0, 0, 0, time.UTC)
	out := ListedRed{Type: "known-red", Gate: g.Name, Owner: g.Owner, Until: g.Until.Format(time.DateOnly), Days: int((g.Until.Unix() - today.Unix()) / day)}
	out.Overdue = out.Days < 0
	if store == nil {
		return out
	}
	last, err := lastOf(ctx, store, g.Name, s.name)
	if err != nil || last.Run == "" {
		return out
	}
	out.Outcome, out.When = last.Outcome, last.Started
	out.Green = sideOf(last) == passes
	stale := Staleness(ctx, s.cfg, s.lane, []history.Result{last})[0]
	if out.Old = stale.Text; out.Old == "" {
		out.Old = stale.Unknown
	}
	return out
}
