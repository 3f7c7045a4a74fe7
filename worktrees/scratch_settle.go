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

// Settle is called when files have been changed, or restored, and before the next
// build. It gives these files, and those that were restored, a time that is later
// than any build has seen so far, and waits for that: for a tick of the kernel's
// clock, and for the next second where whole seconds are kept. Otherwise what has
// changed would be taken for what is known.
func (s *Scratch) Settle(ctx context.Context, changed []string) error {
	changed = append(slices.Clone(changed), s.kept.restored...)
	if len(changed) == 0 {
		return nil
	}
	step := clockTick
	if slices.ContainsFunc(changed, s.wholeSeconds) {
		step = time.Second
	}
	select {
	case <-time.After(time.Until(s.kept.settled.Truncate(step).Add(step))):
	case <-ctx.Done():
		return ctx.Err()
	}
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	now := time.Now()
	for _, path := range changed {
		if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := root.Chtimes(path, now, now); err != nil {
			return fmt.Errorf("settle %q: %w", path, err)
		}
	}
	s.kept.settled, s.kept.restored = now, nil
	return nil
}

// Dated says whether the times of files tell a build tool all that has changed at
// some paths: each was a regular file when Keep was called, and is one now. They do
// not tell that a file came or went (a program of *.c is no older than what is left
// of them), nor that a link leads to another file, which has a time of its own.
func (s *Scratch) Dated(ctx context.Context, paths []string) (bool, error) {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return false, err
	}
	defer root.Close()
	kept := make(map[string]string) // modes
	for _, l := range s.kept.draft.Leaves {
		kept[l.Path] = l.Mode
	}
	var rest []string
	for _, path := range paths {
		if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return false, nil
		}
		if mode, ok := kept[path]; !ok {
			rest = append(rest, path)
		} else if !isFile(mode) {
			return false, nil
		}
	}
	return s.filesAt(ctx, rest)
}

// filesAt says whether the commit has all of some paths as regular files.
func (s *Scratch) filesAt(ctx context.Context, paths []string) (bool, error) {
	for part := range slices.Chunk(paths, maxAsked) {
		args := append([]string{"--literal-pathspecs", "ls-tree", "-z", s.kept.draft.Commit, "--"}, part...)
		out, err := s.place.git(ctx, s.Lane, nil, args...)
		if err != nil {
			return false, err
		}
		entries := splitNUL(out)
		if len(entries) < len(part) || slices.ContainsFunc(entries, func(e string) bool { return !isFile(e) }) {
			return false, nil
		}
	}
	return true, nil
}

// clockTick is more than the clock goes on by at once by which the kernel dates
// files: 10 ms with CONFIG_HZ=100.
const clockTick = 20 * time.Millisecond

// wholeSeconds says whether only whole seconds of a file's time are looked at: by
// Python, which tells its byte code from the source by them and the size, and on a
// file system that keeps no more.
func (s *Scratch) wholeSeconds(path string) bool {
	switch filepath.Ext(path) {
	case ".py", ".pyw":
		return true
	}
	info, err := os.Lstat(filepath.Join(s.Root, path))
	return err == nil && info.ModTime().Nanosecond() == 0
}

// WriteFile writes a file that is there anew, with its permissions. No link leads
// it out of the scratch lane. Settle it before a build.
func (s *Scratch) WriteFile(path string, data []byte) error {
	if why := s.Reaches(path); why != "" {
		return fmt.Errorf("write %q: it %s", path, why)
	}
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	part := path + ".gpuci-part"
	err = root.WriteFile(part, data, info.Mode().Perm())
	if err == nil {
		err = errors.Join(root.Chmod(part, info.Mode().Perm()), root.Rename(part, path))
	}
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}
