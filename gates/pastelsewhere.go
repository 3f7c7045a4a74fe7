package gates

import (
	"context"

	"gpuci/gates/history"
	"gpuci/worktrees"
)

// FalsifiedRuns are the runs by whose directories it is told whether the last
// falsifications of a gate hold still. Where the history cannot be read there are none.
func FalsifiedRuns(ctx context.Context, p *Past, gate string) (runs []string) {
	store, err := p.Store()
	if err != nil {
		return nil
	}
	defer store.Rest()
	list, err := store.Falsifications(ctx, history.Query{Gate: gate, Limit: 4 * maxFalsified})
	if err != nil {
		return nil
	}
	for _, one := range list {
		if store.Believes(one.UID, one.Started) && len(runs) < maxFalsified && runForm.MatchString(one.Run) {
			runs = append(runs, one.Run)
		}
	}
	return runs
}

// OnBase says which commits of a gate's past are of the base branch, and whether a commit
// is: who runs from a bundle has no repository to ask. Without a base branch all are.
func OnBase(ctx context.Context, p *Past, l worktrees.Lane, base worktrees.Base, commit, gate string) (on []string, here bool, err error) {
	var commits []string
	if store, err := p.Store(); err == nil {
		defer store.Rest()
		if commits, err = store.Commits(ctx, gate); err != nil {
			return nil, false, err
		}
	}
	if base == (worktrees.Base{}) {
		return commits, true, nil
	}
	are, err := worktrees.Among(ctx, l, base.Commit, append(commits, commit))
	if err != nil {
		return nil, false, err
	}
	for _, c := range commits {
		if are[c] {
			on = append(on, c)
		}
	}
	return on, are[commit], nil
}
