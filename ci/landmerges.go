package ci

import (
	"context"
	"fmt"

	"gpuci/worktrees"
)

// merges looks at the merges of a lane whose commits are replayed: they are left
// out, which loses nothing where git makes them by itself. One with changes of its
// own is not landed without them.
func (l *landing) merges(ctx context.Context, commits []worktrees.Unlanded) error {
	if !l.Replayed {
		return nil
	}
	for _, c := range commits {
		if !c.Merge {
			continue
		}
		own, err := worktrees.OwnChanges(ctx, l.o.Lane, c.Commit)
		if err != nil {
			return err
		}
		if own {
			l.end(Refused, fmt.Sprintf("merge %.10s (%s) has changes of its own, which a replay would lose", c.Commit, c.Subject), l.rebaseFirst())
			return nil
		}
		l.Merges++
	}
	if l.Commits -= l.Merges; l.Merges > 0 {
		l.o.note("%s of lane %s left out: the commits that came by them are replayed one by one", countOf(l.Merges, "merge"), l.Lane)
	}
	return nil
}

// left counts what the replay has left of the lane's commits, and holds it against
// what merging the lane would come to.
func (l *landing) left(ctx context.Context) error {
	n, err := worktrees.CountBetween(ctx, l.o.Lane, l.Base, l.Tip)
	if err != nil {
		return err
	}
	l.Known, l.Commits = l.Commits-n, n
	if l.Tip == l.Base {
		return l.nothingLeft(ctx)
	}
	if l.Merges > 0 {
		same, err := worktrees.SameAsMerged(ctx, l.o.Lane, l.Tip, l.Base, l.Commit)
		if err != nil {
			return err
		}
		if !same {
			l.end(Refused, fmt.Sprintf("without its merges lane %s comes to something else than with them", l.Lane), l.rebaseFirst())
			return nil
		}
	}
	if l.Known > 0 {
		l.o.note("%s of lane %s left out: %s has the same by other commits", countOf(l.Known, "commit"), l.Lane, l.Onto)
	}
	return nil
}

// nothingLeft believes that there is nothing to land only if the files say so: a
// commit that the base has taken and undone again is in its history, too.
func (l *landing) nothingLeft(ctx context.Context) error {
	all, err := worktrees.HasAll(ctx, l.o.Lane, l.Base, l.Commit)
	if err != nil {
		return err
	}
	if all {
		l.end(Nothing, fmt.Sprintf("%s has all that the commits of lane %s do, by other commits", l.Onto, l.Lane), l.catchUp())
		return nil
	}
	l.end(Refused, fmt.Sprintf("a replay leaves nothing of the commits of lane %s, and yet %s has not all that they change: it has the same commits by others, and has changed that since", l.Lane, l.Onto),
		fmt.Sprintf("git diff %s...%.10s shows it; git rebase --reapply-cherry-picks %s, in lane %s, if it is to be landed again", l.Onto, l.Commit, l.Onto, l.Lane))
	return nil
}

func (l *landing) rebaseFirst() string {
	return "rebase the lane (git rebase " + l.Onto + ", in lane " + l.Lane + "), and land it again"
}
