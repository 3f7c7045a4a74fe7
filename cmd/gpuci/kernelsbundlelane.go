package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gpuci/gates"
	"gpuci/worktrees"
)

// besideLane looks whether an archive would be a change of the lane: of the next bundle,
// and of everything that is owed for what is in the lane now. Nobody who did not name
// the place gets it there; who did is told.
func (a *app) besideLane(ctx context.Context, lane worktrees.Lane, f bundleFlags, out string) error {
	rel, ok := insideLane(lane, out)
	if !ok {
		return nil
	}
	ignored, err := worktrees.Ignored(ctx, lane, []string{rel})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil, len(ignored) > 0: // a git that cannot say is found by the gates
		return nil
	}
	text := fmt.Sprintf("%s lies in the lane, and git does not ignore it: it would be a change there, of what gates are bound to and debts are owed for", rel)
	if f.out != "" {
		a.console.note(printable(text))
		return nil
	}
	return coded{gates.ExitUsage, printable(text), "write it outside: -o " + commandText([]string{filepath.Join(filepath.Dir(lane.Root), filepath.Base(out))})}
}

// insideLane is the path of a file that is to be written, from the root of a lane that
// it would lie in.
func insideLane(lane worktrees.Lane, path string) (rel string, ok bool) {
	if lane.Root == "" {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(lane.Root)
	if err != nil {
		return "", false
	}
	rel, err = filepath.Rel(root, filepath.Join(dir, filepath.Base(path)))
	return rel, err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
