package main

import (
	"time"

	"gpuci/gates"
	"gpuci/worktrees"
)

// laneLine is a lane in `gpuci worktrees --json`. What is not known is left out.
type laneLine struct {
	Type      string       `json:"type"` // always "lane"
	Lane      string       `json:"lane"`
	Root      string       `json:"root,omitempty"`
	Target    string       `json:"target,omitempty"` // where build products go
	Branch    string       `json:"branch,omitempty"` // left out where it is detached
	Commit    string       `json:"commit,omitempty"` // left out where it has none yet
	Committed time.Time    `json:"committed,omitzero"`
	Changed   *int         `json:"changed,omitempty"` // files, 0 for a clean lane
	Changes   string       `json:"changes,omitempty"` // their hash
	Base      string       `json:"base,omitempty"`
	Ahead     *int         `json:"ahead,omitempty"` // commits that base has not
	Behind    *int         `json:"behind,omitempty"`
	Locked    bool         `json:"locked,omitempty"`
	Reason    string       `json:"lock-reason,omitempty"`
	Removed   bool         `json:"removed,omitempty"`
	Prunable  bool         `json:"prunable,omitempty"`
	MovedFrom string       `json:"moved-from,omitempty"`
	Scratch   *scratchLine `json:"scratch,omitempty"`
	Gates     []gateCell   `json:"gates,omitempty"`
	Tickets   []laneTicket `json:"tickets,omitempty"`
	Owes      []gates.Debt `json:"owes,omitempty"` // measurements that were refused, the oldest first
	OwesAB    []owedLine   `json:"owes-comparisons,omitempty"`
	Leaked    *int         `json:"leaked-processes,omitempty"`
	Landable  *landable    `json:"landable,omitempty"`
	Wrong     bool         `json:"config-wrong,omitempty"` // its gpuci.toml cannot be read
	Mistake   string       `json:"config-error,omitempty"` // why: file, line, and what
	Error     string       `json:"error,omitempty"`        // why its state is not known
	NoCount   string       `json:"count-error,omitempty"`  // why ahead and behind are not
}

// gateCell is what a gate last came to in a lane; without an outcome it has not
// run there.
type gateCell struct {
	Gate    string    `json:"gate"`
	Outcome string    `json:"outcome,omitempty"`
	Run     string    `json:"run,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Commit  string    `json:"commit,omitempty"`
	Changes string    `json:"changes,omitempty"`
	Marks   []string  `json:"marks,omitempty"`
	In      string    `json:"judged-in,omitempty"` // the other lane that has come to it, with the same content
	Stale   string    `json:"stale,omitempty"`     // what has changed since
	Unknown string    `json:"unknown,omitempty"`   // why that cannot be told
	Gone    bool      `json:"gone,omitempty"`      // gpuci.toml has no such gate any more
}

func (a *app) worktreesJSON(l lanesLook) error {
	for _, lane := range l.lanes {
		if err := a.jsonLine(l.line(lane)); err != nil {
			return err
		}
	}
	return nil
}

// line is a lane for programs.
func (l lanesLook) line(lane laneLook) laneLine {
	out := standingLine(lane.Standing)
	out.Tickets, out.Owes, out.Wrong, out.Mistake = lane.tickets, lane.owes, lane.wrong != "", lane.wrong
	for _, c := range lane.comparisons {
		out.OwesAB = append(out.OwesAB, c.line())
	}
	for _, g := range lane.gates {
		out.Gates = append(out.Gates, cellOf(g))
	}
	for _, gate := range lane.neverRun() {
		out.Gates = append(out.Gates, gateCell{Gate: gate})
	}
	if !l.noLeaks {
		out.Leaked = &lane.leaked
	}
	if found, ok := lane.landable(); ok {
		out.Landable = &found
	}
	if s, ok := scratchOf(lane.Tree); ok {
		out.Scratch = &s
	}
	return out
}

// standingLine is what the survey says of a lane.
func standingLine(st worktrees.Standing) laneLine {
	out := laneLine{
		Type: "lane", Lane: st.Name, Root: st.Root, Target: st.Target, Branch: st.State.Branch, Commit: st.State.Commit,
		Committed: st.Committed, Changes: st.State.Changes, Base: st.Base.Name, Locked: st.Locked, Reason: st.Reason,
		Removed: st.Removed, Prunable: st.Prunable, MovedFrom: st.MovedFrom,
	}
	if !st.Removed && st.Err == nil {
		out.Changed = &st.State.Count
	}
	if st.Counted {
		out.Ahead, out.Behind = &st.Ahead, &st.Behind
	}
	if st.Err != nil {
		out.Error = st.Err.Error()
	}
	if st.CountErr != nil {
		out.NoCount = st.CountErr.Error()
	}
	return out
}

func cellOf(o laneOutcome) gateCell {
	return gateCell{
		Gate: o.Gate, Outcome: o.Outcome, Run: o.Run, Started: o.Started, Commit: o.Commit, Changes: o.Changes, Marks: o.Marks,
		In: o.in, Stale: o.Stale, Unknown: o.Unknown, Gone: o.Gone,
	}
}
