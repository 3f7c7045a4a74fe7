package spool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
	"gpuci/worktrees"
)

// archiveError says that there is no archive of a gate.
type archiveError struct{ err error }

func (e *archiveError) Error() string { return "make its archive: " + e.err.Error() }
func (e *archiveError) Unwrap() error { return e.err }

// archive has the archive of a gate made, once for each content and its settings, and
// says in its order what a node without a repository cannot ask of one.
func (s *Spool) archive(ctx context.Context, t executor.Task, l worktrees.Lane, o *Order) error {
	if s.o.Archive == nil {
		return &archiveError{errors.New("nobody here makes one")}
	}
	o.Archive = hashOf(fmt.Sprintf("%q", []string{l.CommonDir, o.Commit, o.Tree, o.Dir, o.Gate, o.Config, o.Program}))
	path := s.place.archive(o.Archive)
	if f, err := s.place.open(path); err == nil {
		now := time.Now()
		_, _ = f.Close(), os.Chtimes(path, now, now)
	} else if err := s.makeArchive(ctx, t, path); err != nil {
		return err
	}
	var err error
	if o.ArchiveSum, err = hashFile(path); err != nil {
		return err
	}
	o.OnBase, o.Here, err = gates.OnBase(ctx, s.o.Past, l, o.Base, o.Commit, t.Gate.Name)
	return err
}

func (p place) archive(key string) string { return filepath.Join(p.dir, "archives", key+".tar.gz") }

// makeArchive makes one that appears when it is whole.
func (s *Spool) makeArchive(ctx context.Context, t executor.Task, path string) error {
	part := filepath.Join(filepath.Dir(path), partName()+".tar.gz")
	defer os.Remove(part) // nothing is there once it has its name
	if err := s.o.Archive(ctx, t, part); err != nil {
		if full(err) {
			return err
		}
		return &archiveError{err}
	}
	err := syncTree(part)
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return err
	}
	return gates.SyncDir(filepath.Dir(path))
}
