package gates

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

// lanesTime is how long the lanes of a repository may take to be listed. It
// takes some milliseconds for each, and more on a busy disk.
const lanesTime = 5 * time.Second

// ListLanes is worktrees.ListAll that does not wait for a worktree on a dead
// server. Each is asked first whether it answers: whoever looks into one that
// does not cannot even end. Then nothing is listed, for that one may be inside of
// another one, and the error wraps a *proc.SilentError, which names it, or
// context.DeadlineExceeded where something else does not come back.
func ListLanes(ctx context.Context, lane worktrees.Lane) ([]worktrees.Tree, error) {
	limited, cancel := context.WithTimeout(ctx, lanesTime)
	defer cancel()
	if err := AnswersIn(limited, worktrees.Roots(lane)...); err != nil {
		return nil, fmt.Errorf("list the lanes of %s: %w", lane.CommonDir, err)
	}
	type list struct {
		trees []worktrees.Tree
		err   error
	}
	done := make(chan list, 1)
	go func() {
		trees, err := worktrees.ListAll(limited, lane)
		done <- list{trees, err}
	}()
	select {
	case l := <-done:
		return l.trees, l.err
	case <-limited.Done():
		return nil, fmt.Errorf("list the lanes of %s: no answer in %s: %w", lane.CommonDir, lanesTime, limited.Err())
	}
}

// LanesHere are those of ListLanes that are there.
func LanesHere(ctx context.Context, lane worktrees.Lane) ([]worktrees.Tree, error) {
	trees, err := ListLanes(ctx, lane)
	return slices.DeleteFunc(trees, func(t worktrees.Tree) bool { return t.Removed }), err
}

// AnswersIn says whether something can be looked up in some directories, by the
// first that does not answer.
func AnswersIn(ctx context.Context, dirs ...string) error {
	var paths []string
	for _, dir := range dirs {
		paths = append(paths, filepath.Join(dir, ".git"))
	}
	err := proc.Answers(ctx, paths)
	var none *proc.SilentError
	if errors.As(err, &none) {
		return &proc.SilentError{Path: filepath.Dir(none.Path), Reader: none.Reader}
	}
	return err
}
