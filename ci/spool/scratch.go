package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/worktrees"
)

// scratch is the directory of one task on its node, on a disk of it:
//
//	lock        held as long as the task is run
//	repository  unpacked of the content, or
//	bundle      the archive
//	lanes       the checkout
//	state       where runs are recorded where there is no repository
type scratch struct {
	dir  string
	lock *flock.Flock
	lane *worktrees.Scratch
}

// What has the second prefix has no lock yet: other tasks that begin take nothing for
// abandoned that is only about to be locked.
const (
	scratchPrefix = "gpuci-task-"
	freshPrefix   = "gpuci-fresh-"
	freshTime     = time.Hour // until one of those is that of a killed task
)

// makeScratch makes it, and removes those whose tasks were killed.
func (j *Job) makeScratch(ctx context.Context) (*scratch, error) {
	base := j.Scratch
	if base == "" {
		base = os.TempDir()
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	base, err := filepath.EvalSymlinks(base)
	if err != nil {
		return nil, err
	}
	sweepScratch(ctx, base)
	dir, err := os.MkdirTemp(base, freshPrefix+j.Attempt.String()+"-")
	if err != nil {
		return nil, err
	}
	s := &scratch{dir: filepath.Join(base, scratchPrefix+strings.TrimPrefix(filepath.Base(dir), freshPrefix)), lock: scratchLock(dir)}
	ok, err := s.lock.TryLock()
	if err == nil && !ok {
		err = errors.New("somebody else has locked it")
	}
	if err == nil {
		err = os.Rename(dir, s.dir) // the lock is the file's, and stays
	}
	if err != nil {
		_ = s.lock.Close()
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

func scratchLock(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW), flock.SetPermissions(0o600))
}

// sweepScratch removes what killed tasks left in a directory: nobody holds their locks.
// What cannot be removed is left for the next.
func sweepScratch(ctx context.Context, base string) {
	entries, _ := os.ReadDir(base)
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		info, err := e.Info()
		if err != nil || !e.IsDir() || !own(info) || ctx.Err() != nil {
			continue
		}
		if strings.HasPrefix(e.Name(), freshPrefix) && time.Since(info.ModTime()) > freshTime {
			_ = os.RemoveAll(dir)
		}
		if !strings.HasPrefix(e.Name(), scratchPrefix) {
			continue
		}
		s := &scratch{dir: dir, lock: flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDWR|unix.O_NOFOLLOW))}
		if ok, err := s.lock.TryLock(); err == nil && ok {
			_ = s.remove(ctx)
		} else if errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(dir) // somebody is at its end
		}
		_ = s.lock.Close()
	}
}

func own(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// remove removes it, its lock last.
func (s *scratch) remove(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if s.lane != nil {
		if err := s.lane.Remove(ctx); err != nil {
			return err
		}
	} else if lane, err := worktrees.Find(ctx, filepath.Join(s.dir, "repository")); err == nil && lane.Root == filepath.Join(s.dir, "repository") {
		if _, err := worktrees.RemoveAbandoned(ctx, lane, filepath.Join(s.dir, "lanes")); err != nil {
			return err
		}
	}
	for _, name := range []string{"lanes", "repository", "bundle", "state", "past.db"} {
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			return fmt.Errorf("remove what the task had here: %w", err)
		}
	}
	err := os.RemoveAll(s.dir)
	return errors.Join(err, s.lock.Close())
}
