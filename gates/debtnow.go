package gates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/worktrees"
)

// Settle says of each debt whether its lane still has that content. Where the lane has
// gone on, and the gate came to nothing there since, the debt has gone with it: Now and
// Moved are set, and it is owed for what is there now, once for each gate. Void is set
// where nobody needs it any more: the lane is gone, or the commit, or the gate has been
// run on what came after. lanes are those of the repository that are there. What cannot
// be told is owed still.
func Settle(ctx context.Context, p *Past, lanes []worktrees.Tree, debts []Debt) []Debt {
	out := slices.Clone(debts)
	store, err := p.Store()
	if err != nil {
		return out
	}
	s := settling{newOutcomes(ctx, store), make(map[string]*Content)}
	for i := range out {
		d := &out[i]
		lane, ok := laneNamed(lanes, d.Lane)
		if !ok {
			d.Void = d.homeless()
		} else if now := s.at(lane); now != nil && !now.same(d.refusedAt()) {
			s.move(d, lane, *now)
		}
	}
	once(out)
	return out
}

// settling is one look at the lanes of debts.
type settling struct {
	*outcomes
	now map[string]*Content // by lane; nil where it cannot be read
}

func (s settling) at(lane worktrees.Lane) *Content {
	c, read := s.now[lane.Name]
	if !read {
		if got, err := ReadContent(s.ctx, lane); err == nil {
			c = &got
		}
		s.now[lane.Name] = c
	}
	return c
}

// move says what becomes of a debt whose lane has something else now.
func (s settling) move(d *Debt, lane worktrees.Lane, now Content) {
	why := d.overtaken(now)
	by, judged := s.inLane(*d)
	if !judged {
		by, judged = s.onContent(*d, now, time.Time{})
	}
	if judged {
		d.Void, d.By = fmt.Sprintf("overtaken: %s, and the gate has been run since: %s, %s", why, by.Run, by.Outcome), by.Run
		return
	}
	if _, err := worktrees.CommitOf(s.ctx, lane, d.Commit); errors.Is(err, worktrees.ErrGone) {
		d.Void = fmt.Sprintf("its commit %.10s is gone from the repository", d.Commit)
		return
	}
	d.Moved, d.Now = why, &now
}

// overtaken says how a lane that has something now has gone on.
func (d Debt) overtaken(now Content) string {
	switch {
	case d.Commit != now.Commit:
		return fmt.Sprintf("the lane is at %.10s now", now.Commit)
	case now.Changes == "":
		return "what was not committed there is gone"
	case d.Changes == "":
		return "there are changes in the lane now"
	}
	return "what is not committed there is otherwise now"
}

// once leaves one debt of those of a gate that have gone with their lane, the last,
// owed since the first of them; none where the gate was refused on what is there now.
func once(debts []Debt) {
	for i := range debts {
		d := &debts[i]
		at := slices.IndexFunc(debts, func(o Debt) bool {
			return o.Void == "" && o.sameGate(*d) && (o.Now == nil || o.Last.After(d.Last))
		})
		if d.Now == nil || at < 0 {
			continue
		}
		if heir := &debts[at]; heir.Now != nil && d.Since.Before(heir.Since) {
			heir.Since = d.Since
		}
		d.Void, d.Moved, d.Now = "overtaken: "+d.Moved+", and the gate was refused again since", "", nil
	}
}

// branchPrefix is of the names under which a night keeps what came of branches that no
// lane has out; no lane has a slash in its name.
const branchPrefix = "branch/"

// homeless says why a debt without a lane is void.
func (d Debt) homeless() string {
	if branch, ok := strings.CutPrefix(d.Lane, branchPrefix); ok {
		return fmt.Sprintf("no lane has branch %s out: gpuci ci run --branch %s %s takes it up", branch, branch, d.Gate)
	}
	return "there is no lane " + d.Lane + " any more"
}

func laneNamed(lanes []worktrees.Tree, name string) (worktrees.Lane, bool) {
	at := slices.IndexFunc(lanes, func(t worktrees.Tree) bool { return t.Name == name && !t.Removed })
	if at < 0 {
		return worktrees.Lane{}, false
	}
	return lanes[at].Lane, true
}

// StillOwed are the debts that are not void.
func StillOwed(debts []Debt) []Debt {
	return slices.DeleteFunc(slices.Clone(debts), func(d Debt) bool { return d.Void != "" })
}

// Fits says whether a debt is one of those that are asked for by names of lanes or
// gates; none asks for all.
func (d Debt) Fits(names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return n == d.Lane || n == d.Gate })
}
