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
// there is put back. Else a run that leaves something there, a log that it reads or
// a file of what it knows, times how many runs there were before it.
func (s *session) putBack(ctx context.Context, d *side) (on bool, err error) {
	paths, err := d.scratch.Changed(ctx)
	if errors.Is(err, worktrees.ErrCommitted) {
		s.report.Exit = gates.Broken.ExitCode()
		s.report.ended(End{State: Failed, Why: fmt.Sprintf("arm %s: its run has committed something, or checked it out", d.label())}, "let the run leave git alone")
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(paths) > 0 {
		if !slices.ContainsFunc(s.sides, func(o *side) bool { return o.Name == d.Name && o.changes }) {
			if err := s.mark(d.Name, fmt.Sprintf("a run of arm %s changes files of its lane (%s): they are put back before the next", d.Name, somePaths(paths))); err != nil {
				return false, err
			}
		}
		d.changes = true
		if err := d.scratch.Restore(ctx); err != nil {
			return false, err
		}
	}
	return true, s.putBackIgnored(ctx, d)
}

// putBackIgnored is the same of what git ignores. Where it cannot be, that is marked: of two
// arms each is run as often, and what grows does so in both.
func (s *session) putBackIgnored(ctx context.Context, d *side) error {
	lost, err := d.ignored.back(ctx)
	if err != nil || lost == "" || slices.ContainsFunc(s.log().Marks, func(m Mark) bool { return m.Arm == d.Name && m.Uneven }) {
		return err
	}
	return s.note(Mark{Arm: d.Name, Uneven: true, Text: fmt.Sprintf("a run of arm %s finds what those before it left in files that git ignores: they are not put back, for %s", d.Name, lost)})
}

// somePaths names a few.
func somePaths(paths []string) string {
	const few = 3
	if len(paths) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:few], ", "), len(paths)-few)
	}
	return strings.Join(paths, ", ")
}
