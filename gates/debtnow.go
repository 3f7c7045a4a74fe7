package gates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates/history"
	"gpuci/worktrees"
)

// Content is what is in a lane, as a verdict is bound to it.
type Content struct {
	Commit  string // HEAD, "" where it has none
	Changes string // hash of what is not committed, "" for nothing
}

// ReadContent reads it as a gate does that begins now.
func ReadContent(ctx context.Context, lane worktrees.Lane) (c Content, err error) {
	state, err := worktrees.ReadState(ctx, lane)
	if err != nil {
		return c, err
	}
	draft := worktrees.Draft{Commit: state.Commit}
	if state.Dirty {
		if draft, err = worktrees.ReadDraft(ctx, lane, state); err != nil {
			draft = worktrees.Draft{Commit: state.Commit}
		}
	}
	raw, err := worktrees.ReadRaw(ctx, lane, draft)
	if err != nil && ctx.Err() != nil {
		return c, err
	}
	changes, _ := withOdd(state.Changes, raw)
	return Content{state.Commit, changes}, nil
}

// Settle says of each debt whether its lane still has that content: Void is set where
// it has not, because the lane is gone, or the commit, or the work went on. lanes are
// those of the repository that are there. What cannot be told is owed still.
func Settle(ctx context.Context, p *Past, lanes []worktrees.Tree, debts []Debt) []Debt {
	now := make(map[string]*Content) // by lane; nil where it cannot be read
	out := slices.Clone(debts)
	for i, d := range out {
		lane, ok := laneNamed(lanes, d.Lane)
		if !ok {
			out[i].Void = d.homeless()
			continue
		}
		c, read := now[d.Lane]
		if !read {
			if got, err := ReadContent(ctx, lane); err == nil {
				c = &got
			}
			now[d.Lane] = c
		}
		if c != nil {
			out[i].Void = d.overtaken(ctx, p, lane, *c)
		}
	}
	return out
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

// overtaken says why a debt is void in a lane that has something now, "" where it is
// not.
func (d Debt) overtaken(ctx context.Context, p *Past, lane worktrees.Lane, now Content) string {
	if d.Commit == now.Commit && d.Changes == now.Changes {
		return ""
	}
	if _, err := worktrees.CommitOf(ctx, lane, d.Commit); errors.Is(err, worktrees.ErrGone) {
		return fmt.Sprintf("its commit %.10s is gone from the repository", d.Commit)
	}
	why := "overtaken: what is not committed there is otherwise now"
	switch {
	case d.Commit != now.Commit:
		why = fmt.Sprintf("overtaken: the lane is at %.10s now", now.Commit)
	case now.Changes == "":
		why = "overtaken: what was not committed there is gone"
	case d.Changes == "":
		why = "overtaken: there are changes in the lane now"
	}
	if !d.judgedNow(ctx, p, now) {
		why += ", where the gate has not been run"
	}
	return why
}

// judgedNow says whether the gate came to something on what is there now.
func (d Debt) judgedNow(ctx context.Context, p *Past, now Content) bool {
	const most = 50 // results of one gate in one lane, since it was refused
	store, err := p.Store()
	if err != nil {
		return false
	}
	for r, err := range store.Results(ctx, history.Query{Gate: d.Gate, Lane: d.Lane, Since: d.Since, Believed: true, Limit: most}) {
		if err == nil && pays(r) && (Content{r.Commit, r.Changes}) == now {
			return true
		}
	}
	return false
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
