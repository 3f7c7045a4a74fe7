package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// copyAttempts is how often a lane is copied that changes under our hands: who
// saves a file now and then is waited for, who writes all the time is not.
const copyAttempts = 3

// errMeanwhile says that a lane changed while it was being copied.
var errMeanwhile = errors.New("it changed meanwhile")

// copyLane makes the scratch lane, which is at a commit, what the lane it is of
// is on disk, as it was read before. What is copied is proved by reading it.
func (s *Scratch) copyLane(ctx context.Context, commit string, before Draft) error {
	for attempt := 1; ; attempt++ {
		if attempt > 1 || before.Commit != commit {
			if err := s.clean(ctx, s.Lane, before.Commit); err != nil {
				return err
			}
		}
		err := s.copyOnce(ctx, before)
		if err == nil || ctx.Err() != nil {
			return err
		}
		after, again := s.readFrom(ctx)
		switch {
		case again != nil:
			return errors.Join(err, again)
		case equalDrafts(before, after) && !errors.Is(err, errMeanwhile):
			return err
		case attempt == copyAttempts:
			return fmt.Errorf("copy lane %s: it changes all the time, %d copies were each out of date; try again when it is quiet: %w", s.From, copyAttempts, err)
		}
		s.options.Note("the lane changed while it was copied; once more")
		before = after
	}
}

// copyOnce copies and proves: the copy is what was read of the lane, or it is
// not, because the lane changed since.
func (s *Scratch) copyOnce(ctx context.Context, d Draft) error {
	s.Notes, s.cargo = nil, nil
	for _, path := range s.inside {
		s.remark("%q is left out: it is another lane of this repository", path)
	}
	o := s.origin(ctx, d.Commit)
	o.like, o.copied = &s.from, true
	tracked, err := s.trackedAt(ctx, d.Commit)
	if err != nil {
		return err
	}
	if err := s.copyInto(ctx, s.Lane, tracked, d, o); err != nil {
		return err
	}
	copied, err := draftNow(ctx, s.Lane)
	if err == nil && !equalDrafts(d, copied) {
		err = fmt.Errorf("prove the copy of lane %s: %s is not as it was read there", s.From, firstOther(d, copied))
	}
	return err
}

// readFrom is the draft of the lane that is copied, less other lanes of its
// repository that are inside of it: they are no part of it.
func (s *Scratch) readFrom(ctx context.Context) (Draft, error) {
	d, err := draftNow(ctx, s.from)
	if err != nil {
		return d, err
	}
	s.inside = nil
	kept := slices.DeleteFunc(slices.Clone(d.Leaves), func(l Leaf) bool {
		is := l.Mode == gitlink && s.isInside(l.Path)
		if is {
			s.inside = append(s.inside, l.Path)
		}
		return is
	})
	if len(s.inside) > 0 {
		d.Leaves, d.Tree = kept, ""
	}
	return d, nil
}

// isInside says whether another lane of the same repository is at a path.
func (s *Scratch) isInside(path string) bool {
	l, err := laneAt(filepath.Join(s.from.Root, path))
	return err == nil && l.CommonDir == s.from.CommonDir
}

// equalDrafts compares two lanes by their trees, and where git has none for what
// is there (a submodule with changes) by the leaves, whose ids tell that too.
func equalDrafts(a, b Draft) bool {
	return a.Commit == b.Commit && (a.Tree == b.Tree || a.Tree == "") && slices.Equal(a.Leaves, b.Leaves)
}

// firstOther names a path at which two drafts of one commit differ.
func firstOther(a, b Draft) string {
	for _, pair := range [][2][]Leaf{{a.Leaves, b.Leaves}, {b.Leaves, a.Leaves}} {
		for _, l := range pair[0] {
			if !slices.Contains(pair[1], l) {
				return fmt.Sprintf("%q", l.Path)
			}
		}
	}
	return "its commit"
}

// copyInto puts into a checkout at the draft's commit, whose files are tracked,
// what the draft's lane has otherwise: first what is gone goes, to make room, then
// files come, then submodules, whose names may be in a file that came.
func (s *Scratch) copyInto(ctx context.Context, into Lane, tracked []trackedPath, d Draft, o origin) error {
	if readHead(ctx, into).commit != d.Commit {
		return errMeanwhile
	}
	if err := refuse(d, o); err != nil {
		return err
	}
	links := linksOf(tracked)
	files, err := copyLeaves(ctx, o.like.Root, into.Root, d.Leaves)
	if err != nil {
		return err
	}
	for _, leaf := range d.Leaves {
		if delete(links, leaf.Path); leaf.Mode == gitlink {
			links[leaf.Path], _, _ = strings.Cut(leaf.ID, "+")
		}
	}
	added := newPaths(files, tracked)
	if err := s.knowIgnored(ctx, into, added); err != nil {
		return err
	}
	for _, path := range added {
		tracked = append(tracked, trackedPath{path: path, mode: regular})
	}
	if err := s.describe(into, tracked, o.prefix); err != nil {
		return err
	}
	return s.takeAll(ctx, into, links, o)
}

// newPaths are those that are not tracked.
func newPaths(paths []string, tracked []trackedPath) (added []string) {
	known := make(map[string]bool, len(paths))
	for _, path := range paths {
		known[path] = false
	}
	for _, t := range tracked {
		if _, asked := known[t.path]; asked {
			known[t.path] = true
		}
	}
	for _, path := range paths {
		if !known[path] {
			added = append(added, path)
		}
	}
	return added
}

// refuse says what of a draft cannot be copied.
func refuse(d Draft, o origin) error {
	for _, leaf := range d.Leaves {
		why := ""
		switch {
		case leaf.Mode == unreadable:
			why = "it cannot be read; let this user read it"
		case leaf.Mode == special:
			why = "it is no file, link or directory (a pipe, a socket, a device); remove it"
		case leaf.Mode == gitlink && (leaf.ID == "" || leaf.ID[0] == '+'):
			why = "it is a repository without a commit; commit there, or have git ignore it"
		}
		if why != "" {
			return fmt.Errorf("copy %q: %s", o.at(leaf.Path), why)
		}
	}
	return nil
}

// knowIgnored has the scratch lane's index know the new files that only the
// lane's index keeps from being ignored (git add --force).
func (s *Scratch) knowIgnored(ctx context.Context, into Lane, added []string) error {
	kept, err := notIgnored(ctx, into, slices.Clone(added), s.sparse())
	if err != nil || len(kept) == len(added) {
		return err
	}
	ignored := slices.DeleteFunc(slices.Clone(added), func(path string) bool { return slices.Contains(kept, path) })
	// Git would write the empty blob, which it knows without, beside the lane's
	// objects.
	aside := filepath.Join(s.place.dir, "aside")
	defer os.RemoveAll(aside)
	env, err := standIn(aside, into)
	if err != nil {
		return err
	}
	_, err = s.place.gitWith(ctx, into, env[1:], joinNUL(ignored), "--literal-pathspecs", "add", "--intent-to-add", "--force", "--pathspec-from-file=-", "--pathspec-file-nul")
	return err
}
