package ab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/worktrees"
)

// putBack has the next run in a lane begin with what the last one did: what that changed
// in the tree is put back. Else a run that leaves something there, a log that it reads or
// a file of what it knows, times how many runs there were before it. What git ignores
// stays: it was built there.
func (s *session) putBack(ctx context.Context, d *side) (on bool, err error) {
	paths, err := d.scratch.Changed(ctx)
	if errors.Is(err, worktrees.ErrCommitted) {
		s.report.Exit = gates.Broken.ExitCode()
		s.report.ended(End{State: Failed, Why: fmt.Sprintf("arm %s: its run has committed something, or checked it out", d.label())}, "let the run leave git alone")
		return false, nil
	}
	if err != nil || len(paths) == 0 {
		return err == nil, err
	}
	if !slices.ContainsFunc(s.sides, func(o *side) bool { return o.Name == d.Name && o.changes }) {
		s.mark(fmt.Sprintf("a run of arm %s changes files of its lane (%s): they are put back before the next", d.Name, somePaths(paths)))
	}
	d.changes = true
	return true, d.scratch.Restore(ctx)
}

// somePaths names a few.
func somePaths(paths []string) string {
	const few = 3
	if len(paths) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:few], ", "), len(paths)-few)
	}
	return strings.Join(paths, ", ")
}
