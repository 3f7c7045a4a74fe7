package worktrees

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
)

// orphanGrace is how long a git is waited for that its gpuci left running: it
// ends by itself once its checkout is done, and holds the lock so long.
const (
	orphanGrace = 5 * time.Second
	orphanPoll  = 20 * time.Millisecond
)

// RemoveAbandoned removes the scratch lanes in a directory, of a lane's
// repository or of one that is gone, whose gpuci was killed, and returns their
// names. It knows them by their locks, which nobody holds, and by the record in
// each; half made and half removed ones too. Nothing without our record is
// touched, and no symbolic link followed.
//
// One that cannot be removed does not stop the others; the error says which.
func RemoveAbandoned(ctx context.Context, lane Lane, dir string) (removed []string, err error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("remove abandoned scratch lanes: %q is not an absolute path", dir)
	}
	dir = realOf(filepath.Clean(dir))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	patience := time.Now().Add(orphanGrace)
	for _, e := range entries {
		if !isScratchID(e.Name()) || !e.IsDir() || ctx.Err() != nil {
			continue
		}
		p := &place{id: e.Name(), dir: filepath.Join(dir, e.Name())}
		was, problem := p.removeAbandoned(ctx, lane.CommonDir, patience)
		if problem != nil {
			err = errors.Join(err, fmt.Errorf("remove abandoned scratch lane %s: %w", p.dir, problem))
		} else if was {
			removed = append(removed, "scratch/"+p.id)
		}
	}
	struck, problem := strikeLost(lane.CommonDir, dir)
	return append(removed, struck...), errors.Join(err, problem, ctx.Err())
}

// removeAbandoned removes one place, if nobody holds it and it is ours.
func (p *place) removeAbandoned(ctx context.Context, common string, patience time.Time) (was bool, err error) {
	path := filepath.Join(p.dir, "lock")
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|syscall.O_NOFOLLOW))
	defer lock.Close()
	ok, err := lock.TryLock()
	for err == nil && !ok && ctx.Err() == nil {
		if r, is := readScratchRecord(path); !is || r.alive() || time.Now().After(patience) {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(orphanPoll):
		}
		ok, err = lock.TryLock()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		// Begun and not locked yet, or all but removed: no scratch lane. Who
		// makes one just now takes another place.
		_ = os.Remove(p.dir)
		return false, nil
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EISDIR): // no lock of ours
		return false, nil
	case err != nil || !ok:
		return false, err
	}
	r, is := readScratchRecord(path)
	if !is {
		p.removeEmpty(path)
		return false, nil
	}
	if r.ID != p.id || (r.Common != common && there(r.Common)) {
		return false, nil
	}
	return true, p.dismantle(ctx, r.Common)
}

// removeEmpty removes a place that was locked and had no record yet: nothing but
// an empty lock is in it.
func (p *place) removeEmpty(lock string) {
	entries, err := os.ReadDir(p.dir)
	info, err2 := os.Lstat(lock)
	if err != nil || err2 != nil || len(entries) != 1 || info.Size() > 0 || !info.Mode().IsRegular() {
		return
	}
	_, _ = os.Remove(lock), os.Remove(p.dir)
}

// strikeLost removes from git's books the scratch lanes of a directory whose
// places are gone, as where somebody cleared the directory by hand.
func strikeLost(common, dir string) (struck []string, err error) {
	books, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, b := range books {
		id, ok := strings.CutPrefix(b.Name(), scratchPrefix)
		if !ok || !isScratchID(id) {
			continue
		}
		p := &place{id: id, dir: filepath.Join(dir, id)}
		r, ok := readScratchRecord(filepath.Join(p.admin(common), scratchMark))
		// In this order: one that is being removed goes from the books first.
		if !ok || r.ID != id || r.Place != p.dir || there(p.dir) || !there(p.admin(common)) {
			continue
		}
		if problem := p.strike(common); problem != nil {
			err = errors.Join(err, problem)
		} else {
			struck = append(struck, "scratch/"+id)
		}
	}
	return struck, err
}
