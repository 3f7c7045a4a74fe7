package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// kept is what a scratch lane was when Keep was called.
type kept struct {
	draft Draft
	dir   string // has the files that are otherwise than in the commit

	settled  time.Time // no build has seen a file of a later time
	restored []string  // since then
}

// Keep remembers what the scratch lane is on disk, for Restore. What git ignores
// is left out: build products are to stay.
func (s *Scratch) Keep(ctx context.Context) error {
	d, err := draftNow(ctx, s.Lane)
	if err != nil {
		return fmt.Errorf("keep scratch lane of %s: %w", s.From, err)
	}
	k := &kept{draft: d, dir: filepath.Join(s.place.dir, "as-it-was")}
	if err := os.RemoveAll(k.dir); err != nil {
		return fmt.Errorf("keep scratch lane of %s: %w", s.From, err)
	}
	if err := os.Mkdir(k.dir, 0o700); err != nil {
		return fmt.Errorf("keep scratch lane of %s: %w", s.From, err)
	}
	there := slices.DeleteFunc(slices.Clone(d.Leaves), Leaf.Gone)
	if _, err := copyLeaves(ctx, s.Root, k.dir, there); err != nil {
		return fmt.Errorf("keep scratch lane of %s: %w", s.From, err)
	}
	k.settled = time.Now()
	s.kept = k
	return nil
}

// Kept is the draft of what Keep remembers.
func (s *Scratch) Kept() Draft { return s.kept.draft }

// ErrCommitted says that a scratch lane is at another commit than it was kept at.
var ErrCommitted = errors.New("it is at another commit")

// Changed are the paths at which the scratch lane is otherwise than when Keep was
// called, sorted. The error wraps ErrCommitted where somebody has committed there,
// or checked something out.
func (s *Scratch) Changed(ctx context.Context) ([]string, error) {
	_, paths, err := s.since(ctx)
	return paths, err
}

func (s *Scratch) since(ctx context.Context) (now Draft, paths []string, err error) {
	// Without its .git, git would speak of whatever repository is further up.
	if at, err := laneAt(s.Root); err != nil || at.GitDir != s.GitDir {
		return now, nil, fmt.Errorf("compare scratch lane of %s: its .git is gone, or is another one", s.From)
	}
	now, err = draftNow(ctx, s.Lane)
	if err != nil {
		return now, nil, fmt.Errorf("compare scratch lane of %s: %w", s.From, err)
	}
	if now.Commit != s.kept.draft.Commit {
		return now, nil, fmt.Errorf("%w: %.10s, not %.10s", ErrCommitted, now.Commit, s.kept.draft.Commit)
	}
	then := make(map[Leaf]bool, len(s.kept.draft.Leaves))
	for _, l := range s.kept.draft.Leaves {
		then[l] = true
	}
	for _, l := range now.Leaves {
		if !then[l] {
			paths = append(paths, l.Path)
		}
		delete(then, l)
	}
	for l := range then {
		paths = append(paths, l.Path)
	}
	slices.Sort(paths)
	return now, slices.Compact(paths), nil
}

// Restore makes the scratch lane what it was when Keep was called, and proves it
// by reading it. Only what is otherwise is written, with the time of now: a build
// tool that compares times builds that anew and nothing else. Settle it before that.
//
// With an error the scratch lane is somewhere between: remove it.
func (s *Scratch) Restore(ctx context.Context) error {
	if err := s.restore(ctx); err != nil {
		return fmt.Errorf("restore scratch lane of %s: %w", s.From, err)
	}
	return nil
}

func (s *Scratch) restore(ctx context.Context) error {
	now, paths, err := s.since(ctx)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return nil
	}
	_ = os.Remove(filepath.Join(s.GitDir, "index.lock")) // of a git that was killed in there
	s.kept.restored = append(s.kept.restored, paths...)
	leaf := make(map[string]Leaf)
	for _, l := range s.kept.draft.Leaves {
		leaf[l.Path] = l
	}
	var back []Leaf
	var rest []string // as the commit has them
	for _, path := range paths {
		if l, ok := leaf[path]; ok {
			back = append(back, l)
		} else {
			rest = append(rest, path)
		}
	}
	if slices.ContainsFunc(append(slices.Clone(back), now.Leaves...), func(l Leaf) bool { return l.Mode == gitlink && slices.Contains(paths, l.Path) }) {
		return errors.New("a submodule is otherwise")
	}
	if err := s.fromCommit(ctx, rest); err != nil {
		return err
	}
	if _, err := copyLeaves(ctx, s.kept.dir, s.Root, back); err != nil {
		return err
	}
	_, paths, err = s.since(ctx)
	if err == nil && len(paths) > 0 {
		err = fmt.Errorf("%q is not as it was", paths[0])
	}
	return err
}

// fromCommit makes paths what the commit has there, which may be nothing.
func (s *Scratch) fromCommit(ctx context.Context, paths []string) error {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	for part := range slices.Chunk(paths, maxAsked) {
		args := append([]string{"--literal-pathspecs", "ls-tree", "-z", "--name-only", s.kept.draft.Commit, "--"}, part...)
		out, err := s.place.git(ctx, s.Lane, nil, args...)
		if err != nil {
			return err
		}
		known := splitNUL(out)
		for _, path := range part {
			if err := removeLeaf(root, path); err != nil { // what is in its place goes, too
				return fmt.Errorf("remove %q: %w", path, err)
			}
		}
		if len(known) == 0 {
			continue
		}
		if _, err := s.place.git(ctx, s.Lane, joinNUL(known), "--literal-pathspecs", "checkout", "--quiet", s.kept.draft.Commit,
			"--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return err
		}
	}
	return nil
}
