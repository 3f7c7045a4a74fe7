package ci

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"gpuci/ci/executor/local"
	"gpuci/worktrees"
)

// look reads where the base and the lane are, and whether there is anything to do:
// what would keep the lane out is said before hours of gates, and not only after.
func (l *landing) look(ctx context.Context) error {
	base, err := l.base(ctx)
	if err != nil {
		return err
	}
	st, err := worktrees.ReadState(ctx, l.o.Lane)
	if err != nil {
		return err
	}
	l.Onto, l.Base, l.Commit, l.Branch, l.Tip = base.Name, base.Commit, st.Commit, st.Branch, ""
	l.Merges, l.Known = 0, 0
	commits, err := l.commits(ctx)
	if err != nil || l.Outcome != "" {
		return err
	}
	l.Commits = len(commits)
	if st.Dirty && !l.o.Committed {
		l.end(Refused, fmt.Sprintf("lane %s has %s not committed: %s", l.Lane, countOf(st.Count, "change"), firstFew(st.Paths)), "commit them, or land what is committed with --committed")
		return nil
	}
	if l.holder, _, err = l.forward().Holder(ctx, l.o.Lane); err != nil {
		return err
	}
	contains, err := worktrees.Contains(ctx, l.o.Lane, l.Commit, l.Base)
	if l.Replayed = !contains; err != nil {
		return err
	}
	if err := l.merges(ctx, commits); err != nil || l.Outcome != "" {
		return err
	}
	l.readBase(ctx)
	return nil
}

// commits are what is to be landed; where there is nothing that is the outcome.
func (l *landing) commits(ctx context.Context) ([]worktrees.Unlanded, error) {
	if l.Commit == "" {
		l.end(Nothing, fmt.Sprintf("lane %s has no commit yet", l.Lane), "")
		return nil, nil
	}
	list, err := worktrees.UnlandedOf(ctx, l.o.Lane, l.Base, l.Commit)
	if err == nil && len(list) == 0 {
		l.end(Nothing, fmt.Sprintf("%s has all commits of lane %s", l.Onto, l.Lane), "")
	}
	return list, err
}

// base is the branch to land on, which must be one of the repository's own: one of
// a remote's is moved by pushing there.
func (l *landing) base(ctx context.Context) (worktrees.Base, error) {
	named := cmp.Or(l.o.Onto, l.o.Config.Workspace.Base)
	base, err := worktrees.BaseOf(ctx, l.o.Lane, named)
	if err != nil {
		return base, err
	}
	_, own, err := worktrees.OwnBranch(ctx, l.o.Lane, base.Name)
	if err != nil {
		return base, err
	}
	if !own {
		return base, fmt.Errorf("%w: %s is a remote's, and moved only by pushing there", worktrees.ErrNoBase, base.Name)
	}
	return base, nil
}

// replay makes the scratch lane and puts the commits onto the base there. Where
// the base is among their ancestors already, the very commits are landed.
func (l *landing) replay(ctx context.Context) error {
	if err := l.at(ctx, l.Commit); err != nil {
		return err
	}
	l.Tip = l.Commit
	if !l.Replayed {
		return nil
	}
	tip, err := worktrees.Replay(ctx, l.scratch.Lane, l.o.Lane, l.Base, l.Commit)
	if err != nil {
		return err
	}
	l.Tip = tip
	return l.left(ctx)
}

// at puts the scratch lane to a commit.
func (l *landing) at(ctx context.Context, commit string) error {
	if l.scratch != nil {
		return l.scratch.Move(ctx, commit)
	}
	s, err := worktrees.NewScratch(ctx, l.o.Lane, worktrees.ScratchOptions{
		Dir: l.scratchDir, Commit: commit, Fetch: local.FetchTime, For: "landing of " + l.Lane, Note: l.o.Note,
	})
	if err != nil {
		return err
	}
	l.scratch = s
	for _, note := range s.Notes {
		l.o.note("%s", note)
	}
	return nil
}

// tidy removes what killed gpucis have left of their landings and nights.
func (l *landing) tidy(ctx context.Context) {
	removed, err := worktrees.RemoveAbandoned(ctx, l.o.Lane, l.scratchDir)
	if len(removed) > 0 {
		l.o.note("removed %s of killed gpucis", countOf(len(removed), "scratch lane"))
	}
	if err != nil && ctx.Err() == nil {
		l.o.note("scratch lanes of killed gpucis stay: %v", err)
	}
}

func (l *landing) removeScratch(ctx context.Context) {
	if l.scratch == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), local.RemoveTime)
	defer cancel()
	if err := l.scratch.Remove(ctx); err != nil {
		l.o.note("remove a scratch lane: %v (the next landing tries again)", err)
	}
	l.scratch = nil
}

// root is the workspace in the scratch lane.
func (l *landing) root() string { return filepath.Join(l.scratch.Root, l.dir) }

func (l *landing) forward() worktrees.Forward {
	return worktrees.Forward{Branch: l.Onto, Old: l.Base, New: l.Tip, Why: "gpuci: land " + l.Lane}
}

// move moves the base, and with it the files of the lane that has it checked out.
func (l *landing) move(ctx context.Context) error {
	in, err := l.forward().Move(ctx, l.o.Lane)
	if err != nil {
		return err
	}
	l.In = in.Name
	l.end(Landed, "", l.catchUp())
	return nil
}

// catchUp is what to do in the lane, whose branch is where it was.
func (l *landing) catchUp() string {
	if l.Tip == l.Commit {
		return ""
	}
	return fmt.Sprintf("git rebase %s, in lane %s: its own commits are as they were", l.Onto, l.Lane)
}
