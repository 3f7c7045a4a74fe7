package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Clean removes what git ignores in the scratch lane, and what lies beside it as its
// Target: what was built there, and whatever else runs have left for the next one.
// The next build begins from nothing, as in a scratch lane that was just made.
//
// With an error the scratch lane is somewhere between: remove it. There always is one
// where it has submodules, whose ignored files are theirs.
func (s *Scratch) Clean(ctx context.Context) error {
	if err := s.cleanIgnored(ctx); err != nil {
		return fmt.Errorf("clean scratch lane of %s: %w", s.From, err)
	}
	return nil
}

func (s *Scratch) cleanIgnored(ctx context.Context) error {
	if at, err := laneAt(s.Root); err != nil || at.GitDir != s.GitDir {
		return errors.New("its .git is gone, or is another one")
	}
	tracked, err := s.tracked(ctx, s.Lane)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(tracked, func(t trackedPath) bool { return t.mode == gitlink }) {
		return errors.New("it has submodules")
	}
	if _, err := s.place.git(ctx, s.Lane, nil, "clean", "--quiet", "-ffdX"); err != nil {
		return err
	}
	if s.Target == s.place.beside() {
		if err := os.RemoveAll(s.Target); err != nil {
			return err
		}
	}
	// What git could not remove it names, and ends with success.
	left, err := s.place.git(ctx, s.Lane, nil, "clean", "--dry-run", "-ffdX")
	if err == nil && len(left) > 0 {
		first, _, _ := strings.Cut(string(left), "\n")
		err = fmt.Errorf("something came back at once: %s", strings.TrimPrefix(first, "Would remove "))
	}
	s.kept.settled = time.Now()
	return err
}
